// RUN: devproc-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: #dev.strassen takes 1 numbers
func.func private @weight(tensor<64x8xf32, #dev.on<"cpu", #dev.strassen<16, 4>>>)

// -----

// CHECK: #dev.inner_product takes 2 to 3 numbers
func.func private @weight(tensor<64x8xf32, #dev.on<"cpu", #dev.inner_product<16>>>)
