// RUN: devproc-opt %s -t llvm-ir | filecheck %s

// CHECK:      @table = internal constant [3 x i32] [i32 1, i32 -2, i32 3], align 64
llvm.mlir.global internal constant @table(dense<[1, -2, 3]> : tensor<3xi32>)
  {alignment = 64 : i64} : !llvm.array<3 x i32>

// Other functions are left out.
// CHECK-NOT:  main
func.func @main() {
  func.return
}

// Block arguments become phis, constants are written where they are used.
// CHECK:      define internal float @sum(ptr noalias readonly align 64 dereferenceable(64) %x) nounwind "prefer-vector-width"="512" alignstack(64) {
// CHECK-NEXT: b0:
// CHECK-NEXT:   br label %b1
// CHECK-NEXT: b1:
// CHECK-NEXT:   [[I:%.*]] = phi i64 [ 0, %b0 ], [ [[NEXT:%.*]], %b1 ]
// CHECK-NEXT:   [[S:%.*]] = phi float [ 0x8000000000000000, %b0 ], [ [[NEW:%.*]], %b1 ]
// CHECK-NEXT:   [[P:%.*]] = getelementptr inbounds float, ptr %x, i64 [[I]]
// CHECK-NEXT:   [[V:%.*]] = load float, ptr [[P]], align 4
// CHECK-NEXT:   [[NEW]] = fadd contract float [[S]], [[V]]
// CHECK-NEXT:   [[NEXT]] = add nsw i64 [[I]], 1
// CHECK-NEXT:   [[MORE:%.*]] = icmp slt i64 [[NEXT]], 16
// CHECK-NEXT:   br i1 [[MORE]], label %b1, label %b2, !llvm.loop !1
// CHECK-NEXT: b2:
// CHECK-NEXT:   ret float [[NEW]]
// CHECK-NEXT: }
llvm.func internal @sum(%x: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 64 : i64,
    llvm.dereferenceable = 64 : i64}) -> f32
    attributes {no_unwind, passthrough = [["prefer-vector-width", "512"], ["alignstack", "64"]]} {
  %zero = llvm.mlir.constant(0) : i64
  %one = llvm.mlir.constant(1) : i64
  %end = llvm.mlir.constant(16) : i64
  %none = llvm.mlir.constant(-0.0 : f32) : f32
  llvm.br ^loop(%zero, %none : i64, f32)
^loop(%i: i64, %s: f32):
  %p = llvm_ext.getelementptr inbounds %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32
  %t = llvm.fadd %s, %v {fastmathFlags = #llvm.fastmath<contract>} : f32
  %j = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %j, %end : i64
  llvm.cond_br %more, ^loop(%j, %t : i64, f32), ^end
^end:
  llvm.return %t : f32
}

// Vectors, masks and intrinsics, overloaded by name.
// CHECK:      define void @vectors(ptr %p, <4 x i1> %m) {
// CHECK:        [[A:%.*]] = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x float> poison)
// CHECK-NEXT:   [[B:%.*]] = call nsz <4 x float> @llvm.maximum.v4f32(<4 x float> [[A]], <4 x float> splat (float 0x3FF0000000000000))
// CHECK-NEXT:   [[C:%.*]] = fcmp oge <4 x float> [[B]], [[A]]
// CHECK-NEXT:   [[D:%.*]] = select <4 x i1> [[C]], <4 x float> [[A]], <4 x float> [[B]]
// CHECK-NEXT:   [[E:%.*]] = shufflevector <4 x float> [[D]], <4 x float> poison, <2 x i32> <i32 3, i32 poison>
// CHECK-NEXT:   [[F:%.*]] = call float @llvm.vector.reduce.fmax.v4f32(<4 x float> [[D]])
// CHECK-NEXT:   call void @llvm.masked.store.v4f32.p0(<4 x float> [[D]], ptr %p, i32 4, <4 x i1> <i1 true, i1 false, i1 true, i1 true>)
llvm.func @vectors(%p: !llvm.ptr, %m: vector<4xi1>) {
  %u = llvm_ext.mlir.poison : vector<4xf32>
  %one = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
  %k = llvm.mlir.constant(dense<[true, false, true, true]> : vector<4xi1>) : vector<4xi1>
  %a = llvm_ext.intr.masked.load %p, %m, %u {alignment = 4 : i32}
    : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %b = llvm_ext.intr.maximum(%a, %one) {fastmathFlags = #llvm.fastmath<nsz>}
    : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %c = llvm_ext.fcmp "oge" %b, %a : vector<4xf32>
  %d = llvm_ext.select %c, %a, %b : vector<4xi1>, vector<4xf32>
  %e = llvm.shufflevector %d, %u [3, -1] : vector<4xf32>
  %f = llvm_ext.intr.vector.reduce.fmax(%d) : (vector<4xf32>) -> f32
  llvm_ext.intr.masked.store %d, %p, %k {alignment = 4 : i32}
    : vector<4xf32>, vector<4xi1> into !llvm.ptr
  llvm.return
}

// CHECK:      declare void @elsewhere(ptr, i64)
llvm.func @elsewhere(!llvm.ptr, i64)

// A loop of one block starts at a line of the cache; one with nine to sixteen multiply-adds
// of vectors is unrolled as well. Each loop has a node of its own.
// CHECK:      define void @sums(
// CHECK:        br i1 {{.*}}, label %b1, label %b2, !llvm.loop !2
llvm.func @sums(%p: !llvm.ptr, %x: vector<4xf32>) {
  %zero = llvm.mlir.constant(0) : i64
  %one = llvm.mlir.constant(1) : i64
  %end = llvm.mlir.constant(16) : i64
  llvm.br ^loop(%zero, %x : i64, vector<4xf32>)
^loop(%i: i64, %s0: vector<4xf32>):
  %s1 = llvm.intr.fma(%x, %x, %s0) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s2 = llvm.intr.fma(%x, %x, %s1) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s3 = llvm.intr.fma(%x, %x, %s2) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s4 = llvm.intr.fma(%x, %x, %s3) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s5 = llvm.intr.fma(%x, %x, %s4) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s6 = llvm.intr.fma(%x, %x, %s5) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s7 = llvm.intr.fma(%x, %x, %s6) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s8 = llvm.intr.fma(%x, %x, %s7) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %s9 = llvm.intr.fma(%x, %x, %s8) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %j = llvm.add %i, %one overflow<nsw> : i64
  %more = llvm.icmp "slt" %j, %end : i64
  llvm.cond_br %more, ^loop(%j, %s9 : i64, vector<4xf32>), ^end
^end:
  llvm.store %s9, %p {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  llvm.return
}

// An argument is not named as a block.
// CHECK:      define internal void @named(ptr %v0, ptr %x)
// CHECK-NEXT: b0:
llvm.func internal @named(%b0: !llvm.ptr, %x: !llvm.ptr) {
  llvm.return
}

// CHECK:      !0 = !{!"llvm.loop.align", i32 64}
// CHECK-NEXT: !1 = distinct !{!1, !0}
// CHECK-NEXT: !2 = distinct !{!2, !0, !{!"llvm.loop.unroll.count", i32 4}}
