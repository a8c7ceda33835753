// RUN: devproc-opt %s -p convert-to-llvm | filecheck %s
// RUN: devproc-opt %s -p convert-to-llvm -t llvm-ir | filecheck %s --check-prefix=LLVM

// Between two calls the address of the third field is called, unless it is null. The loop
// over a segment has a C entry, as the segment.

!control = memref<3xi64, #dev.on<"cpu">>
func.func private @segment_0_repeat(%control: !control, %on: memref<1xi1>) {
  %zero = arith.constant 0 : index
  %0 = plan.follow %control : !control -> i1
  memref.store %0, %on[%zero] : memref<1xi1>
  func.return
}

// CHECK:      llvm.func internal @segment_0_repeat(
// CHECK:        [[FIELD:%.+]] = llvm_ext.getelementptr %control[2] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:   [[ADDRESS:%.+]] = llvm.load [[FIELD]] {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK-NEXT:   [[THERE:%.+]] = llvm.icmp "ne" [[ADDRESS]], {{%.+}} : i64
// CHECK-NEXT:   llvm.cond_br [[THERE]], ^bb1, ^bb2({{%.+}} : i1)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT:   [[CALLEE:%.+]] = llvm.inttoptr [[ADDRESS]] : i64 to !llvm.ptr
// CHECK-NEXT:   [[ON:%.+]] = llvm.call [[CALLEE]](%control) : !llvm.ptr, (!llvm.ptr) -> i64
// CHECK:      llvm.func @segment_0_repeat_entry(

// LLVM:      call i64 {{%.+}}(ptr {{.*}}%control)
