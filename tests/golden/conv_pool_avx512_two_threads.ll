define internal void @conv2d_parallel_0(i64 %v0, i64 %v1, ptr %v2, ptr align 64 noalias noundef nonnull dereferenceable(432) %v3, ptr align 64 noalias noundef nonnull dereferenceable(3168) %v4) nounwind {
b0:
  br label %b1
b1:
  %v5 = phi i64 [ %v0, %b0 ], [ %v68, %b7 ]
  %v6 = urem i64 %v5, 9
  %v7 = udiv i64 %v5, 9
  br label %b2
b2:
  %v8 = phi i64 [ 0, %b1 ], [ %v58, %b6 ]
  %v9 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v54, %b6 ]
  %v10 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v55, %b6 ]
  %v11 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v56, %b6 ]
  %v12 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v57, %b6 ]
  br label %b3
b3:
  %v13 = phi i64 [ 0, %b2 ], [ %v52, %b5 ]
  %v14 = phi <16 x float> [ %v9, %b2 ], [ %v48, %b5 ]
  %v15 = phi <16 x float> [ %v10, %b2 ], [ %v49, %b5 ]
  %v16 = phi <16 x float> [ %v11, %b2 ], [ %v50, %b5 ]
  %v17 = phi <16 x float> [ %v12, %b2 ], [ %v51, %b5 ]
  br label %b4
b4:
  %v18 = phi i64 [ 0, %b3 ], [ %v46, %b4 ]
  %v19 = phi <16 x float> [ %v14, %b3 ], [ %v30, %b4 ]
  %v20 = phi <16 x float> [ %v15, %b3 ], [ %v35, %b4 ]
  %v21 = phi <16 x float> [ %v16, %b3 ], [ %v40, %b4 ]
  %v22 = phi <16 x float> [ %v17, %b3 ], [ %v45, %b4 ]
  %v23 = add i64 %v6, %v13
  %v24 = getelementptr [3 x [11 x [13 x float]]], ptr %v2, i64 %v7, i64 %v8, i64 %v23, i64 %v18
  %v25 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v24, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v26 = getelementptr inbounds [3 x [3 x [3 x [16 x float]]]], ptr %v3, i32 0, i64 %v8, i64 %v13, i64 %v18, i32 0
  %v27 = load float, ptr %v26, align 4
  %v28 = insertelement <16 x float> poison, float %v27, i64 0
  %v29 = shufflevector <16 x float> %v28, <16 x float> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v30 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v29, <16 x float> %v25, <16 x float> %v19)
  %v31 = getelementptr inbounds [3 x [3 x [3 x [16 x float]]]], ptr %v3, i32 0, i64 %v8, i64 %v13, i64 %v18, i32 1
  %v32 = load float, ptr %v31, align 4
  %v33 = insertelement <16 x float> poison, float %v32, i64 0
  %v34 = shufflevector <16 x float> %v33, <16 x float> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v35 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v34, <16 x float> %v25, <16 x float> %v20)
  %v36 = getelementptr inbounds [3 x [3 x [3 x [16 x float]]]], ptr %v3, i32 0, i64 %v8, i64 %v13, i64 %v18, i32 2
  %v37 = load float, ptr %v36, align 4
  %v38 = insertelement <16 x float> poison, float %v37, i64 0
  %v39 = shufflevector <16 x float> %v38, <16 x float> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v40 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v39, <16 x float> %v25, <16 x float> %v21)
  %v41 = getelementptr inbounds [3 x [3 x [3 x [16 x float]]]], ptr %v3, i32 0, i64 %v8, i64 %v13, i64 %v18, i32 3
  %v42 = load float, ptr %v41, align 4
  %v43 = insertelement <16 x float> poison, float %v42, i64 0
  %v44 = shufflevector <16 x float> %v43, <16 x float> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v45 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v44, <16 x float> %v25, <16 x float> %v22)
  %v46 = add nsw i64 %v18, 1
  %v47 = icmp slt i64 %v46, 3
  br i1 %v47, label %b4, label %b5
b5:
  %v48 = phi <16 x float> [ %v30, %b4 ]
  %v49 = phi <16 x float> [ %v35, %b4 ]
  %v50 = phi <16 x float> [ %v40, %b4 ]
  %v51 = phi <16 x float> [ %v45, %b4 ]
  %v52 = add nsw i64 %v13, 1
  %v53 = icmp slt i64 %v52, 3
  br i1 %v53, label %b3, label %b6
b6:
  %v54 = phi <16 x float> [ %v48, %b5 ]
  %v55 = phi <16 x float> [ %v49, %b5 ]
  %v56 = phi <16 x float> [ %v50, %b5 ]
  %v57 = phi <16 x float> [ %v51, %b5 ]
  %v58 = add nsw i64 %v8, 1
  %v59 = icmp slt i64 %v58, 3
  br i1 %v59, label %b2, label %b7
b7:
  %v60 = phi <16 x float> [ %v54, %b6 ]
  %v61 = phi <16 x float> [ %v55, %b6 ]
  %v62 = phi <16 x float> [ %v56, %b6 ]
  %v63 = phi <16 x float> [ %v57, %b6 ]
  %v64 = getelementptr [4 x [9 x [11 x float]]], ptr %v4, i64 %v7, i32 0, i64 %v6, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v60, ptr %v64, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v65 = getelementptr [4 x [9 x [11 x float]]], ptr %v4, i64 %v7, i32 1, i64 %v6, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v61, ptr %v65, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v66 = getelementptr [4 x [9 x [11 x float]]], ptr %v4, i64 %v7, i32 2, i64 %v6, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v62, ptr %v66, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v67 = getelementptr [4 x [9 x [11 x float]]], ptr %v4, i64 %v7, i32 3, i64 %v6, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v63, ptr %v67, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v68 = add nsw i64 %v5, 1
  %v69 = icmp slt i64 %v68, %v1
  br i1 %v69, label %b1, label %b8
b8:
  ret void
}

define internal void @conv2d_parallel_0_chunk(ptr %v0, i64 %v1) nounwind {
b0:
  %v2 = load ptr, ptr %v0, align 8
  %v3 = getelementptr inbounds { ptr, ptr, ptr }, ptr %v0, i32 0, i32 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr inbounds { ptr, ptr, ptr }, ptr %v0, i32 0, i32 2
  %v6 = load ptr, ptr %v5, align 8
  %v7 = mul nsw i64 %v1, 4
  %v8 = add nsw i64 %v7, 4
  %v9 = call i64 @llvm.smin.i64(i64 %v8, i64 18)
  call void @conv2d_parallel_0(i64 %v7, i64 %v9, ptr %v2, ptr %v4, ptr %v6)
  ret void
}

define internal void @conv2d(ptr noalias noundef nonnull dereferenceable(2376) %x, ptr align 64 noalias noundef nonnull dereferenceable(432) %w, ptr align 64 noalias noundef nonnull dereferenceable(3168) %v0) nounwind {
b0:
  %v1 = alloca { ptr, ptr, ptr }, i64 1, align 64
  %v2 = alloca float, i64 858, align 64
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v11, %b1 ]
  %v4 = add i64 %v3, 16
  %v5 = add i64 %v3, 32
  %v6 = add i64 %v3, 48
  %v7 = getelementptr inbounds float, ptr %v2, i64 %v3
  store <16 x float> splat (float 0x0000000000000000), ptr %v7, align 4
  %v8 = getelementptr inbounds float, ptr %v2, i64 %v4
  store <16 x float> splat (float 0x0000000000000000), ptr %v8, align 4
  %v9 = getelementptr inbounds float, ptr %v2, i64 %v5
  store <16 x float> splat (float 0x0000000000000000), ptr %v9, align 4
  %v10 = getelementptr inbounds float, ptr %v2, i64 %v6
  store <16 x float> splat (float 0x0000000000000000), ptr %v10, align 4
  %v11 = add nsw i64 %v3, 64
  %v12 = icmp slt i64 %v11, 832
  br i1 %v12, label %b1, label %b2
b2:
  %v13 = getelementptr inbounds float, ptr %v2, i32 832
  store <16 x float> splat (float 0x0000000000000000), ptr %v13, align 4
  %v14 = getelementptr float, ptr %v2, i32 848
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr %v14, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  br label %b3
b3:
  %v15 = phi i64 [ 0, %b2 ], [ %v23, %b5 ]
  br label %b4
b4:
  %v16 = phi i64 [ 0, %b3 ], [ %v21, %b4 ]
  %v17 = getelementptr [9 x [11 x float]], ptr %x, i64 %v15, i64 %v16, i32 0
  %v18 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v17, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v19 = add i64 %v16, 1
  %v20 = getelementptr [11 x [13 x float]], ptr %v2, i64 %v15, i64 %v19, i32 1
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v18, ptr %v20, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v21 = add nsw i64 %v16, 1
  %v22 = icmp slt i64 %v21, 9
  br i1 %v22, label %b4, label %b5
b5:
  %v23 = add nsw i64 %v15, 1
  %v24 = icmp slt i64 %v23, 6
  br i1 %v24, label %b3, label %b6
b6:
  store ptr %v2, ptr %v1, align 8
  %v25 = getelementptr inbounds { ptr, ptr, ptr }, ptr %v1, i32 0, i32 1
  store ptr %w, ptr %v25, align 8
  %v26 = getelementptr inbounds { ptr, ptr, ptr }, ptr %v1, i32 0, i32 2
  store ptr %v0, ptr %v26, align 8
  call void @devproc_parallel_for(ptr @conv2d_parallel_0_chunk, ptr %v1, i64 5)
  ret void
}

define internal void @max_pool2d(ptr align 64 noalias noundef nonnull dereferenceable(3168) %conv, ptr noalias noundef nonnull dereferenceable(640) %v0) nounwind {
b0:
  %v1 = insertelement <16 x float> poison, float 0xFFF0000000000000, i64 0
  %v2 = shufflevector <16 x float> %v1, <16 x float> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v24, %b7 ]
  br label %b2
b2:
  %v4 = phi i64 [ 0, %b1 ], [ %v22, %b6 ]
  br label %b3
b3:
  %v5 = phi i64 [ 0, %b2 ], [ %v18, %b5 ]
  %v6 = phi <16 x float> [ %v2, %b2 ], [ %v17, %b5 ]
  br label %b4
b4:
  %v7 = phi i64 [ 0, %b3 ], [ %v15, %b4 ]
  %v8 = phi <16 x float> [ %v6, %b3 ], [ %v14, %b4 ]
  %v9 = mul i64 %v4, 2
  %v10 = add i64 %v9, %v5
  %v11 = getelementptr [9 x [11 x float]], ptr %conv, i64 %v3, i64 %v10, i64 %v7
  %v12 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v11, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v13 = shufflevector <16 x float> %v12, <16 x float> %v12, <16 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30>
  %v14 = call <16 x float> @llvm.maximum.v16f32(<16 x float> %v13, <16 x float> %v8)
  %v15 = add nsw i64 %v7, 1
  %v16 = icmp slt i64 %v15, 2
  br i1 %v16, label %b4, label %b5
b5:
  %v17 = phi <16 x float> [ %v14, %b4 ]
  %v18 = add nsw i64 %v5, 1
  %v19 = icmp slt i64 %v18, 2
  br i1 %v19, label %b3, label %b6
b6:
  %v20 = phi <16 x float> [ %v17, %b5 ]
  %v21 = getelementptr [4 x [5 x float]], ptr %v0, i64 %v3, i64 %v4, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v20, ptr %v21, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v22 = add nsw i64 %v4, 1
  %v23 = icmp slt i64 %v22, 4
  br i1 %v23, label %b2, label %b7
b7:
  %v24 = add nsw i64 %v3, 1
  %v25 = icmp slt i64 %v24, 8
  br i1 %v25, label %b1, label %b8
b8:
  ret void
}

define internal void @segment_0(ptr noundef nonnull dereferenceable(2376) %x, ptr align 64 noundef nonnull dereferenceable(432) %w, ptr align 64 noundef nonnull dereferenceable(3168) %conv, ptr noundef nonnull dereferenceable(640) %pool) nounwind {
b0:
  call void @conv2d(ptr %x, ptr %w, ptr %conv)
  call void @max_pool2d(ptr %conv, ptr %pool)
  ret void
}

define void @segment_0_entry(ptr %table) nounwind {
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

declare void @devproc_parallel_for(ptr, ptr, i64)
