define internal void @linear_relu(ptr noalias noundef nonnull dereferenceable(380) %x, ptr align 64 noalias noundef nonnull dereferenceable(608) %w, ptr align 64 noalias noundef nonnull dereferenceable(28) %b, ptr noalias noundef nonnull dereferenceable(140) %v0) nounwind alignstack(32) {
b0:
  br label %b1
b1:
  %v1 = phi i64 [ 0, %b0 ], [ %v35, %b1 ]
  %v2 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v14, %b1 ]
  %v3 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v19, %b1 ]
  %v4 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v24, %b1 ]
  %v5 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v29, %b1 ]
  %v6 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v34, %b1 ]
  %v7 = phi i64 [ 0, %b0 ], [ %v37, %b1 ]
  %v8 = getelementptr i8, ptr %w, i64 %v7
  %v9 = load <8 x float>, ptr %v8, align 4
  %v10 = getelementptr float, ptr %x, i64 %v1
  %v11 = load float, ptr %v10, align 4
  %v12 = insertelement <8 x float> poison, float %v11, i64 0
  %v13 = shufflevector <8 x float> %v12, <8 x float> poison, <8 x i32> zeroinitializer
  %v14 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v13, <8 x float> %v9, <8 x float> %v2)
  %v15 = getelementptr float, ptr %v10, i32 19
  %v16 = load float, ptr %v15, align 4
  %v17 = insertelement <8 x float> poison, float %v16, i64 0
  %v18 = shufflevector <8 x float> %v17, <8 x float> poison, <8 x i32> zeroinitializer
  %v19 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v18, <8 x float> %v9, <8 x float> %v3)
  %v20 = getelementptr float, ptr %v10, i32 38
  %v21 = load float, ptr %v20, align 4
  %v22 = insertelement <8 x float> poison, float %v21, i64 0
  %v23 = shufflevector <8 x float> %v22, <8 x float> poison, <8 x i32> zeroinitializer
  %v24 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v23, <8 x float> %v9, <8 x float> %v4)
  %v25 = getelementptr float, ptr %v10, i32 57
  %v26 = load float, ptr %v25, align 4
  %v27 = insertelement <8 x float> poison, float %v26, i64 0
  %v28 = shufflevector <8 x float> %v27, <8 x float> poison, <8 x i32> zeroinitializer
  %v29 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v28, <8 x float> %v9, <8 x float> %v5)
  %v30 = getelementptr float, ptr %v10, i32 76
  %v31 = load float, ptr %v30, align 4
  %v32 = insertelement <8 x float> poison, float %v31, i64 0
  %v33 = shufflevector <8 x float> %v32, <8 x float> poison, <8 x i32> zeroinitializer
  %v34 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v33, <8 x float> %v9, <8 x float> %v6)
  %v35 = add nsw i64 %v1, 1
  %v36 = icmp slt i64 %v35, 19
  %v37 = add i64 %v7, 32
  br i1 %v36, label %b1, label %b2, !llvm.loop !1
b2:
  %v38 = phi <8 x float> [ %v14, %b1 ]
  %v39 = phi <8 x float> [ %v19, %b1 ]
  %v40 = phi <8 x float> [ %v24, %b1 ]
  %v41 = phi <8 x float> [ %v29, %b1 ]
  %v42 = phi <8 x float> [ %v34, %b1 ]
  %v43 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v44 = fadd <8 x float> %v38, %v43
  %v45 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v44, <8 x float> splat (float 0x0000000000000000))
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v45, ptr %v0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v46 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v47 = fadd <8 x float> %v39, %v46
  %v48 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v47, <8 x float> splat (float 0x0000000000000000))
  %v49 = getelementptr float, ptr %v0, i32 7
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v48, ptr %v49, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v50 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v51 = fadd <8 x float> %v40, %v50
  %v52 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v51, <8 x float> splat (float 0x0000000000000000))
  %v53 = getelementptr float, ptr %v0, i32 14
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v52, ptr %v53, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v54 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v55 = fadd <8 x float> %v41, %v54
  %v56 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v55, <8 x float> splat (float 0x0000000000000000))
  %v57 = getelementptr float, ptr %v0, i32 21
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v56, ptr %v57, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v58 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v59 = fadd <8 x float> %v42, %v58
  %v60 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v59, <8 x float> splat (float 0x0000000000000000))
  %v61 = getelementptr float, ptr %v0, i32 28
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v60, ptr %v61, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  ret void
}

define internal void @segment_0(ptr noundef nonnull dereferenceable(380) %x, ptr align 64 noundef nonnull dereferenceable(608) %w, ptr align 64 noundef nonnull dereferenceable(28) %b, ptr noundef nonnull dereferenceable(140) %relu) nounwind alignstack(32) {
b0:
  call void @linear_relu(ptr %x, ptr %w, ptr %b, ptr %relu)
  ret void
}

define void @segment_0_entry(ptr %table) nounwind alignstack(32) {
b0:
  %v0 = load ptr, ptr %table, align 8
  %v1 = getelementptr ptr, ptr %table, i32 1
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr ptr, ptr %table, i32 2
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr ptr, ptr %table, i32 3
  %v6 = load ptr, ptr %v5, align 8
  call void @segment_0(ptr %v0, ptr %v2, ptr %v4, ptr %v6)
  ret void
}

!0 = !{!"llvm.loop.align", i32 64}
!1 = distinct !{!1, !0}
