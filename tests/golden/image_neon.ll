define internal void @resample(ptr align 64 noalias noundef nonnull dereferenceable(16) %v0, ptr align 64 noalias noundef nonnull dereferenceable(64) %v1, ptr noalias noundef nonnull dereferenceable(144) %x, ptr align 64 noalias noundef nonnull dereferenceable(72) %v2) nounwind {
b0:
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v31, %b5 ]
  br label %b2
b2:
  %v4 = phi i64 [ 0, %b1 ], [ %v29, %b4 ]
  br label %b3
b3:
  %v5 = phi i64 [ 0, %b2 ], [ %v21, %b3 ]
  %v6 = phi <4 x i32> [ splat (i32 2097152), %b2 ], [ %v20, %b3 ]
  %v7 = getelementptr inbounds i32, ptr %v0, i64 %v4
  %v8 = load i32, ptr %v7, align 4
  %v9 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v4, i64 %v5
  %v10 = load i32, ptr %v9, align 4
  %v11 = sext i32 %v8 to i64
  %v12 = add i64 %v11, %v5
  %v13 = add <4 x i64> splat (i64 0), <i64 0, i64 1, i64 2, i64 3>
  %v14 = getelementptr [8 x [3 x i8]], ptr %x, i64 %v3, i64 %v12, i32 0
  %v15 = call <4 x i8> @llvm.masked.load.v4i8.p0(ptr %v14, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x i8> splat (i8 1))
  %v16 = zext <4 x i8> %v15 to <4 x i32>
  %v17 = insertelement <4 x i32> poison, i32 %v10, i64 0
  %v18 = shufflevector <4 x i32> %v17, <4 x i32> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v19 = mul <4 x i32> %v16, %v18
  %v20 = add <4 x i32> %v6, %v19
  %v21 = add nsw i64 %v5, 1
  %v22 = icmp slt i64 %v21, 4
  br i1 %v22, label %b3, label %b4
b4:
  %v23 = phi <4 x i32> [ %v20, %b3 ]
  %v24 = ashr <4 x i32> %v23, splat (i32 22)
  %v25 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v24, <4 x i32> splat (i32 0))
  %v26 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v25, <4 x i32> splat (i32 255))
  %v27 = trunc <4 x i32> %v26 to <4 x i8>
  %v28 = getelementptr [4 x [3 x i8]], ptr %v2, i64 %v3, i64 %v4, i32 0
  call void @llvm.masked.store.v4i8.p0(<4 x i8> %v27, ptr %v28, i32 1, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  %v29 = add nsw i64 %v4, 1
  %v30 = icmp slt i64 %v29, 4
  br i1 %v30, label %b2, label %b5
b5:
  %v31 = add nsw i64 %v3, 1
  %v32 = icmp slt i64 %v31, 6
  br i1 %v32, label %b1, label %b6
b6:
  ret void
}

define internal void @resample_cast_div_more(ptr align 64 noalias noundef nonnull dereferenceable(20) %v0, ptr align 64 noalias noundef nonnull dereferenceable(40) %v1, ptr align 64 noalias noundef nonnull dereferenceable(72) %v2, ptr align 64 noalias noundef nonnull dereferenceable(12) %v3, ptr align 64 noalias noundef nonnull dereferenceable(12) %v4, ptr noalias noundef nonnull dereferenceable(240) %v5) nounwind {
b0:
  br label %b1
b1:
  %v6 = phi i64 [ 0, %b0 ], [ %v49, %b5 ]
  br label %b2
b2:
  %v7 = phi i64 [ 0, %b1 ], [ %v47, %b4 ]
  br label %b3
b3:
  %v8 = phi i64 [ 0, %b2 ], [ %v27, %b3 ]
  %v9 = phi <4 x i32> [ splat (i32 2097152), %b2 ], [ %v26, %b3 ]
  %v10 = getelementptr inbounds i32, ptr %v0, i64 %v6
  %v11 = load i32, ptr %v10, align 4
  %v12 = getelementptr inbounds [2 x i32], ptr %v1, i64 %v6, i64 %v8
  %v13 = load i32, ptr %v12, align 4
  %v14 = sext i32 %v11 to i64
  %v15 = add i64 %v14, %v8
  %v16 = add <4 x i64> splat (i64 0), <i64 0, i64 1, i64 2, i64 3>
  %v17 = trunc <4 x i64> %v16 to <4 x i32>
  %v18 = mul <4 x i32> %v17, splat (i32 3)
  %v19 = getelementptr [4 x [3 x i8]], ptr %v2, i64 %v15, i32 0, i64 %v7
  %v20 = getelementptr i8, ptr %v19, <4 x i32> %v18
  %v21 = call <4 x i8> @llvm.masked.gather.v4i8.v4p0(<4 x ptr> %v20, i32 1, <4 x i1> splat (i1 true), <4 x i8> splat (i8 1))
  %v22 = zext <4 x i8> %v21 to <4 x i32>
  %v23 = insertelement <4 x i32> poison, i32 %v13, i64 0
  %v24 = shufflevector <4 x i32> %v23, <4 x i32> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v25 = mul <4 x i32> %v22, %v24
  %v26 = add <4 x i32> %v9, %v25
  %v27 = add nsw i64 %v8, 1
  %v28 = icmp slt i64 %v27, 2
  br i1 %v28, label %b3, label %b4
b4:
  %v29 = phi <4 x i32> [ %v26, %b3 ]
  %v30 = getelementptr inbounds float, ptr %v3, i64 %v7
  %v31 = load float, ptr %v30, align 4
  %v32 = getelementptr inbounds float, ptr %v4, i64 %v7
  %v33 = load float, ptr %v32, align 4
  %v34 = ashr <4 x i32> %v29, splat (i32 22)
  %v35 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v34, <4 x i32> splat (i32 0))
  %v36 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v35, <4 x i32> splat (i32 255))
  %v37 = trunc <4 x i32> %v36 to <4 x i8>
  %v38 = uitofp <4 x i8> %v37 to <4 x float>
  %v39 = fdiv <4 x float> %v38, splat (float 0x406FE00000000000)
  %v40 = insertelement <4 x float> poison, float %v31, i64 0
  %v41 = shufflevector <4 x float> %v40, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v42 = fsub <4 x float> %v39, %v41
  %v43 = insertelement <4 x float> poison, float %v33, i64 0
  %v44 = shufflevector <4 x float> %v43, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v45 = fdiv <4 x float> %v42, %v44
  %v46 = getelementptr inbounds [5 x [4 x float]], ptr %v5, i64 %v7, i64 %v6, i32 0
  store <4 x float> %v45, ptr %v46, align 4
  %v47 = add nsw i64 %v7, 1
  %v48 = icmp slt i64 %v47, 3
  br i1 %v48, label %b2, label %b5
b5:
  %v49 = add nsw i64 %v6, 1
  %v50 = icmp slt i64 %v49, 5
  br i1 %v50, label %b1, label %b6
b6:
  ret void
}

define internal void @segment_0(ptr align 64 noundef nonnull dereferenceable(16) %v0, ptr align 64 noundef nonnull dereferenceable(64) %v1, ptr noundef nonnull dereferenceable(144) %x, ptr align 64 noundef nonnull dereferenceable(20) %v2, ptr align 64 noundef nonnull dereferenceable(40) %v3, ptr align 64 noundef nonnull dereferenceable(12) %v4, ptr align 64 noundef nonnull dereferenceable(12) %v5, ptr align 64 noundef nonnull dereferenceable(72) %v6, ptr noundef nonnull dereferenceable(240) %t) nounwind {
b0:
  call void @resample(ptr %v0, ptr %v1, ptr %x, ptr %v6)
  call void @resample_cast_div_more(ptr %v2, ptr %v3, ptr %v6, ptr %v4, ptr %v5, ptr %t)
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
  %v7 = getelementptr inbounds ptr, ptr %table, i32 4
  %v8 = load ptr, ptr %v7, align 8
  %v9 = getelementptr inbounds ptr, ptr %table, i32 5
  %v10 = load ptr, ptr %v9, align 8
  %v11 = getelementptr inbounds ptr, ptr %table, i32 6
  %v12 = load ptr, ptr %v11, align 8
  %v13 = getelementptr inbounds ptr, ptr %table, i32 7
  %v14 = load ptr, ptr %v13, align 8
  %v15 = getelementptr inbounds ptr, ptr %table, i32 8
  %v16 = load ptr, ptr %v15, align 8
  call void @segment_0(ptr %v0, ptr %v2, ptr %v4, ptr %v6, ptr %v8, ptr %v10, ptr %v12, ptr %v14, ptr %v16)
  ret void
}
