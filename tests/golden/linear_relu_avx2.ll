define internal void @linear_relu(ptr noalias noundef nonnull dereferenceable(380) %x, ptr align 64 noalias noundef nonnull dereferenceable(608) %w, ptr align 64 noalias noundef nonnull dereferenceable(28) %b, ptr noalias noundef nonnull dereferenceable(140) %v0) nounwind alignstack(32) {
b0:
  br label %b1
b1:
  %v1 = phi i64 [ 0, %b0 ], [ %v34, %b1 ]
  %v2 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v13, %b1 ]
  %v3 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v18, %b1 ]
  %v4 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v23, %b1 ]
  %v5 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v28, %b1 ]
  %v6 = phi <8 x float> [ splat (float 0x0000000000000000), %b0 ], [ %v33, %b1 ]
  %v7 = getelementptr inbounds [19 x [8 x float]], ptr %w, i32 0, i64 %v1, i32 0
  %v8 = load <8 x float>, ptr %v7, align 4
  %v9 = getelementptr inbounds [19 x float], ptr %x, i32 0, i64 %v1
  %v10 = load float, ptr %v9, align 4
  %v11 = insertelement <8 x float> poison, float %v10, i64 0
  %v12 = shufflevector <8 x float> %v11, <8 x float> poison, <8 x i32> zeroinitializer
  %v13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v12, <8 x float> %v8, <8 x float> %v2)
  %v14 = getelementptr inbounds [19 x float], ptr %x, i32 1, i64 %v1
  %v15 = load float, ptr %v14, align 4
  %v16 = insertelement <8 x float> poison, float %v15, i64 0
  %v17 = shufflevector <8 x float> %v16, <8 x float> poison, <8 x i32> zeroinitializer
  %v18 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v17, <8 x float> %v8, <8 x float> %v3)
  %v19 = getelementptr inbounds [19 x float], ptr %x, i32 2, i64 %v1
  %v20 = load float, ptr %v19, align 4
  %v21 = insertelement <8 x float> poison, float %v20, i64 0
  %v22 = shufflevector <8 x float> %v21, <8 x float> poison, <8 x i32> zeroinitializer
  %v23 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v22, <8 x float> %v8, <8 x float> %v4)
  %v24 = getelementptr inbounds [19 x float], ptr %x, i32 3, i64 %v1
  %v25 = load float, ptr %v24, align 4
  %v26 = insertelement <8 x float> poison, float %v25, i64 0
  %v27 = shufflevector <8 x float> %v26, <8 x float> poison, <8 x i32> zeroinitializer
  %v28 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v27, <8 x float> %v8, <8 x float> %v5)
  %v29 = getelementptr inbounds [19 x float], ptr %x, i32 4, i64 %v1
  %v30 = load float, ptr %v29, align 4
  %v31 = insertelement <8 x float> poison, float %v30, i64 0
  %v32 = shufflevector <8 x float> %v31, <8 x float> poison, <8 x i32> zeroinitializer
  %v33 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v32, <8 x float> %v8, <8 x float> %v6)
  %v34 = add nsw i64 %v1, 1
  %v35 = icmp slt i64 %v34, 19
  br i1 %v35, label %b1, label %b2, !llvm.loop !1
b2:
  %v36 = phi <8 x float> [ %v13, %b1 ]
  %v37 = phi <8 x float> [ %v18, %b1 ]
  %v38 = phi <8 x float> [ %v23, %b1 ]
  %v39 = phi <8 x float> [ %v28, %b1 ]
  %v40 = phi <8 x float> [ %v33, %b1 ]
  %v41 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v42 = fadd <8 x float> %v36, %v41
  %v43 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v42, <8 x float> splat (float 0x0000000000000000))
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v43, ptr %v0, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v44 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v45 = fadd <8 x float> %v37, %v44
  %v46 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v45, <8 x float> splat (float 0x0000000000000000))
  %v47 = getelementptr [7 x float], ptr %v0, i32 1, i32 0
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v46, ptr %v47, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v48 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v49 = fadd <8 x float> %v38, %v48
  %v50 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v49, <8 x float> splat (float 0x0000000000000000))
  %v51 = getelementptr [7 x float], ptr %v0, i32 2, i32 0
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v50, ptr %v51, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v52 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v53 = fadd <8 x float> %v39, %v52
  %v54 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v53, <8 x float> splat (float 0x0000000000000000))
  %v55 = getelementptr [7 x float], ptr %v0, i32 3, i32 0
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v54, ptr %v55, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %v56 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %b, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v57 = fadd <8 x float> %v40, %v56
  %v58 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v57, <8 x float> splat (float 0x0000000000000000))
  %v59 = getelementptr [7 x float], ptr %v0, i32 4, i32 0
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v58, ptr %v59, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
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
  %v1 = getelementptr inbounds ptr, ptr %table, i32 1
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr inbounds ptr, ptr %table, i32 2
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr inbounds ptr, ptr %table, i32 3
  %v6 = load ptr, ptr %v5, align 8
  call void @segment_0(ptr %v0, ptr %v2, ptr %v4, ptr %v6)
  ret void
}

!0 = !{!"llvm.loop.align", i32 64}
!1 = distinct !{!1, !0}
