// RUN: devproc-opt %s -p convert-to-llvm | filecheck %s

// A mask of several lanes is LLVM's; one lane is stored by itself.

func.func private @kernel(%y: memref<20xi8>, %value: vector<4xi8>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast"]>} {
  %two = arith.constant dense<[true, true, false, false]> : vector<4xi1>
  %one = arith.constant dense<[true, false, false, false]> : vector<4xi1>
  %0 = arith.constant 0 : index
  %16 = arith.constant 16 : index
  vector.maskedstore %y[%0], %two, %value : memref<20xi8>, vector<4xi1>, vector<4xi8>
  vector.maskedstore %y[%16], %one, %value : memref<20xi8>, vector<4xi1>, vector<4xi8>
  func.return
}

// CHECK-LABEL: llvm.func internal @kernel
// CHECK:         llvm_ext.intr.masked.store
// CHECK-NOT:     llvm_ext.intr.masked.store
// CHECK:         %[[LANE:.*]] = llvm_ext.extractelement
// CHECK:         llvm.store %[[LANE]]
