// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'dev.region' (unknown source) reads a result of 'cuda' on the host before the dev.sync "cuda" that orders it
func.func @main(%x: tensor<2xf32, #dev.on<"cuda">>) {
  %h = dev.copy %x : tensor<2xf32, #dev.on<"cuda">> to tensor<2xf32, #dev.on<"cpu">>
  %r = dev.region "cpu" (%h) : (tensor<2xf32, #dev.on<"cpu">>) -> tensor<2xf32, #dev.on<"cpu">> {
  ^bb0(%a: tensor<2xf32, #dev.on<"cpu">>):
    dev.yield %a : tensor<2xf32, #dev.on<"cpu">>
  }
  dev.sync "cuda"
  func.return
}

// -----

// CHECK: in a region on 'cuda' uses a value of 'cpu': a value crosses devices only through dev.copy
func.func @main(%x: tensor<2xf32, #dev.on<"cpu">>) {
  %r = dev.region "cuda" (%x) : (tensor<2xf32, #dev.on<"cpu">>) -> tensor<2xf32, #dev.on<"cpu">> {
  ^bb0(%a: tensor<2xf32, #dev.on<"cpu">>):
    dev.yield %a : tensor<2xf32, #dev.on<"cpu">>
  }
  func.return
}

// -----

// CHECK: dev.copy from 'cpu' to itself is redundant
func.func @main(%x: tensor<2xf32, #dev.on<"cpu">>) {
  %y = dev.copy %x : tensor<2xf32, #dev.on<"cpu">> to tensor<2xf32, #dev.on<"cpu">>
  func.return
}

// -----

// CHECK: no Winograd transform for tiles of 3; there are [2, 4]
func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<3, 16>>>)

// -----

// CHECK: the panels of #dev.winograd must be positive
func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<4, 0>>>)
