define internal void @pad(ptr noalias noundef nonnull dereferenceable(2376) %x, ptr align 64 noalias noundef nonnull dereferenceable(3432) %v0) nounwind alignstack(64) {
b0:
  br label %b1
b1:
  %v1 = phi i64 [ 0, %b0 ], [ %v9, %b3 ]
  %v2 = getelementptr [429 x float], ptr %v0, i64 %v1
  br label %b2
b2:
  %v3 = phi i64 [ 0, %b1 ], [ %v6, %b2 ]
  %v4 = phi i64 [ 0, %b1 ], [ %v8, %b2 ]
  %v5 = getelementptr i8, ptr %v2, i64 %v4
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr %v5, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>)
  %v6 = add nsw i64 %v3, 1
  %v7 = icmp slt i64 %v6, 3
  %v8 = add i64 %v4, 572
  br i1 %v7, label %b2, label %b3, !llvm.loop !1
b3:
  %v9 = add nsw i64 %v1, 1
  %v10 = icmp slt i64 %v9, 2
  br i1 %v10, label %b1, label %b4
b4:
  br label %b5
b5:
  %v11 = phi i64 [ 0, %b4 ], [ %v20, %b7 ]
  %v12 = getelementptr [429 x float], ptr %v0, i64 %v11
  br label %b6
b6:
  %v13 = phi i64 [ 0, %b5 ], [ %v17, %b6 ]
  %v14 = phi i64 [ 0, %b5 ], [ %v19, %b6 ]
  %v15 = getelementptr i8, ptr %v12, i64 %v14
  %v16 = getelementptr float, ptr %v15, i32 130
  call void @llvm.masked.store.v16f32.p0(<16 x float> splat (float 0x0000000000000000), ptr %v16, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>)
  %v17 = add nsw i64 %v13, 1
  %v18 = icmp slt i64 %v17, 3
  %v19 = add i64 %v14, 572
  br i1 %v18, label %b6, label %b7, !llvm.loop !2
b7:
  %v20 = add nsw i64 %v11, 1
  %v21 = icmp slt i64 %v20, 2
  br i1 %v21, label %b5, label %b8
b8:
  br label %b9
b9:
  %v22 = phi i64 [ 0, %b8 ], [ %v36, %b13 ]
  %v23 = getelementptr [429 x float], ptr %v0, i64 %v22
  br label %b10
b10:
  %v24 = phi i64 [ 0, %b9 ], [ %v34, %b12 ]
  %v25 = getelementptr [143 x float], ptr %v23, i64 %v24
  br label %b11
b11:
  %v26 = phi i64 [ 0, %b10 ], [ %v31, %b11 ]
  %v27 = phi i64 [ 0, %b10 ], [ %v33, %b11 ]
  %v28 = extractelement <16 x float> splat (float 0x0000000000000000), i64 0
  %v29 = getelementptr i8, ptr %v25, i64 %v27
  %v30 = getelementptr float, ptr %v29, i32 13
  store float %v28, ptr %v30, align 4
  %v31 = add nsw i64 %v26, 1
  %v32 = icmp slt i64 %v31, 9
  %v33 = add i64 %v27, 52
  br i1 %v32, label %b11, label %b12, !llvm.loop !3
b12:
  %v34 = add nsw i64 %v24, 1
  %v35 = icmp slt i64 %v34, 3
  br i1 %v35, label %b10, label %b13
b13:
  %v36 = add nsw i64 %v22, 1
  %v37 = icmp slt i64 %v36, 2
  br i1 %v37, label %b9, label %b14
b14:
  br label %b15
b15:
  %v38 = phi i64 [ 0, %b14 ], [ %v52, %b19 ]
  %v39 = getelementptr [429 x float], ptr %v0, i64 %v38
  br label %b16
b16:
  %v40 = phi i64 [ 0, %b15 ], [ %v50, %b18 ]
  %v41 = getelementptr [143 x float], ptr %v39, i64 %v40
  br label %b17
b17:
  %v42 = phi i64 [ 0, %b16 ], [ %v47, %b17 ]
  %v43 = phi i64 [ 0, %b16 ], [ %v49, %b17 ]
  %v44 = extractelement <16 x float> splat (float 0x0000000000000000), i64 0
  %v45 = getelementptr i8, ptr %v41, i64 %v43
  %v46 = getelementptr float, ptr %v45, i32 25
  store float %v44, ptr %v46, align 4
  %v47 = add nsw i64 %v42, 1
  %v48 = icmp slt i64 %v47, 9
  %v49 = add i64 %v43, 52
  br i1 %v48, label %b17, label %b18, !llvm.loop !4
b18:
  %v50 = add nsw i64 %v40, 1
  %v51 = icmp slt i64 %v50, 3
  br i1 %v51, label %b16, label %b19
b19:
  %v52 = add nsw i64 %v38, 1
  %v53 = icmp slt i64 %v52, 2
  br i1 %v53, label %b15, label %b20
b20:
  br label %b21
b21:
  %v54 = phi i64 [ 0, %b20 ], [ %v68, %b23 ]
  %v55 = getelementptr [99 x float], ptr %x, i64 %v54
  %v56 = getelementptr [143 x float], ptr %v0, i64 %v54
  br label %b22
b22:
  %v57 = phi i64 [ 0, %b21 ], [ %v64, %b22 ]
  %v58 = phi i64 [ 0, %b21 ], [ %v66, %b22 ]
  %v59 = phi i64 [ 0, %b21 ], [ %v67, %b22 ]
  %v60 = getelementptr i8, ptr %v55, i64 %v58
  %v61 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v60, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v62 = getelementptr i8, ptr %v56, i64 %v59
  %v63 = getelementptr float, ptr %v62, i32 14
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v61, ptr %v63, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v64 = add nsw i64 %v57, 1
  %v65 = icmp slt i64 %v64, 9
  %v66 = add i64 %v58, 44
  %v67 = add i64 %v59, 52
  br i1 %v65, label %b22, label %b23, !llvm.loop !5
b23:
  %v68 = add nsw i64 %v54, 1
  %v69 = icmp slt i64 %v68, 6
  br i1 %v69, label %b21, label %b24
b24:
  ret void
}

define internal void @conv2d_parallel_0(i64 %v0, i64 %v1, ptr align 64 noalias noundef nonnull dereferenceable(1728) %v2, ptr align 64 noalias noundef nonnull dereferenceable(3432) %v3, ptr align 64 noalias noundef nonnull dereferenceable(3168) %v4) nounwind alignstack(64) {
b0:
  br label %b1
b1:
  %v5 = phi i64 [ %v0, %b0 ], [ %v162, %b7 ]
  %v6 = urem i64 %v5, 9
  %v7 = udiv i64 %v5, 9
  %v8 = getelementptr [429 x float], ptr %v3, i64 %v7
  %v9 = getelementptr [13 x float], ptr %v8, i64 %v6
  br label %b2
b2:
  %v10 = phi i64 [ 0, %b1 ], [ %v137, %b6 ]
  %v11 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v126, %b6 ]
  %v12 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v127, %b6 ]
  %v13 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v128, %b6 ]
  %v14 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v129, %b6 ]
  %v15 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v130, %b6 ]
  %v16 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v131, %b6 ]
  %v17 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v132, %b6 ]
  %v18 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v133, %b6 ]
  %v19 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v134, %b6 ]
  %v20 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v135, %b6 ]
  %v21 = phi <16 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v136, %b6 ]
  %v22 = getelementptr [144 x float], ptr %v2, i64 %v10
  %v23 = getelementptr [13 x float], ptr %v9, i64 %v10
  br label %b3
b3:
  %v24 = phi i64 [ 0, %b2 ], [ %v124, %b5 ]
  %v25 = phi <16 x float> [ %v11, %b2 ], [ %v113, %b5 ]
  %v26 = phi <16 x float> [ %v12, %b2 ], [ %v114, %b5 ]
  %v27 = phi <16 x float> [ %v13, %b2 ], [ %v115, %b5 ]
  %v28 = phi <16 x float> [ %v14, %b2 ], [ %v116, %b5 ]
  %v29 = phi <16 x float> [ %v15, %b2 ], [ %v117, %b5 ]
  %v30 = phi <16 x float> [ %v16, %b2 ], [ %v118, %b5 ]
  %v31 = phi <16 x float> [ %v17, %b2 ], [ %v119, %b5 ]
  %v32 = phi <16 x float> [ %v18, %b2 ], [ %v120, %b5 ]
  %v33 = phi <16 x float> [ %v19, %b2 ], [ %v121, %b5 ]
  %v34 = phi <16 x float> [ %v20, %b2 ], [ %v122, %b5 ]
  %v35 = phi <16 x float> [ %v21, %b2 ], [ %v123, %b5 ]
  %v36 = getelementptr [48 x float], ptr %v22, i64 %v24
  %v37 = getelementptr float, ptr %v23, i64 %v24
  br label %b4
b4:
  %v38 = phi i64 [ 0, %b3 ], [ %v109, %b4 ]
  %v39 = phi <16 x float> [ %v25, %b3 ], [ %v58, %b4 ]
  %v40 = phi <16 x float> [ %v26, %b3 ], [ %v63, %b4 ]
  %v41 = phi <16 x float> [ %v27, %b3 ], [ %v68, %b4 ]
  %v42 = phi <16 x float> [ %v28, %b3 ], [ %v73, %b4 ]
  %v43 = phi <16 x float> [ %v29, %b3 ], [ %v78, %b4 ]
  %v44 = phi <16 x float> [ %v30, %b3 ], [ %v83, %b4 ]
  %v45 = phi <16 x float> [ %v31, %b3 ], [ %v88, %b4 ]
  %v46 = phi <16 x float> [ %v32, %b3 ], [ %v93, %b4 ]
  %v47 = phi <16 x float> [ %v33, %b3 ], [ %v98, %b4 ]
  %v48 = phi <16 x float> [ %v34, %b3 ], [ %v103, %b4 ]
  %v49 = phi <16 x float> [ %v35, %b3 ], [ %v108, %b4 ]
  %v50 = phi i64 [ 0, %b3 ], [ %v111, %b4 ]
  %v51 = phi i64 [ 0, %b3 ], [ %v112, %b4 ]
  %v52 = getelementptr i8, ptr %v36, i64 %v50
  %v53 = load <16 x float>, ptr %v52, align 4
  %v54 = getelementptr i8, ptr %v37, i64 %v51
  %v55 = load float, ptr %v54, align 4
  %v56 = insertelement <16 x float> poison, float %v55, i64 0
  %v57 = shufflevector <16 x float> %v56, <16 x float> poison, <16 x i32> zeroinitializer
  %v58 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v57, <16 x float> %v53, <16 x float> %v39)
  %v59 = getelementptr float, ptr %v54, i32 1
  %v60 = load float, ptr %v59, align 4
  %v61 = insertelement <16 x float> poison, float %v60, i64 0
  %v62 = shufflevector <16 x float> %v61, <16 x float> poison, <16 x i32> zeroinitializer
  %v63 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v62, <16 x float> %v53, <16 x float> %v40)
  %v64 = getelementptr float, ptr %v54, i32 2
  %v65 = load float, ptr %v64, align 4
  %v66 = insertelement <16 x float> poison, float %v65, i64 0
  %v67 = shufflevector <16 x float> %v66, <16 x float> poison, <16 x i32> zeroinitializer
  %v68 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v67, <16 x float> %v53, <16 x float> %v41)
  %v69 = getelementptr float, ptr %v54, i32 3
  %v70 = load float, ptr %v69, align 4
  %v71 = insertelement <16 x float> poison, float %v70, i64 0
  %v72 = shufflevector <16 x float> %v71, <16 x float> poison, <16 x i32> zeroinitializer
  %v73 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v72, <16 x float> %v53, <16 x float> %v42)
  %v74 = getelementptr float, ptr %v54, i32 4
  %v75 = load float, ptr %v74, align 4
  %v76 = insertelement <16 x float> poison, float %v75, i64 0
  %v77 = shufflevector <16 x float> %v76, <16 x float> poison, <16 x i32> zeroinitializer
  %v78 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v77, <16 x float> %v53, <16 x float> %v43)
  %v79 = getelementptr float, ptr %v54, i32 5
  %v80 = load float, ptr %v79, align 4
  %v81 = insertelement <16 x float> poison, float %v80, i64 0
  %v82 = shufflevector <16 x float> %v81, <16 x float> poison, <16 x i32> zeroinitializer
  %v83 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v82, <16 x float> %v53, <16 x float> %v44)
  %v84 = getelementptr float, ptr %v54, i32 6
  %v85 = load float, ptr %v84, align 4
  %v86 = insertelement <16 x float> poison, float %v85, i64 0
  %v87 = shufflevector <16 x float> %v86, <16 x float> poison, <16 x i32> zeroinitializer
  %v88 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v87, <16 x float> %v53, <16 x float> %v45)
  %v89 = getelementptr float, ptr %v54, i32 7
  %v90 = load float, ptr %v89, align 4
  %v91 = insertelement <16 x float> poison, float %v90, i64 0
  %v92 = shufflevector <16 x float> %v91, <16 x float> poison, <16 x i32> zeroinitializer
  %v93 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v92, <16 x float> %v53, <16 x float> %v46)
  %v94 = getelementptr float, ptr %v54, i32 8
  %v95 = load float, ptr %v94, align 4
  %v96 = insertelement <16 x float> poison, float %v95, i64 0
  %v97 = shufflevector <16 x float> %v96, <16 x float> poison, <16 x i32> zeroinitializer
  %v98 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v97, <16 x float> %v53, <16 x float> %v47)
  %v99 = getelementptr float, ptr %v54, i32 9
  %v100 = load float, ptr %v99, align 4
  %v101 = insertelement <16 x float> poison, float %v100, i64 0
  %v102 = shufflevector <16 x float> %v101, <16 x float> poison, <16 x i32> zeroinitializer
  %v103 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v102, <16 x float> %v53, <16 x float> %v48)
  %v104 = getelementptr float, ptr %v54, i32 10
  %v105 = load float, ptr %v104, align 4
  %v106 = insertelement <16 x float> poison, float %v105, i64 0
  %v107 = shufflevector <16 x float> %v106, <16 x float> poison, <16 x i32> zeroinitializer
  %v108 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v107, <16 x float> %v53, <16 x float> %v49)
  %v109 = add nsw i64 %v38, 1
  %v110 = icmp slt i64 %v109, 3
  %v111 = add i64 %v50, 64
  %v112 = add i64 %v51, 572
  br i1 %v110, label %b4, label %b5, !llvm.loop !6
b5:
  %v113 = phi <16 x float> [ %v58, %b4 ]
  %v114 = phi <16 x float> [ %v63, %b4 ]
  %v115 = phi <16 x float> [ %v68, %b4 ]
  %v116 = phi <16 x float> [ %v73, %b4 ]
  %v117 = phi <16 x float> [ %v78, %b4 ]
  %v118 = phi <16 x float> [ %v83, %b4 ]
  %v119 = phi <16 x float> [ %v88, %b4 ]
  %v120 = phi <16 x float> [ %v93, %b4 ]
  %v121 = phi <16 x float> [ %v98, %b4 ]
  %v122 = phi <16 x float> [ %v103, %b4 ]
  %v123 = phi <16 x float> [ %v108, %b4 ]
  %v124 = add nsw i64 %v24, 1
  %v125 = icmp slt i64 %v124, 3
  br i1 %v125, label %b3, label %b6
b6:
  %v126 = phi <16 x float> [ %v113, %b5 ]
  %v127 = phi <16 x float> [ %v114, %b5 ]
  %v128 = phi <16 x float> [ %v115, %b5 ]
  %v129 = phi <16 x float> [ %v116, %b5 ]
  %v130 = phi <16 x float> [ %v117, %b5 ]
  %v131 = phi <16 x float> [ %v118, %b5 ]
  %v132 = phi <16 x float> [ %v119, %b5 ]
  %v133 = phi <16 x float> [ %v120, %b5 ]
  %v134 = phi <16 x float> [ %v121, %b5 ]
  %v135 = phi <16 x float> [ %v122, %b5 ]
  %v136 = phi <16 x float> [ %v123, %b5 ]
  %v137 = add nsw i64 %v10, 1
  %v138 = icmp slt i64 %v137, 3
  br i1 %v138, label %b2, label %b7
b7:
  %v139 = phi <16 x float> [ %v126, %b6 ]
  %v140 = phi <16 x float> [ %v127, %b6 ]
  %v141 = phi <16 x float> [ %v128, %b6 ]
  %v142 = phi <16 x float> [ %v129, %b6 ]
  %v143 = phi <16 x float> [ %v130, %b6 ]
  %v144 = phi <16 x float> [ %v131, %b6 ]
  %v145 = phi <16 x float> [ %v132, %b6 ]
  %v146 = phi <16 x float> [ %v133, %b6 ]
  %v147 = phi <16 x float> [ %v134, %b6 ]
  %v148 = phi <16 x float> [ %v135, %b6 ]
  %v149 = phi <16 x float> [ %v136, %b6 ]
  %v150 = getelementptr [396 x float], ptr %v4, i64 %v7
  %v151 = getelementptr [44 x float], ptr %v150, i64 %v6
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v139, ptr %v151, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v152 = getelementptr float, ptr %v151, i32 4
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v140, ptr %v152, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v153 = getelementptr float, ptr %v151, i32 8
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v141, ptr %v153, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v154 = getelementptr float, ptr %v151, i32 12
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v142, ptr %v154, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v155 = getelementptr float, ptr %v151, i32 16
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v143, ptr %v155, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v156 = getelementptr float, ptr %v151, i32 20
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v144, ptr %v156, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v157 = getelementptr float, ptr %v151, i32 24
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v145, ptr %v157, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v158 = getelementptr float, ptr %v151, i32 28
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v146, ptr %v158, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v159 = getelementptr float, ptr %v151, i32 32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v147, ptr %v159, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v160 = getelementptr float, ptr %v151, i32 36
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v148, ptr %v160, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v161 = getelementptr float, ptr %v151, i32 40
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v149, ptr %v161, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v162 = add nsw i64 %v5, 1
  %v163 = icmp slt i64 %v162, %v1
  br i1 %v163, label %b1, label %b8
b8:
  ret void
}

define internal void @conv2d_parallel_0_chunk(ptr %v0, i64 %v1) nounwind alignstack(64) {
b0:
  %v2 = load ptr, ptr %v0, align 8
  %v3 = getelementptr { ptr, ptr, ptr }, ptr %v0, i32 0, i32 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr { ptr, ptr, ptr }, ptr %v0, i32 0, i32 2
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
  %v4 = getelementptr { ptr, ptr, ptr }, ptr %v3, i32 0, i32 1
  store ptr %v0, ptr %v4, align 8
  %v5 = getelementptr { ptr, ptr, ptr }, ptr %v3, i32 0, i32 2
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
  %v3 = phi i64 [ 0, %b0 ], [ %v32, %b9 ]
  %v4 = getelementptr [396 x float], ptr %conv, i64 %v3
  %v5 = getelementptr [80 x float], ptr %v0, i64 %v3
  br label %b2
b2:
  %v6 = phi i64 [ 0, %b1 ], [ %v30, %b8 ]
  %v7 = getelementptr [88 x float], ptr %v4, i64 %v6
  %v8 = getelementptr [20 x float], ptr %v5, i64 %v6
  br label %b3
b3:
  %v9 = phi i64 [ 0, %b2 ], [ %v28, %b7 ]
  %v10 = getelementptr [8 x float], ptr %v7, i64 %v9
  br label %b4
b4:
  %v11 = phi i64 [ 0, %b3 ], [ %v24, %b6 ]
  %v12 = phi <16 x float> [ %v2, %b3 ], [ %v23, %b6 ]
  %v13 = getelementptr [44 x float], ptr %v10, i64 %v11
  br label %b5
b5:
  %v14 = phi i64 [ 0, %b4 ], [ %v20, %b5 ]
  %v15 = phi <16 x float> [ %v12, %b4 ], [ %v19, %b5 ]
  %v16 = phi i64 [ 0, %b4 ], [ %v22, %b5 ]
  %v17 = getelementptr i8, ptr %v13, i64 %v16
  %v18 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v17, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v19 = call nsz <16 x float> @llvm.maximum.v16f32(<16 x float> %v18, <16 x float> %v15)
  %v20 = add nsw i64 %v14, 1
  %v21 = icmp slt i64 %v20, 2
  %v22 = add i64 %v16, 16
  br i1 %v21, label %b5, label %b6, !llvm.loop !7
b6:
  %v23 = phi <16 x float> [ %v19, %b5 ]
  %v24 = add nsw i64 %v11, 1
  %v25 = icmp slt i64 %v24, 2
  br i1 %v25, label %b4, label %b7
b7:
  %v26 = phi <16 x float> [ %v23, %b6 ]
  %v27 = getelementptr [4 x float], ptr %v8, i64 %v9
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v26, ptr %v27, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v28 = add nsw i64 %v9, 1
  %v29 = icmp slt i64 %v28, 5
  br i1 %v29, label %b3, label %b8
b8:
  %v30 = add nsw i64 %v6, 1
  %v31 = icmp slt i64 %v30, 4
  br i1 %v31, label %b2, label %b9
b9:
  %v32 = add nsw i64 %v3, 1
  %v33 = icmp slt i64 %v32, 2
  br i1 %v33, label %b1, label %b10
b10:
  ret void
}

define internal void @transpose(ptr align 64 noalias noundef nonnull dereferenceable(640) %pool, ptr noalias noundef nonnull dereferenceable(640) %v0) nounwind alignstack(64) {
b0:
  br label %b1
b1:
  %v1 = phi i64 [ 0, %b0 ], [ %v25, %b3 ]
  %v2 = getelementptr [80 x float], ptr %pool, i64 %v1
  %v3 = getelementptr [80 x float], ptr %v0, i64 %v1
  br label %b2
b2:
  %v4 = phi i64 [ 0, %b1 ], [ %v22, %b2 ]
  %v5 = phi i64 [ 0, %b1 ], [ %v24, %b2 ]
  %v6 = getelementptr float, ptr %v2, i64 %v4
  %v7 = load <16 x float>, ptr %v6, align 4
  %v8 = getelementptr float, ptr %v6, i32 16
  %v9 = load <16 x float>, ptr %v8, align 4
  %v10 = getelementptr float, ptr %v6, i32 32
  %v11 = load <16 x float>, ptr %v10, align 4
  %v12 = getelementptr float, ptr %v6, i32 45
  %v13 = load <16 x float>, ptr %v12, align 4
  %v14 = shufflevector <16 x float> %v7, <16 x float> %v9, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v15 = shufflevector <16 x float> %v14, <16 x float> %v11, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 20, i32 24, i32 28, i32 12, i32 13, i32 14, i32 15>
  %v16 = shufflevector <16 x float> %v15, <16 x float> %v13, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 19, i32 23, i32 27, i32 31>
  %v17 = getelementptr float, ptr %v6, i32 64
  %v18 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v17, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <16 x float> splat (float 0x0000000000000000))
  %v19 = shufflevector <16 x float> %v18, <16 x float> %v18, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %v20 = getelementptr i8, ptr %v3, i64 %v5
  store <16 x float> %v16, ptr %v20, align 4
  %v21 = getelementptr float, ptr %v20, i32 16
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v19, ptr %v21, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %v22 = add nsw i64 %v4, 1
  %v23 = icmp slt i64 %v22, 4
  %v24 = add i64 %v5, 80
  br i1 %v23, label %b2, label %b3, !llvm.loop !8
b3:
  %v25 = add nsw i64 %v1, 1
  %v26 = icmp slt i64 %v25, 2
  br i1 %v26, label %b1, label %b4
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
  %v1 = getelementptr ptr, ptr %table, i32 1
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr ptr, ptr %table, i32 2
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr ptr, ptr %table, i32 3
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr ptr, ptr %table, i32 4
  %v8 = load ptr, ptr %v7, align 8
  %v9 = getelementptr ptr, ptr %table, i32 5
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
