define internal void @resample(ptr align 64 noalias noundef nonnull dereferenceable(16) %v0, ptr align 64 noalias noundef nonnull dereferenceable(64) %v1, ptr noalias noundef nonnull dereferenceable(144) %x, ptr align 64 noalias noundef nonnull dereferenceable(72) %v2) nounwind {
b0:
  %v3 = call i64 @llvm.umax.i64(i64 0, i64 1)
  %v4 = call i64 @llvm.umax.i64(i64 %v3, i64 2)
  %v5 = call i64 @llvm.umax.i64(i64 %v4, i64 3)
  %v6 = icmp ult i64 %v5, 5
  br i1 %v6, label %b1, label %b7
b1:
  br label %b2
b2:
  %v7 = phi i64 [ 0, %b1 ], [ %v80, %b5 ]
  %v8 = getelementptr inbounds i32, ptr %v0, i64 %v7
  %v9 = load i32, ptr %v8, align 4
  %v10 = sext i32 %v9 to i64
  %v11 = mul i64 %v10, 3
  %v12 = add i64 24, %v11
  %v13 = add i64 48, %v11
  %v14 = add i64 72, %v11
  %v15 = getelementptr inbounds i8, ptr %x, i64 %v11
  %v16 = load <16 x i8>, ptr %v15, align 1
  %v17 = getelementptr inbounds i8, ptr %x, i64 %v12
  %v18 = load <16 x i8>, ptr %v17, align 1
  %v19 = getelementptr inbounds i8, ptr %x, i64 %v13
  %v20 = load <16 x i8>, ptr %v19, align 1
  %v21 = getelementptr inbounds i8, ptr %x, i64 %v14
  %v22 = load <16 x i8>, ptr %v21, align 1
  %v23 = shufflevector <16 x i8> %v16, <16 x i8> %v18, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v24 = shufflevector <16 x i8> %v20, <16 x i8> %v22, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v25 = shufflevector <32 x i8> %v23, <32 x i8> %v24, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v26 = shufflevector <64 x i8> %v25, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v27 = bitcast <64 x i8> %v26 to <16 x i32>
  %v28 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v7, i32 0
  %v29 = load i32, ptr %v28, align 4
  %v30 = insertelement <16 x i32> poison, i32 %v29, i64 0
  %v31 = shufflevector <16 x i32> %v30, <16 x i32> poison, <16 x i32> zeroinitializer
  %v32 = mul <16 x i32> %v27, %v31
  %v33 = add <16 x i32> splat (i32 2097152), %v32
  %v34 = shufflevector <64 x i8> %v25, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v35 = bitcast <64 x i8> %v34 to <16 x i32>
  %v36 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v7, i32 1
  %v37 = load i32, ptr %v36, align 4
  %v38 = insertelement <16 x i32> poison, i32 %v37, i64 0
  %v39 = shufflevector <16 x i32> %v38, <16 x i32> poison, <16 x i32> zeroinitializer
  %v40 = mul <16 x i32> %v35, %v39
  %v41 = add <16 x i32> %v33, %v40
  %v42 = shufflevector <64 x i8> %v25, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v43 = bitcast <64 x i8> %v42 to <16 x i32>
  %v44 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v7, i32 2
  %v45 = load i32, ptr %v44, align 4
  %v46 = insertelement <16 x i32> poison, i32 %v45, i64 0
  %v47 = shufflevector <16 x i32> %v46, <16 x i32> poison, <16 x i32> zeroinitializer
  %v48 = mul <16 x i32> %v43, %v47
  %v49 = add <16 x i32> %v41, %v48
  %v50 = shufflevector <64 x i8> %v25, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v51 = bitcast <64 x i8> %v50 to <16 x i32>
  %v52 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v7, i32 3
  %v53 = load i32, ptr %v52, align 4
  %v54 = insertelement <16 x i32> poison, i32 %v53, i64 0
  %v55 = shufflevector <16 x i32> %v54, <16 x i32> poison, <16 x i32> zeroinitializer
  %v56 = mul <16 x i32> %v51, %v55
  %v57 = add <16 x i32> %v49, %v56
  %v58 = ashr <16 x i32> %v57, splat (i32 22)
  %v59 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v58, <16 x i32> splat (i32 0))
  %v60 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v59, <16 x i32> splat (i32 255))
  %v61 = trunc <16 x i32> %v60 to <16 x i8>
  %v62 = mul i64 %v7, 3
  %v63 = icmp ult i64 %v7, 3
  br i1 %v63, label %b3, label %b4
b3:
  %v64 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v65 = getelementptr inbounds [12 x i8], ptr %v2, i32 0, i64 %v62
  store <4 x i8> %v64, ptr %v65, align 1
  %v66 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v67 = getelementptr inbounds [12 x i8], ptr %v2, i32 1, i64 %v62
  store <4 x i8> %v66, ptr %v67, align 1
  %v68 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v69 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v62
  store <4 x i8> %v68, ptr %v69, align 1
  %v70 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v71 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v62
  store <4 x i8> %v70, ptr %v71, align 1
  br label %b5
b4:
  %v72 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <3 x i32> <i32 0, i32 1, i32 2>
  %v73 = getelementptr inbounds [12 x i8], ptr %v2, i32 0, i64 %v62
  store <3 x i8> %v72, ptr %v73, align 1
  %v74 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <3 x i32> <i32 4, i32 5, i32 6>
  %v75 = getelementptr inbounds [12 x i8], ptr %v2, i32 1, i64 %v62
  store <3 x i8> %v74, ptr %v75, align 1
  %v76 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <3 x i32> <i32 8, i32 9, i32 10>
  %v77 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v62
  store <3 x i8> %v76, ptr %v77, align 1
  %v78 = shufflevector <16 x i8> %v61, <16 x i8> %v61, <3 x i32> <i32 12, i32 13, i32 14>
  %v79 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v62
  store <3 x i8> %v78, ptr %v79, align 1
  br label %b5
b5:
  %v80 = add nsw i64 %v7, 1
  %v81 = icmp slt i64 %v80, 4
  br i1 %v81, label %b2, label %b6
b6:
  br label %b13
b7:
  br label %b8
b8:
  %v82 = phi i64 [ 0, %b7 ], [ %v155, %b11 ]
  %v83 = getelementptr inbounds i32, ptr %v0, i64 %v82
  %v84 = load i32, ptr %v83, align 4
  %v85 = sext i32 %v84 to i64
  %v86 = mul i64 %v85, 3
  %v87 = add i64 24, %v86
  %v88 = add i64 48, %v86
  %v89 = add i64 72, %v86
  %v90 = getelementptr inbounds i8, ptr %x, i64 %v86
  %v91 = load <12 x i8>, ptr %v90, align 1
  %v92 = getelementptr inbounds i8, ptr %x, i64 %v87
  %v93 = load <12 x i8>, ptr %v92, align 1
  %v94 = getelementptr inbounds i8, ptr %x, i64 %v88
  %v95 = load <12 x i8>, ptr %v94, align 1
  %v96 = getelementptr inbounds i8, ptr %x, i64 %v89
  %v97 = load <12 x i8>, ptr %v96, align 1
  %v98 = shufflevector <12 x i8> %v91, <12 x i8> %v93, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v99 = shufflevector <12 x i8> %v95, <12 x i8> %v97, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v100 = shufflevector <32 x i8> %v98, <32 x i8> %v99, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v101 = shufflevector <64 x i8> %v100, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v102 = bitcast <64 x i8> %v101 to <16 x i32>
  %v103 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v82, i32 0
  %v104 = load i32, ptr %v103, align 4
  %v105 = insertelement <16 x i32> poison, i32 %v104, i64 0
  %v106 = shufflevector <16 x i32> %v105, <16 x i32> poison, <16 x i32> zeroinitializer
  %v107 = mul <16 x i32> %v102, %v106
  %v108 = add <16 x i32> splat (i32 2097152), %v107
  %v109 = shufflevector <64 x i8> %v100, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v110 = bitcast <64 x i8> %v109 to <16 x i32>
  %v111 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v82, i32 1
  %v112 = load i32, ptr %v111, align 4
  %v113 = insertelement <16 x i32> poison, i32 %v112, i64 0
  %v114 = shufflevector <16 x i32> %v113, <16 x i32> poison, <16 x i32> zeroinitializer
  %v115 = mul <16 x i32> %v110, %v114
  %v116 = add <16 x i32> %v108, %v115
  %v117 = shufflevector <64 x i8> %v100, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v118 = bitcast <64 x i8> %v117 to <16 x i32>
  %v119 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v82, i32 2
  %v120 = load i32, ptr %v119, align 4
  %v121 = insertelement <16 x i32> poison, i32 %v120, i64 0
  %v122 = shufflevector <16 x i32> %v121, <16 x i32> poison, <16 x i32> zeroinitializer
  %v123 = mul <16 x i32> %v118, %v122
  %v124 = add <16 x i32> %v116, %v123
  %v125 = shufflevector <64 x i8> %v100, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v126 = bitcast <64 x i8> %v125 to <16 x i32>
  %v127 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v82, i32 3
  %v128 = load i32, ptr %v127, align 4
  %v129 = insertelement <16 x i32> poison, i32 %v128, i64 0
  %v130 = shufflevector <16 x i32> %v129, <16 x i32> poison, <16 x i32> zeroinitializer
  %v131 = mul <16 x i32> %v126, %v130
  %v132 = add <16 x i32> %v124, %v131
  %v133 = ashr <16 x i32> %v132, splat (i32 22)
  %v134 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v133, <16 x i32> splat (i32 0))
  %v135 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v134, <16 x i32> splat (i32 255))
  %v136 = trunc <16 x i32> %v135 to <16 x i8>
  %v137 = mul i64 %v82, 3
  %v138 = icmp ult i64 %v82, 3
  br i1 %v138, label %b9, label %b10
b9:
  %v139 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v140 = getelementptr inbounds [12 x i8], ptr %v2, i32 0, i64 %v137
  store <4 x i8> %v139, ptr %v140, align 1
  %v141 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v142 = getelementptr inbounds [12 x i8], ptr %v2, i32 1, i64 %v137
  store <4 x i8> %v141, ptr %v142, align 1
  %v143 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v144 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v137
  store <4 x i8> %v143, ptr %v144, align 1
  %v145 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v146 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v137
  store <4 x i8> %v145, ptr %v146, align 1
  br label %b11
b10:
  %v147 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <3 x i32> <i32 0, i32 1, i32 2>
  %v148 = getelementptr inbounds [12 x i8], ptr %v2, i32 0, i64 %v137
  store <3 x i8> %v147, ptr %v148, align 1
  %v149 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <3 x i32> <i32 4, i32 5, i32 6>
  %v150 = getelementptr inbounds [12 x i8], ptr %v2, i32 1, i64 %v137
  store <3 x i8> %v149, ptr %v150, align 1
  %v151 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <3 x i32> <i32 8, i32 9, i32 10>
  %v152 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v137
  store <3 x i8> %v151, ptr %v152, align 1
  %v153 = shufflevector <16 x i8> %v136, <16 x i8> %v136, <3 x i32> <i32 12, i32 13, i32 14>
  %v154 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v137
  store <3 x i8> %v153, ptr %v154, align 1
  br label %b11
b11:
  %v155 = add nsw i64 %v82, 1
  %v156 = icmp slt i64 %v155, 4
  br i1 %v156, label %b8, label %b12
b12:
  br label %b13
b13:
  %v157 = call i64 @llvm.umax.i64(i64 2, i64 3)
  %v158 = call i64 @llvm.umax.i64(i64 %v157, i64 4)
  %v159 = call i64 @llvm.umax.i64(i64 %v158, i64 5)
  %v160 = icmp ult i64 %v159, 5
  br i1 %v160, label %b14, label %b20
b14:
  br label %b15
b15:
  %v161 = phi i64 [ 0, %b14 ], [ %v235, %b18 ]
  %v162 = getelementptr inbounds i32, ptr %v0, i64 %v161
  %v163 = load i32, ptr %v162, align 4
  %v164 = sext i32 %v163 to i64
  %v165 = mul i64 %v164, 3
  %v166 = add i64 48, %v165
  %v167 = add i64 72, %v165
  %v168 = add i64 96, %v165
  %v169 = add i64 120, %v165
  %v170 = getelementptr inbounds i8, ptr %x, i64 %v166
  %v171 = load <16 x i8>, ptr %v170, align 1
  %v172 = getelementptr inbounds i8, ptr %x, i64 %v167
  %v173 = load <16 x i8>, ptr %v172, align 1
  %v174 = getelementptr inbounds i8, ptr %x, i64 %v168
  %v175 = load <16 x i8>, ptr %v174, align 1
  %v176 = getelementptr inbounds i8, ptr %x, i64 %v169
  %v177 = load <16 x i8>, ptr %v176, align 1
  %v178 = shufflevector <16 x i8> %v171, <16 x i8> %v173, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v179 = shufflevector <16 x i8> %v175, <16 x i8> %v177, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v180 = shufflevector <32 x i8> %v178, <32 x i8> %v179, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v181 = shufflevector <64 x i8> %v180, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v182 = bitcast <64 x i8> %v181 to <16 x i32>
  %v183 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v161, i32 0
  %v184 = load i32, ptr %v183, align 4
  %v185 = insertelement <16 x i32> poison, i32 %v184, i64 0
  %v186 = shufflevector <16 x i32> %v185, <16 x i32> poison, <16 x i32> zeroinitializer
  %v187 = mul <16 x i32> %v182, %v186
  %v188 = add <16 x i32> splat (i32 2097152), %v187
  %v189 = shufflevector <64 x i8> %v180, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v190 = bitcast <64 x i8> %v189 to <16 x i32>
  %v191 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v161, i32 1
  %v192 = load i32, ptr %v191, align 4
  %v193 = insertelement <16 x i32> poison, i32 %v192, i64 0
  %v194 = shufflevector <16 x i32> %v193, <16 x i32> poison, <16 x i32> zeroinitializer
  %v195 = mul <16 x i32> %v190, %v194
  %v196 = add <16 x i32> %v188, %v195
  %v197 = shufflevector <64 x i8> %v180, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v198 = bitcast <64 x i8> %v197 to <16 x i32>
  %v199 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v161, i32 2
  %v200 = load i32, ptr %v199, align 4
  %v201 = insertelement <16 x i32> poison, i32 %v200, i64 0
  %v202 = shufflevector <16 x i32> %v201, <16 x i32> poison, <16 x i32> zeroinitializer
  %v203 = mul <16 x i32> %v198, %v202
  %v204 = add <16 x i32> %v196, %v203
  %v205 = shufflevector <64 x i8> %v180, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v206 = bitcast <64 x i8> %v205 to <16 x i32>
  %v207 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v161, i32 3
  %v208 = load i32, ptr %v207, align 4
  %v209 = insertelement <16 x i32> poison, i32 %v208, i64 0
  %v210 = shufflevector <16 x i32> %v209, <16 x i32> poison, <16 x i32> zeroinitializer
  %v211 = mul <16 x i32> %v206, %v210
  %v212 = add <16 x i32> %v204, %v211
  %v213 = ashr <16 x i32> %v212, splat (i32 22)
  %v214 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v213, <16 x i32> splat (i32 0))
  %v215 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v214, <16 x i32> splat (i32 255))
  %v216 = trunc <16 x i32> %v215 to <16 x i8>
  %v217 = mul i64 %v161, 3
  %v218 = icmp ult i64 %v161, 3
  br i1 %v218, label %b16, label %b17
b16:
  %v219 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v220 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v217
  store <4 x i8> %v219, ptr %v220, align 1
  %v221 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v222 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v217
  store <4 x i8> %v221, ptr %v222, align 1
  %v223 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v224 = getelementptr inbounds [12 x i8], ptr %v2, i32 4, i64 %v217
  store <4 x i8> %v223, ptr %v224, align 1
  %v225 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v226 = getelementptr inbounds [12 x i8], ptr %v2, i32 5, i64 %v217
  store <4 x i8> %v225, ptr %v226, align 1
  br label %b18
b17:
  %v227 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <3 x i32> <i32 0, i32 1, i32 2>
  %v228 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v217
  store <3 x i8> %v227, ptr %v228, align 1
  %v229 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <3 x i32> <i32 4, i32 5, i32 6>
  %v230 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v217
  store <3 x i8> %v229, ptr %v230, align 1
  %v231 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <3 x i32> <i32 8, i32 9, i32 10>
  %v232 = getelementptr inbounds [12 x i8], ptr %v2, i32 4, i64 %v217
  store <3 x i8> %v231, ptr %v232, align 1
  %v233 = shufflevector <16 x i8> %v216, <16 x i8> %v216, <3 x i32> <i32 12, i32 13, i32 14>
  %v234 = getelementptr inbounds [12 x i8], ptr %v2, i32 5, i64 %v217
  store <3 x i8> %v233, ptr %v234, align 1
  br label %b18
b18:
  %v235 = add nsw i64 %v161, 1
  %v236 = icmp slt i64 %v235, 4
  br i1 %v236, label %b15, label %b19
b19:
  br label %b26
b20:
  br label %b21
b21:
  %v237 = phi i64 [ 0, %b20 ], [ %v311, %b24 ]
  %v238 = getelementptr inbounds i32, ptr %v0, i64 %v237
  %v239 = load i32, ptr %v238, align 4
  %v240 = sext i32 %v239 to i64
  %v241 = mul i64 %v240, 3
  %v242 = add i64 48, %v241
  %v243 = add i64 72, %v241
  %v244 = add i64 96, %v241
  %v245 = add i64 120, %v241
  %v246 = getelementptr inbounds i8, ptr %x, i64 %v242
  %v247 = load <12 x i8>, ptr %v246, align 1
  %v248 = getelementptr inbounds i8, ptr %x, i64 %v243
  %v249 = load <12 x i8>, ptr %v248, align 1
  %v250 = getelementptr inbounds i8, ptr %x, i64 %v244
  %v251 = load <12 x i8>, ptr %v250, align 1
  %v252 = getelementptr inbounds i8, ptr %x, i64 %v245
  %v253 = load <12 x i8>, ptr %v252, align 1
  %v254 = shufflevector <12 x i8> %v247, <12 x i8> %v249, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v255 = shufflevector <12 x i8> %v251, <12 x i8> %v253, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v256 = shufflevector <32 x i8> %v254, <32 x i8> %v255, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v257 = shufflevector <64 x i8> %v256, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v258 = bitcast <64 x i8> %v257 to <16 x i32>
  %v259 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v237, i32 0
  %v260 = load i32, ptr %v259, align 4
  %v261 = insertelement <16 x i32> poison, i32 %v260, i64 0
  %v262 = shufflevector <16 x i32> %v261, <16 x i32> poison, <16 x i32> zeroinitializer
  %v263 = mul <16 x i32> %v258, %v262
  %v264 = add <16 x i32> splat (i32 2097152), %v263
  %v265 = shufflevector <64 x i8> %v256, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v266 = bitcast <64 x i8> %v265 to <16 x i32>
  %v267 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v237, i32 1
  %v268 = load i32, ptr %v267, align 4
  %v269 = insertelement <16 x i32> poison, i32 %v268, i64 0
  %v270 = shufflevector <16 x i32> %v269, <16 x i32> poison, <16 x i32> zeroinitializer
  %v271 = mul <16 x i32> %v266, %v270
  %v272 = add <16 x i32> %v264, %v271
  %v273 = shufflevector <64 x i8> %v256, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v274 = bitcast <64 x i8> %v273 to <16 x i32>
  %v275 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v237, i32 2
  %v276 = load i32, ptr %v275, align 4
  %v277 = insertelement <16 x i32> poison, i32 %v276, i64 0
  %v278 = shufflevector <16 x i32> %v277, <16 x i32> poison, <16 x i32> zeroinitializer
  %v279 = mul <16 x i32> %v274, %v278
  %v280 = add <16 x i32> %v272, %v279
  %v281 = shufflevector <64 x i8> %v256, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v282 = bitcast <64 x i8> %v281 to <16 x i32>
  %v283 = getelementptr inbounds [4 x i32], ptr %v1, i64 %v237, i32 3
  %v284 = load i32, ptr %v283, align 4
  %v285 = insertelement <16 x i32> poison, i32 %v284, i64 0
  %v286 = shufflevector <16 x i32> %v285, <16 x i32> poison, <16 x i32> zeroinitializer
  %v287 = mul <16 x i32> %v282, %v286
  %v288 = add <16 x i32> %v280, %v287
  %v289 = ashr <16 x i32> %v288, splat (i32 22)
  %v290 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v289, <16 x i32> splat (i32 0))
  %v291 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v290, <16 x i32> splat (i32 255))
  %v292 = trunc <16 x i32> %v291 to <16 x i8>
  %v293 = mul i64 %v237, 3
  %v294 = icmp ult i64 %v237, 3
  br i1 %v294, label %b22, label %b23
b22:
  %v295 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v296 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v293
  store <4 x i8> %v295, ptr %v296, align 1
  %v297 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v298 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v293
  store <4 x i8> %v297, ptr %v298, align 1
  %v299 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v300 = getelementptr inbounds [12 x i8], ptr %v2, i32 4, i64 %v293
  store <4 x i8> %v299, ptr %v300, align 1
  %v301 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v302 = getelementptr inbounds [12 x i8], ptr %v2, i32 5, i64 %v293
  store <4 x i8> %v301, ptr %v302, align 1
  br label %b24
b23:
  %v303 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <3 x i32> <i32 0, i32 1, i32 2>
  %v304 = getelementptr inbounds [12 x i8], ptr %v2, i32 2, i64 %v293
  store <3 x i8> %v303, ptr %v304, align 1
  %v305 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <3 x i32> <i32 4, i32 5, i32 6>
  %v306 = getelementptr inbounds [12 x i8], ptr %v2, i32 3, i64 %v293
  store <3 x i8> %v305, ptr %v306, align 1
  %v307 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <3 x i32> <i32 8, i32 9, i32 10>
  %v308 = getelementptr inbounds [12 x i8], ptr %v2, i32 4, i64 %v293
  store <3 x i8> %v307, ptr %v308, align 1
  %v309 = shufflevector <16 x i8> %v292, <16 x i8> %v292, <3 x i32> <i32 12, i32 13, i32 14>
  %v310 = getelementptr inbounds [12 x i8], ptr %v2, i32 5, i64 %v293
  store <3 x i8> %v309, ptr %v310, align 1
  br label %b24
b24:
  %v311 = add nsw i64 %v237, 1
  %v312 = icmp slt i64 %v311, 4
  br i1 %v312, label %b21, label %b25
b25:
  br label %b26
b26:
  ret void
}

define internal void @resample_1(ptr align 64 noalias noundef nonnull dereferenceable(20) %v0, ptr align 64 noalias noundef nonnull dereferenceable(40) %v1, ptr align 64 noalias noundef nonnull dereferenceable(72) %v2, ptr align 64 noalias noundef nonnull dereferenceable(60) %v3) nounwind {
b0:
  br label %b1
b1:
  %v4 = phi i64 [ 0, %b0 ], [ %v56, %b3 ]
  %v5 = getelementptr inbounds i32, ptr %v0, i64 %v4
  %v6 = load i32, ptr %v5, align 4
  %v7 = sext i32 %v6 to i64
  br label %b2
b2:
  %v8 = phi i64 [ 0, %b1 ], [ %v36, %b2 ]
  %v9 = phi <4 x i32> [ splat (i32 2097152), %b1 ], [ %v21, %b2 ]
  %v10 = phi <4 x i32> [ splat (i32 2097152), %b1 ], [ %v28, %b2 ]
  %v11 = phi <4 x i32> [ splat (i32 2097152), %b1 ], [ %v35, %b2 ]
  %v12 = getelementptr inbounds [2 x i32], ptr %v1, i64 %v4, i64 %v8
  %v13 = load i32, ptr %v12, align 4
  %v14 = add i64 %v7, %v8
  %v15 = getelementptr inbounds [6 x [12 x i8]], ptr %v2, i32 0, i64 %v14, i32 0
  %v16 = load <4 x i8>, ptr %v15, align 1
  %v17 = zext <4 x i8> %v16 to <4 x i32>
  %v18 = insertelement <4 x i32> poison, i32 %v13, i64 0
  %v19 = shufflevector <4 x i32> %v18, <4 x i32> poison, <4 x i32> zeroinitializer
  %v20 = mul <4 x i32> %v17, %v19
  %v21 = add <4 x i32> %v9, %v20
  %v22 = getelementptr inbounds [6 x [12 x i8]], ptr %v2, i32 0, i64 %v14, i32 4
  %v23 = load <4 x i8>, ptr %v22, align 1
  %v24 = zext <4 x i8> %v23 to <4 x i32>
  %v25 = insertelement <4 x i32> poison, i32 %v13, i64 0
  %v26 = shufflevector <4 x i32> %v25, <4 x i32> poison, <4 x i32> zeroinitializer
  %v27 = mul <4 x i32> %v24, %v26
  %v28 = add <4 x i32> %v10, %v27
  %v29 = getelementptr inbounds [6 x [12 x i8]], ptr %v2, i32 0, i64 %v14, i32 8
  %v30 = load <4 x i8>, ptr %v29, align 1
  %v31 = zext <4 x i8> %v30 to <4 x i32>
  %v32 = insertelement <4 x i32> poison, i32 %v13, i64 0
  %v33 = shufflevector <4 x i32> %v32, <4 x i32> poison, <4 x i32> zeroinitializer
  %v34 = mul <4 x i32> %v31, %v33
  %v35 = add <4 x i32> %v11, %v34
  %v36 = add nsw i64 %v8, 1
  %v37 = icmp slt i64 %v36, 2
  br i1 %v37, label %b2, label %b3, !llvm.loop !1
b3:
  %v38 = phi <4 x i32> [ %v21, %b2 ]
  %v39 = phi <4 x i32> [ %v28, %b2 ]
  %v40 = phi <4 x i32> [ %v35, %b2 ]
  %v41 = ashr <4 x i32> %v38, splat (i32 22)
  %v42 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v41, <4 x i32> splat (i32 0))
  %v43 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v42, <4 x i32> splat (i32 255))
  %v44 = trunc <4 x i32> %v43 to <4 x i8>
  %v45 = getelementptr inbounds [5 x [12 x i8]], ptr %v3, i32 0, i64 %v4, i32 0
  store <4 x i8> %v44, ptr %v45, align 1
  %v46 = ashr <4 x i32> %v39, splat (i32 22)
  %v47 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v46, <4 x i32> splat (i32 0))
  %v48 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v47, <4 x i32> splat (i32 255))
  %v49 = trunc <4 x i32> %v48 to <4 x i8>
  %v50 = getelementptr inbounds [5 x [12 x i8]], ptr %v3, i32 0, i64 %v4, i32 4
  store <4 x i8> %v49, ptr %v50, align 1
  %v51 = ashr <4 x i32> %v40, splat (i32 22)
  %v52 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v51, <4 x i32> splat (i32 0))
  %v53 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v52, <4 x i32> splat (i32 255))
  %v54 = trunc <4 x i32> %v53 to <4 x i8>
  %v55 = getelementptr inbounds [5 x [12 x i8]], ptr %v3, i32 0, i64 %v4, i32 8
  store <4 x i8> %v54, ptr %v55, align 1
  %v56 = add nsw i64 %v4, 1
  %v57 = icmp slt i64 %v56, 5
  br i1 %v57, label %b1, label %b4
b4:
  ret void
}

define internal void @cast_div_sub_more(ptr align 64 noalias noundef nonnull dereferenceable(60) %r, ptr align 64 noalias noundef nonnull dereferenceable(12) %v0, ptr align 64 noalias noundef nonnull dereferenceable(12) %v1, ptr noalias noundef nonnull dereferenceable(240) %v2) nounwind {
b0:
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v77, %b3 ]
  br label %b2
b2:
  %v4 = phi i64 [ 0, %b1 ], [ %v52, %b2 ]
  %v5 = add i64 %v4, 4
  %v6 = getelementptr inbounds [3 x i8], ptr %r, i64 %v4, i64 %v3
  %v7 = load <4 x i8>, ptr %v6, align 1
  %v8 = add i64 %v3, 4
  %v9 = getelementptr inbounds [3 x i8], ptr %r, i64 %v4, i64 %v8
  %v10 = load <4 x i8>, ptr %v9, align 1
  %v11 = add i64 %v3, 6
  %v12 = getelementptr inbounds [3 x i8], ptr %r, i64 %v4, i64 %v11
  %v13 = load <4 x i8>, ptr %v12, align 1
  %v14 = shufflevector <4 x i8> %v7, <4 x i8> %v10, <4 x i32> <i32 0, i32 3, i32 6, i32 0>
  %v15 = shufflevector <4 x i8> %v14, <4 x i8> %v13, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v16 = getelementptr inbounds float, ptr %v0, i64 %v3
  %v17 = load float, ptr %v16, align 4
  %v18 = getelementptr inbounds float, ptr %v1, i64 %v3
  %v19 = load float, ptr %v18, align 4
  %v20 = uitofp <4 x i8> %v15 to <4 x float>
  %v21 = fdiv <4 x float> %v20, splat (float 0x406FE00000000000)
  %v22 = insertelement <4 x float> poison, float %v17, i64 0
  %v23 = shufflevector <4 x float> %v22, <4 x float> poison, <4 x i32> zeroinitializer
  %v24 = fsub <4 x float> %v21, %v23
  %v25 = insertelement <4 x float> poison, float %v19, i64 0
  %v26 = shufflevector <4 x float> %v25, <4 x float> poison, <4 x i32> zeroinitializer
  %v27 = fdiv <4 x float> %v24, %v26
  %v28 = getelementptr inbounds [3 x i8], ptr %r, i64 %v5, i64 %v3
  %v29 = load <4 x i8>, ptr %v28, align 1
  %v30 = add i64 %v3, 4
  %v31 = getelementptr inbounds [3 x i8], ptr %r, i64 %v5, i64 %v30
  %v32 = load <4 x i8>, ptr %v31, align 1
  %v33 = add i64 %v3, 6
  %v34 = getelementptr inbounds [3 x i8], ptr %r, i64 %v5, i64 %v33
  %v35 = load <4 x i8>, ptr %v34, align 1
  %v36 = shufflevector <4 x i8> %v29, <4 x i8> %v32, <4 x i32> <i32 0, i32 3, i32 6, i32 0>
  %v37 = shufflevector <4 x i8> %v36, <4 x i8> %v35, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v38 = getelementptr inbounds float, ptr %v0, i64 %v3
  %v39 = load float, ptr %v38, align 4
  %v40 = getelementptr inbounds float, ptr %v1, i64 %v3
  %v41 = load float, ptr %v40, align 4
  %v42 = uitofp <4 x i8> %v37 to <4 x float>
  %v43 = fdiv <4 x float> %v42, splat (float 0x406FE00000000000)
  %v44 = insertelement <4 x float> poison, float %v39, i64 0
  %v45 = shufflevector <4 x float> %v44, <4 x float> poison, <4 x i32> zeroinitializer
  %v46 = fsub <4 x float> %v43, %v45
  %v47 = insertelement <4 x float> poison, float %v41, i64 0
  %v48 = shufflevector <4 x float> %v47, <4 x float> poison, <4 x i32> zeroinitializer
  %v49 = fdiv <4 x float> %v46, %v48
  %v50 = getelementptr inbounds [20 x float], ptr %v2, i64 %v3, i64 %v4
  store <4 x float> %v27, ptr %v50, align 4
  %v51 = getelementptr inbounds [20 x float], ptr %v2, i64 %v3, i64 %v5
  store <4 x float> %v49, ptr %v51, align 4
  %v52 = add nsw i64 %v4, 8
  %v53 = icmp slt i64 %v52, 16
  br i1 %v53, label %b2, label %b3, !llvm.loop !2
b3:
  %v54 = getelementptr inbounds [3 x i8], ptr %r, i32 16, i64 %v3
  %v55 = load <4 x i8>, ptr %v54, align 1
  %v56 = add i64 %v3, 4
  %v57 = getelementptr inbounds [3 x i8], ptr %r, i32 16, i64 %v56
  %v58 = load <4 x i8>, ptr %v57, align 1
  %v59 = add i64 %v3, 6
  %v60 = getelementptr inbounds [3 x i8], ptr %r, i32 16, i64 %v59
  %v61 = load <4 x i8>, ptr %v60, align 1
  %v62 = shufflevector <4 x i8> %v55, <4 x i8> %v58, <4 x i32> <i32 0, i32 3, i32 6, i32 0>
  %v63 = shufflevector <4 x i8> %v62, <4 x i8> %v61, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v64 = getelementptr inbounds float, ptr %v0, i64 %v3
  %v65 = load float, ptr %v64, align 4
  %v66 = getelementptr inbounds float, ptr %v1, i64 %v3
  %v67 = load float, ptr %v66, align 4
  %v68 = uitofp <4 x i8> %v63 to <4 x float>
  %v69 = fdiv <4 x float> %v68, splat (float 0x406FE00000000000)
  %v70 = insertelement <4 x float> poison, float %v65, i64 0
  %v71 = shufflevector <4 x float> %v70, <4 x float> poison, <4 x i32> zeroinitializer
  %v72 = fsub <4 x float> %v69, %v71
  %v73 = insertelement <4 x float> poison, float %v67, i64 0
  %v74 = shufflevector <4 x float> %v73, <4 x float> poison, <4 x i32> zeroinitializer
  %v75 = fdiv <4 x float> %v72, %v74
  %v76 = getelementptr inbounds [20 x float], ptr %v2, i64 %v3, i32 16
  store <4 x float> %v75, ptr %v76, align 4
  %v77 = add nsw i64 %v3, 1
  %v78 = icmp slt i64 %v77, 3
  br i1 %v78, label %b1, label %b4
b4:
  ret void
}

define internal void @segment_0(ptr align 64 noundef nonnull dereferenceable(16) %v0, ptr align 64 noundef nonnull dereferenceable(64) %v1, ptr noundef nonnull dereferenceable(144) %x, ptr align 64 noundef nonnull dereferenceable(20) %v2, ptr align 64 noundef nonnull dereferenceable(40) %v3, ptr align 64 noundef nonnull dereferenceable(12) %v4, ptr align 64 noundef nonnull dereferenceable(12) %v5, ptr align 64 noundef nonnull dereferenceable(72) %v6, ptr align 64 noundef nonnull dereferenceable(60) %r, ptr noundef nonnull dereferenceable(240) %t) nounwind {
b0:
  call void @resample(ptr %v0, ptr %v1, ptr %x, ptr %v6)
  call void @resample_1(ptr %v2, ptr %v3, ptr %v6, ptr %r)
  call void @cast_div_sub_more(ptr %r, ptr %v4, ptr %v5, ptr %t)
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
  %v17 = getelementptr inbounds ptr, ptr %table, i32 9
  %v18 = load ptr, ptr %v17, align 8
  call void @segment_0(ptr %v0, ptr %v2, ptr %v4, ptr %v6, ptr %v8, ptr %v10, ptr %v12, ptr %v14, ptr %v16, ptr %v18)
  ret void
}

!0 = !{!"llvm.loop.align", i32 64}
!1 = distinct !{!1, !0}
!2 = distinct !{!2, !0}
