// RUN: devproc-opt %s -p convert-to-llvm | filecheck %s

// A loop over launches calls its kernels; a step of a sequence is a pointer into it.

!h = memref<5xf32, #dev.on<"cpu">>
!x = memref<3x5xf32, #dev.on<"cpu">>
func.func private @k(!h, !h) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.add"]>}
func.func private @loop(%x: !x, %a: !h) attributes {dev.kernel = #dev.kernel<"cpu", "loop", ["nn.loop"]>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  scf.for %i = %zero to %three step %one {
    %last = arith.constant 2 : index
    %step = arith.subi %last, %i : index
    %now = plan.slice %x[%step] : !x -> !h
    plan.launch @k(%now) -> (%a) : (!h) -> (!h)
  }
  func.return
}

// CHECK:       llvm.func @k(!llvm.ptr, !llvm.ptr) attributes {no_unwind}
// CHECK:       llvm.func internal @loop(%x: !llvm.ptr {{.*}}, %a: !llvm.ptr {{.*}}) attributes {no_unwind} {
// CHECK:         [[BACK:%.+]] = llvm.mlir.constant(-20) : i64
// CHECK:       ^bb1([[I:%.+]]: i64, [[PLACE:%.+]]: i64):
// CHECK-NEXT:    [[LAST:%.+]] = llvm_ext.getelementptr %x[[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:    [[NOW:%.+]] = llvm_ext.getelementptr [[LAST]][10] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.call @k([[NOW]], %a)
// CHECK:         llvm.add [[PLACE]], [[BACK]] : i64
// CHECK:         llvm.return
