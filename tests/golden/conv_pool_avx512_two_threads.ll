define internal void @pad(ptr noalias noundef nonnull dereferenceable(2376) %x, ptr align 64 noalias noundef nonnull dereferenceable(3432) %v0) nounwind alignstack(64) {
b0:
  br label %b1
b1:
  %v1 = phi i64 [ 0, %b0 ], [ %v9, %b3 ]
  %v2 = mul i64 %v1, 429
  br label %b2
b2:
  %v3 = phi i64 [ 0, %b1 ], [ %v7, %b2 ]
  %v4 = mul i64 %v3, 143
  %v5 = add i64 %v2, %v4
  %v6 = getelementptr float, ptr %v0, i64 %v5
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr %v6, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>)
  %v7 = add nsw i64 %v3, 1
  %v8 = icmp slt i64 %v7, 3
  br i1 %v8, label %b2, label %b3, !llvm.loop !1
b3:
  %v9 = add nsw i64 %v1, 1
  %v10 = icmp slt i64 %v9, 2
  br i1 %v10, label %b1, label %b4
b4:
  br label %b5
b5:
  %v11 = phi i64 [ 0, %b4 ], [ %v20, %b7 ]
  %v12 = mul i64 %v11, 429
  %v13 = add i64 130, %v12
  br label %b6
b6:
  %v14 = phi i64 [ 0, %b5 ], [ %v18, %b6 ]
  %v15 = mul i64 %v14, 143
  %v16 = add i64 %v13, %v15
  %v17 = getelementptr float, ptr %v0, i64 %v16
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr %v17, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>)
  %v18 = add nsw i64 %v14, 1
  %v19 = icmp slt i64 %v18, 3
  br i1 %v19, label %b6, label %b7, !llvm.loop !2
b7:
  %v20 = add nsw i64 %v11, 1
  %v21 = icmp slt i64 %v20, 2
  br i1 %v21, label %b5, label %b8
b8:
  br label %b9
b9:
  %v22 = phi i64 [ 0, %b8 ], [ %v37, %b13 ]
  %v23 = mul i64 %v22, 429
  br label %b10
b10:
  %v24 = phi i64 [ 0, %b9 ], [ %v35, %b12 ]
  %v25 = mul i64 %v24, 143
  %v26 = add i64 %v23, %v25
  br label %b11
b11:
  %v27 = phi i64 [ 0, %b10 ], [ %v33, %b11 ]
  %v28 = add i64 %v27, 1
  %v29 = mul i64 %v28, 13
  %v30 = add i64 %v26, %v29
  %v31 = extractelement <16 x float> splat (float 0x0000000000000000), i64 0
  %v32 = getelementptr inbounds float, ptr %v0, i64 %v30
  store float %v31, ptr %v32, align 4
  %v33 = add nsw i64 %v27, 1
  %v34 = icmp slt i64 %v33, 9
  br i1 %v34, label %b11, label %b12, !llvm.loop !3
b12:
  %v35 = add nsw i64 %v24, 1
  %v36 = icmp slt i64 %v35, 3
  br i1 %v36, label %b10, label %b13
b13:
  %v37 = add nsw i64 %v22, 1
  %v38 = icmp slt i64 %v37, 2
  br i1 %v38, label %b9, label %b14
b14:
  br label %b15
b15:
  %v39 = phi i64 [ 0, %b14 ], [ %v55, %b19 ]
  %v40 = mul i64 %v39, 429
  %v41 = add i64 12, %v40
  br label %b16
b16:
  %v42 = phi i64 [ 0, %b15 ], [ %v53, %b18 ]
  %v43 = mul i64 %v42, 143
  %v44 = add i64 %v41, %v43
  br label %b17
b17:
  %v45 = phi i64 [ 0, %b16 ], [ %v51, %b17 ]
  %v46 = add i64 %v45, 1
  %v47 = mul i64 %v46, 13
  %v48 = add i64 %v44, %v47
  %v49 = extractelement <16 x float> splat (float 0x0000000000000000), i64 0
  %v50 = getelementptr inbounds float, ptr %v0, i64 %v48
  store float %v49, ptr %v50, align 4
  %v51 = add nsw i64 %v45, 1
  %v52 = icmp slt i64 %v51, 9
  br i1 %v52, label %b17, label %b18, !llvm.loop !4
b18:
  %v53 = add nsw i64 %v42, 1
  %v54 = icmp slt i64 %v53, 3
  br i1 %v54, label %b16, label %b19
b19:
  %v55 = add nsw i64 %v39, 1
  %v56 = icmp slt i64 %v55, 2
  br i1 %v56, label %b15, label %b20
b20:
  br label %b21
b21:
  %v57 = phi i64 [ 0, %b20 ], [ %v65, %b23 ]
  br label %b22
b22:
  %v58 = phi i64 [ 0, %b21 ], [ %v63, %b22 ]
  %v59 = getelementptr [9 x [11 x float]], ptr %x, i64 %v57, i64 %v58, i32 0
  %v60 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v59, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v61 = add i64 %v58, 1
  %v62 = getelementptr [11 x [13 x float]], ptr %v0, i64 %v57, i64 %v61, i32 1
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v60, ptr %v62, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v63 = add nsw i64 %v58, 1
  %v64 = icmp slt i64 %v63, 9
  br i1 %v64, label %b22, label %b23, !llvm.loop !5
b23:
  %v65 = add nsw i64 %v57, 1
  %v66 = icmp slt i64 %v65, 6
  br i1 %v66, label %b21, label %b24
b24:
  ret void
}

define internal void @conv2d_parallel_0(i64 %v0, i64 %v1, ptr align 64 noalias noundef nonnull dereferenceable(1728) %v2, ptr align 64 noalias noundef nonnull dereferenceable(3432) %v3, ptr align 64 noalias noundef nonnull dereferenceable(3168) %v4) nounwind alignstack(64) {
b0:
  br label %b1
b1:
  %v5 = phi i64 [ %v0, %b0 ], [ %v172, %b7 ]
  %v6 = urem i64 %v5, 9
  %v7 = udiv i64 %v5, 9
  br label %b2
b2:
  %v8 = phi i64 [ 0, %b1 ], [ %v148, %b6 ]
  %v9 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v137, %b6 ]
  %v10 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v138, %b6 ]
  %v11 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v139, %b6 ]
  %v12 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v140, %b6 ]
  %v13 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v141, %b6 ]
  %v14 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v142, %b6 ]
  %v15 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v143, %b6 ]
  %v16 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v144, %b6 ]
  %v17 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v145, %b6 ]
  %v18 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v146, %b6 ]
  %v19 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v147, %b6 ]
  br label %b3
b3:
  %v20 = phi i64 [ 0, %b2 ], [ %v135, %b5 ]
  %v21 = phi <16 x float> [ %v9, %b2 ], [ %v124, %b5 ]
  %v22 = phi <16 x float> [ %v10, %b2 ], [ %v125, %b5 ]
  %v23 = phi <16 x float> [ %v11, %b2 ], [ %v126, %b5 ]
  %v24 = phi <16 x float> [ %v12, %b2 ], [ %v127, %b5 ]
  %v25 = phi <16 x float> [ %v13, %b2 ], [ %v128, %b5 ]
  %v26 = phi <16 x float> [ %v14, %b2 ], [ %v129, %b5 ]
  %v27 = phi <16 x float> [ %v15, %b2 ], [ %v130, %b5 ]
  %v28 = phi <16 x float> [ %v16, %b2 ], [ %v131, %b5 ]
  %v29 = phi <16 x float> [ %v17, %b2 ], [ %v132, %b5 ]
  %v30 = phi <16 x float> [ %v18, %b2 ], [ %v133, %b5 ]
  %v31 = phi <16 x float> [ %v19, %b2 ], [ %v134, %b5 ]
  br label %b4
b4:
  %v32 = phi i64 [ 0, %b3 ], [ %v122, %b4 ]
  %v33 = phi <16 x float> [ %v21, %b3 ], [ %v51, %b4 ]
  %v34 = phi <16 x float> [ %v22, %b3 ], [ %v58, %b4 ]
  %v35 = phi <16 x float> [ %v23, %b3 ], [ %v65, %b4 ]
  %v36 = phi <16 x float> [ %v24, %b3 ], [ %v72, %b4 ]
  %v37 = phi <16 x float> [ %v25, %b3 ], [ %v79, %b4 ]
  %v38 = phi <16 x float> [ %v26, %b3 ], [ %v86, %b4 ]
  %v39 = phi <16 x float> [ %v27, %b3 ], [ %v93, %b4 ]
  %v40 = phi <16 x float> [ %v28, %b3 ], [ %v100, %b4 ]
  %v41 = phi <16 x float> [ %v29, %b3 ], [ %v107, %b4 ]
  %v42 = phi <16 x float> [ %v30, %b3 ], [ %v114, %b4 ]
  %v43 = phi <16 x float> [ %v31, %b3 ], [ %v121, %b4 ]
  %v44 = getelementptr inbounds [3 x [3 x [3 x [16 x float]]]], ptr %v2, i32 0, i64 %v8, i64 %v20, i64 %v32, i32 0
  %v45 = load <16 x float>, ptr %v44, align 4
  %v46 = add i64 %v6, %v8
  %v47 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v46, i64 %v20
  %v48 = load float, ptr %v47, align 4
  %v49 = insertelement <16 x float> poison, float %v48, i64 0
  %v50 = shufflevector <16 x float> %v49, <16 x float> poison, <16 x i32> zeroinitializer
  %v51 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v50, <16 x float> %v45, <16 x float> %v33)
  %v52 = add i64 %v6, %v8
  %v53 = add i64 1, %v20
  %v54 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v52, i64 %v53
  %v55 = load float, ptr %v54, align 4
  %v56 = insertelement <16 x float> poison, float %v55, i64 0
  %v57 = shufflevector <16 x float> %v56, <16 x float> poison, <16 x i32> zeroinitializer
  %v58 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v57, <16 x float> %v45, <16 x float> %v34)
  %v59 = add i64 %v6, %v8
  %v60 = add i64 2, %v20
  %v61 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v59, i64 %v60
  %v62 = load float, ptr %v61, align 4
  %v63 = insertelement <16 x float> poison, float %v62, i64 0
  %v64 = shufflevector <16 x float> %v63, <16 x float> poison, <16 x i32> zeroinitializer
  %v65 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v64, <16 x float> %v45, <16 x float> %v35)
  %v66 = add i64 %v6, %v8
  %v67 = add i64 3, %v20
  %v68 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v66, i64 %v67
  %v69 = load float, ptr %v68, align 4
  %v70 = insertelement <16 x float> poison, float %v69, i64 0
  %v71 = shufflevector <16 x float> %v70, <16 x float> poison, <16 x i32> zeroinitializer
  %v72 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v71, <16 x float> %v45, <16 x float> %v36)
  %v73 = add i64 %v6, %v8
  %v74 = add i64 4, %v20
  %v75 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v73, i64 %v74
  %v76 = load float, ptr %v75, align 4
  %v77 = insertelement <16 x float> poison, float %v76, i64 0
  %v78 = shufflevector <16 x float> %v77, <16 x float> poison, <16 x i32> zeroinitializer
  %v79 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v78, <16 x float> %v45, <16 x float> %v37)
  %v80 = add i64 %v6, %v8
  %v81 = add i64 5, %v20
  %v82 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v80, i64 %v81
  %v83 = load float, ptr %v82, align 4
  %v84 = insertelement <16 x float> poison, float %v83, i64 0
  %v85 = shufflevector <16 x float> %v84, <16 x float> poison, <16 x i32> zeroinitializer
  %v86 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v85, <16 x float> %v45, <16 x float> %v38)
  %v87 = add i64 %v6, %v8
  %v88 = add i64 6, %v20
  %v89 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v87, i64 %v88
  %v90 = load float, ptr %v89, align 4
  %v91 = insertelement <16 x float> poison, float %v90, i64 0
  %v92 = shufflevector <16 x float> %v91, <16 x float> poison, <16 x i32> zeroinitializer
  %v93 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v92, <16 x float> %v45, <16 x float> %v39)
  %v94 = add i64 %v6, %v8
  %v95 = add i64 7, %v20
  %v96 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v94, i64 %v95
  %v97 = load float, ptr %v96, align 4
  %v98 = insertelement <16 x float> poison, float %v97, i64 0
  %v99 = shufflevector <16 x float> %v98, <16 x float> poison, <16 x i32> zeroinitializer
  %v100 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v99, <16 x float> %v45, <16 x float> %v40)
  %v101 = add i64 %v6, %v8
  %v102 = add i64 8, %v20
  %v103 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v101, i64 %v102
  %v104 = load float, ptr %v103, align 4
  %v105 = insertelement <16 x float> poison, float %v104, i64 0
  %v106 = shufflevector <16 x float> %v105, <16 x float> poison, <16 x i32> zeroinitializer
  %v107 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v106, <16 x float> %v45, <16 x float> %v41)
  %v108 = add i64 %v6, %v8
  %v109 = add i64 9, %v20
  %v110 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v108, i64 %v109
  %v111 = load float, ptr %v110, align 4
  %v112 = insertelement <16 x float> poison, float %v111, i64 0
  %v113 = shufflevector <16 x float> %v112, <16 x float> poison, <16 x i32> zeroinitializer
  %v114 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v113, <16 x float> %v45, <16 x float> %v42)
  %v115 = add i64 %v6, %v8
  %v116 = add i64 10, %v20
  %v117 = getelementptr inbounds [3 x [11 x [13 x float]]], ptr %v3, i64 %v7, i64 %v32, i64 %v115, i64 %v116
  %v118 = load float, ptr %v117, align 4
  %v119 = insertelement <16 x float> poison, float %v118, i64 0
  %v120 = shufflevector <16 x float> %v119, <16 x float> poison, <16 x i32> zeroinitializer
  %v121 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v120, <16 x float> %v45, <16 x float> %v43)
  %v122 = add nsw i64 %v32, 1
  %v123 = icmp slt i64 %v122, 3
  br i1 %v123, label %b4, label %b5, !llvm.loop !6
b5:
  %v124 = phi <16 x float> [ %v51, %b4 ]
  %v125 = phi <16 x float> [ %v58, %b4 ]
  %v126 = phi <16 x float> [ %v65, %b4 ]
  %v127 = phi <16 x float> [ %v72, %b4 ]
  %v128 = phi <16 x float> [ %v79, %b4 ]
  %v129 = phi <16 x float> [ %v86, %b4 ]
  %v130 = phi <16 x float> [ %v93, %b4 ]
  %v131 = phi <16 x float> [ %v100, %b4 ]
  %v132 = phi <16 x float> [ %v107, %b4 ]
  %v133 = phi <16 x float> [ %v114, %b4 ]
  %v134 = phi <16 x float> [ %v121, %b4 ]
  %v135 = add nsw i64 %v20, 1
  %v136 = icmp slt i64 %v135, 3
  br i1 %v136, label %b3, label %b6
b6:
  %v137 = phi <16 x float> [ %v124, %b5 ]
  %v138 = phi <16 x float> [ %v125, %b5 ]
  %v139 = phi <16 x float> [ %v126, %b5 ]
  %v140 = phi <16 x float> [ %v127, %b5 ]
  %v141 = phi <16 x float> [ %v128, %b5 ]
  %v142 = phi <16 x float> [ %v129, %b5 ]
  %v143 = phi <16 x float> [ %v130, %b5 ]
  %v144 = phi <16 x float> [ %v131, %b5 ]
  %v145 = phi <16 x float> [ %v132, %b5 ]
  %v146 = phi <16 x float> [ %v133, %b5 ]
  %v147 = phi <16 x float> [ %v134, %b5 ]
  %v148 = add nsw i64 %v8, 1
  %v149 = icmp slt i64 %v148, 3
  br i1 %v149, label %b2, label %b7
b7:
  %v150 = phi <16 x float> [ %v137, %b6 ]
  %v151 = phi <16 x float> [ %v138, %b6 ]
  %v152 = phi <16 x float> [ %v139, %b6 ]
  %v153 = phi <16 x float> [ %v140, %b6 ]
  %v154 = phi <16 x float> [ %v141, %b6 ]
  %v155 = phi <16 x float> [ %v142, %b6 ]
  %v156 = phi <16 x float> [ %v143, %b6 ]
  %v157 = phi <16 x float> [ %v144, %b6 ]
  %v158 = phi <16 x float> [ %v145, %b6 ]
  %v159 = phi <16 x float> [ %v146, %b6 ]
  %v160 = phi <16 x float> [ %v147, %b6 ]
  %v161 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 0, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v150, ptr %v161, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v162 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 1, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v151, ptr %v162, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v163 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 2, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v152, ptr %v163, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v164 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 3, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v153, ptr %v164, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v165 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 4, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v154, ptr %v165, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v166 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 5, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v155, ptr %v166, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v167 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 6, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v156, ptr %v167, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v168 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 7, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v157, ptr %v168, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v169 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 8, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v158, ptr %v169, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v170 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 9, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v159, ptr %v170, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v171 = getelementptr [9 x [11 x [4 x float]]], ptr %v4, i64 %v7, i64 %v6, i32 10, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v160, ptr %v171, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v172 = add nsw i64 %v5, 1
  %v173 = icmp slt i64 %v172, %v1
  br i1 %v173, label %b1, label %b8
b8:
  ret void
}

define internal void @conv2d_parallel_0_chunk(ptr %v0, i64 %v1) nounwind alignstack(64) {
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

define internal void @conv2d(ptr align 64 noalias noundef nonnull dereferenceable(3432) %v0, ptr align 64 noalias noundef nonnull dereferenceable(1728) %v1, ptr align 64 noalias noundef nonnull dereferenceable(3168) %v2) nounwind alignstack(64) {
b0:
  %v3 = alloca { ptr, ptr, ptr }, i64 1, align 64
  store ptr %v1, ptr %v3, align 8
  %v4 = getelementptr inbounds { ptr, ptr, ptr }, ptr %v3, i32 0, i32 1
  store ptr %v0, ptr %v4, align 8
  %v5 = getelementptr inbounds { ptr, ptr, ptr }, ptr %v3, i32 0, i32 2
  store ptr %v2, ptr %v5, align 8
  call void @devproc_parallel_for(ptr @conv2d_parallel_0_chunk, ptr %v3, i64 5)
  ret void
}

define internal void @max_pool2d(ptr align 64 noalias noundef nonnull dereferenceable(3168) %conv, ptr align 64 noalias noundef nonnull dereferenceable(640) %v0) nounwind alignstack(64) {
b0:
  %v1 = insertelement <16 x float> poison, float 0xFFF0000000000000, i64 0
  %v2 = shufflevector <16 x float> %v1, <16 x float> poison, <16 x i32> zeroinitializer
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v28, %b9 ]
  br label %b2
b2:
  %v4 = phi i64 [ 0, %b1 ], [ %v26, %b8 ]
  br label %b3
b3:
  %v5 = phi i64 [ 0, %b2 ], [ %v24, %b7 ]
  br label %b4
b4:
  %v6 = phi i64 [ 0, %b3 ], [ %v20, %b6 ]
  %v7 = phi <16 x float> [ %v2, %b3 ], [ %v19, %b6 ]
  br label %b5
b5:
  %v8 = phi i64 [ 0, %b4 ], [ %v17, %b5 ]
  %v9 = phi <16 x float> [ %v7, %b4 ], [ %v16, %b5 ]
  %v10 = mul i64 %v4, 2
  %v11 = add i64 %v10, %v6
  %v12 = mul i64 %v5, 2
  %v13 = add i64 %v12, %v8
  %v14 = getelementptr [9 x [11 x [4 x float]]], ptr %conv, i64 %v3, i64 %v11, i64 %v13, i32 0
  %v15 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v14, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v16 = call nsz <16 x float> @llvm.maximum.v16f32(<16 x float> %v15, <16 x float> %v9)
  %v17 = add nsw i64 %v8, 1
  %v18 = icmp slt i64 %v17, 2
  br i1 %v18, label %b5, label %b6, !llvm.loop !7
b6:
  %v19 = phi <16 x float> [ %v16, %b5 ]
  %v20 = add nsw i64 %v6, 1
  %v21 = icmp slt i64 %v20, 2
  br i1 %v21, label %b4, label %b7
b7:
  %v22 = phi <16 x float> [ %v19, %b6 ]
  %v23 = getelementptr [4 x [5 x [4 x float]]], ptr %v0, i64 %v3, i64 %v4, i64 %v5, i32 0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v22, ptr %v23, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v24 = add nsw i64 %v5, 1
  %v25 = icmp slt i64 %v24, 5
  br i1 %v25, label %b3, label %b8
b8:
  %v26 = add nsw i64 %v4, 1
  %v27 = icmp slt i64 %v26, 4
  br i1 %v27, label %b2, label %b9
b9:
  %v28 = add nsw i64 %v3, 1
  %v29 = icmp slt i64 %v28, 2
  br i1 %v29, label %b1, label %b10
b10:
  ret void
}

define internal void @transpose(ptr align 64 noalias noundef nonnull dereferenceable(640) %pool, ptr noalias noundef nonnull dereferenceable(640) %v0) nounwind alignstack(64) {
b0:
  br label %b1
b1:
  %v1 = phi i64 [ 0, %b0 ], [ %v24, %b3 ]
  br label %b2
b2:
  %v2 = phi i64 [ 0, %b1 ], [ %v22, %b2 ]
  %v3 = getelementptr inbounds [20 x [4 x float]], ptr %pool, i64 %v1, i32 0, i64 %v2
  %v4 = load <16 x float>, ptr %v3, align 4
  %v5 = add i64 %v2, 16
  %v6 = getelementptr inbounds [20 x [4 x float]], ptr %pool, i64 %v1, i32 0, i64 %v5
  %v7 = load <16 x float>, ptr %v6, align 4
  %v8 = add i64 %v2, 32
  %v9 = getelementptr inbounds [20 x [4 x float]], ptr %pool, i64 %v1, i32 0, i64 %v8
  %v10 = load <16 x float>, ptr %v9, align 4
  %v11 = add i64 %v2, 45
  %v12 = getelementptr inbounds [20 x [4 x float]], ptr %pool, i64 %v1, i32 0, i64 %v11
  %v13 = load <16 x float>, ptr %v12, align 4
  %v14 = shufflevector <16 x float> %v4, <16 x float> %v7, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v15 = shufflevector <16 x float> %v14, <16 x float> %v10, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 20, i32 24, i32 28, i32 12, i32 13, i32 14, i32 15>
  %v16 = shufflevector <16 x float> %v15, <16 x float> %v13, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 19, i32 23, i32 27, i32 31>
  %v17 = getelementptr [20 x [4 x float]], ptr %pool, i64 %v1, i32 16, i64 %v2
  %v18 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v17, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v19 = shufflevector <16 x float> %v18, <16 x float> %v18, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v20 = getelementptr inbounds [4 x [20 x float]], ptr %v0, i64 %v1, i64 %v2, i32 0
  store <16 x float> %v16, ptr %v20, align 4
  %v21 = getelementptr [4 x [20 x float]], ptr %v0, i64 %v1, i64 %v2, i32 16
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v19, ptr %v21, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v22 = add nsw i64 %v2, 1
  %v23 = icmp slt i64 %v22, 4
  br i1 %v23, label %b2, label %b3, !llvm.loop !8
b3:
  %v24 = add nsw i64 %v1, 1
  %v25 = icmp slt i64 %v24, 2
  br i1 %v25, label %b1, label %b4
b4:
  ret void
}

define internal void @segment_0(ptr noundef nonnull dereferenceable(2376) %x, ptr align 64 noundef nonnull dereferenceable(1728) %v0, ptr align 64 noundef nonnull dereferenceable(3432) %v1, ptr align 64 noundef nonnull dereferenceable(3168) %conv, ptr align 64 noundef nonnull dereferenceable(640) %pool, ptr noundef nonnull dereferenceable(640) %v2) nounwind alignstack(64) {
b0:
  call void @pad(ptr %x, ptr %v1)
  call void @conv2d(ptr %v1, ptr %v0, ptr %conv)
  call void @max_pool2d(ptr %conv, ptr %pool)
  call void @transpose(ptr %pool, ptr %v2)
  ret void
}

define void @segment_0_entry(ptr %table) nounwind alignstack(64) {
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
  call void @segment_0(ptr %v0, ptr %v2, ptr %v4, ptr %v6, ptr %v8, ptr %v10)
  ret void
}

declare void @devproc_parallel_for(ptr, ptr, i64)

!0 = !{!"llvm.loop.align", i32 64}
!1 = distinct !{!1, !0}
!2 = distinct !{!2, !0}
!3 = distinct !{!3, !0}
!4 = distinct !{!4, !0}
!5 = distinct !{!5, !0}
!6 = distinct !{!6, !0, !{!"llvm.loop.unroll.count", i32 4}}
!7 = distinct !{!7, !0}
!8 = distinct !{!8, !0}
