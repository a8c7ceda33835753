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
  %v7 = phi i64 [ 0, %b1 ], [ %v74, %b5 ]
  %v8 = getelementptr i32, ptr %v0, i64 %v7
  %v9 = load i32, ptr %v8, align 4
  %v10 = sext i32 %v9 to i64
  %v11 = getelementptr [3 x i8], ptr %x, i64 %v10
  %v12 = load <16 x i8>, ptr %v11, align 1
  %v13 = getelementptr i8, ptr %v11, i32 24
  %v14 = load <16 x i8>, ptr %v13, align 1
  %v15 = getelementptr i8, ptr %v11, i32 48
  %v16 = load <16 x i8>, ptr %v15, align 1
  %v17 = getelementptr i8, ptr %v11, i32 72
  %v18 = load <16 x i8>, ptr %v17, align 1
  %v19 = shufflevector <16 x i8> %v12, <16 x i8> %v14, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v20 = shufflevector <16 x i8> %v16, <16 x i8> %v18, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v21 = shufflevector <32 x i8> %v19, <32 x i8> %v20, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v22 = shufflevector <64 x i8> %v21, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v23 = bitcast <64 x i8> %v22 to <16 x i32>
  %v24 = getelementptr [4 x i32], ptr %v1, i64 %v7
  %v25 = load i32, ptr %v24, align 4
  %v26 = insertelement <16 x i32> poison, i32 %v25, i64 0
  %v27 = shufflevector <16 x i32> %v26, <16 x i32> poison, <16 x i32> zeroinitializer
  %v28 = mul <16 x i32> %v23, %v27
  %v29 = add <16 x i32> splat (i32 2097152), %v28
  %v30 = shufflevector <64 x i8> %v21, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v31 = bitcast <64 x i8> %v30 to <16 x i32>
  %v32 = getelementptr i32, ptr %v24, i32 1
  %v33 = load i32, ptr %v32, align 4
  %v34 = insertelement <16 x i32> poison, i32 %v33, i64 0
  %v35 = shufflevector <16 x i32> %v34, <16 x i32> poison, <16 x i32> zeroinitializer
  %v36 = mul <16 x i32> %v31, %v35
  %v37 = add <16 x i32> %v29, %v36
  %v38 = shufflevector <64 x i8> %v21, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v39 = bitcast <64 x i8> %v38 to <16 x i32>
  %v40 = getelementptr i32, ptr %v24, i32 2
  %v41 = load i32, ptr %v40, align 4
  %v42 = insertelement <16 x i32> poison, i32 %v41, i64 0
  %v43 = shufflevector <16 x i32> %v42, <16 x i32> poison, <16 x i32> zeroinitializer
  %v44 = mul <16 x i32> %v39, %v43
  %v45 = add <16 x i32> %v37, %v44
  %v46 = shufflevector <64 x i8> %v21, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v47 = bitcast <64 x i8> %v46 to <16 x i32>
  %v48 = getelementptr i32, ptr %v24, i32 3
  %v49 = load i32, ptr %v48, align 4
  %v50 = insertelement <16 x i32> poison, i32 %v49, i64 0
  %v51 = shufflevector <16 x i32> %v50, <16 x i32> poison, <16 x i32> zeroinitializer
  %v52 = mul <16 x i32> %v47, %v51
  %v53 = add <16 x i32> %v45, %v52
  %v54 = ashr <16 x i32> %v53, splat (i32 22)
  %v55 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v54, <16 x i32> splat (i32 0))
  %v56 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v55, <16 x i32> splat (i32 255))
  %v57 = trunc <16 x i32> %v56 to <16 x i8>
  %v58 = icmp ult i64 %v7, 3
  %v59 = getelementptr [3 x i8], ptr %v2, i64 %v7
  br i1 %v58, label %b3, label %b4
b3:
  %v60 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i8> %v60, ptr %v59, align 1
  %v61 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v62 = getelementptr i8, ptr %v59, i32 12
  store <4 x i8> %v61, ptr %v62, align 1
  %v63 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v64 = getelementptr i8, ptr %v59, i32 24
  store <4 x i8> %v63, ptr %v64, align 1
  %v65 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v66 = getelementptr i8, ptr %v59, i32 36
  store <4 x i8> %v65, ptr %v66, align 1
  br label %b5
b4:
  %v67 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <3 x i32> <i32 0, i32 1, i32 2>
  store <3 x i8> %v67, ptr %v59, align 1
  %v68 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <3 x i32> <i32 4, i32 5, i32 6>
  %v69 = getelementptr i8, ptr %v59, i32 12
  store <3 x i8> %v68, ptr %v69, align 1
  %v70 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <3 x i32> <i32 8, i32 9, i32 10>
  %v71 = getelementptr i8, ptr %v59, i32 24
  store <3 x i8> %v70, ptr %v71, align 1
  %v72 = shufflevector <16 x i8> %v57, <16 x i8> %v57, <3 x i32> <i32 12, i32 13, i32 14>
  %v73 = getelementptr i8, ptr %v59, i32 36
  store <3 x i8> %v72, ptr %v73, align 1
  br label %b5
b5:
  %v74 = add nsw i64 %v7, 1
  %v75 = icmp slt i64 %v74, 4
  br i1 %v75, label %b2, label %b6
b6:
  br label %b13
b7:
  br label %b8
b8:
  %v76 = phi i64 [ 0, %b7 ], [ %v143, %b11 ]
  %v77 = getelementptr i32, ptr %v0, i64 %v76
  %v78 = load i32, ptr %v77, align 4
  %v79 = sext i32 %v78 to i64
  %v80 = getelementptr [3 x i8], ptr %x, i64 %v79
  %v81 = load <12 x i8>, ptr %v80, align 1
  %v82 = getelementptr i8, ptr %v80, i32 24
  %v83 = load <12 x i8>, ptr %v82, align 1
  %v84 = getelementptr i8, ptr %v80, i32 48
  %v85 = load <12 x i8>, ptr %v84, align 1
  %v86 = getelementptr i8, ptr %v80, i32 72
  %v87 = load <12 x i8>, ptr %v86, align 1
  %v88 = shufflevector <12 x i8> %v81, <12 x i8> %v83, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v89 = shufflevector <12 x i8> %v85, <12 x i8> %v87, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v90 = shufflevector <32 x i8> %v88, <32 x i8> %v89, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v91 = shufflevector <64 x i8> %v90, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v92 = bitcast <64 x i8> %v91 to <16 x i32>
  %v93 = getelementptr [4 x i32], ptr %v1, i64 %v76
  %v94 = load i32, ptr %v93, align 4
  %v95 = insertelement <16 x i32> poison, i32 %v94, i64 0
  %v96 = shufflevector <16 x i32> %v95, <16 x i32> poison, <16 x i32> zeroinitializer
  %v97 = mul <16 x i32> %v92, %v96
  %v98 = add <16 x i32> splat (i32 2097152), %v97
  %v99 = shufflevector <64 x i8> %v90, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v100 = bitcast <64 x i8> %v99 to <16 x i32>
  %v101 = getelementptr i32, ptr %v93, i32 1
  %v102 = load i32, ptr %v101, align 4
  %v103 = insertelement <16 x i32> poison, i32 %v102, i64 0
  %v104 = shufflevector <16 x i32> %v103, <16 x i32> poison, <16 x i32> zeroinitializer
  %v105 = mul <16 x i32> %v100, %v104
  %v106 = add <16 x i32> %v98, %v105
  %v107 = shufflevector <64 x i8> %v90, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v108 = bitcast <64 x i8> %v107 to <16 x i32>
  %v109 = getelementptr i32, ptr %v93, i32 2
  %v110 = load i32, ptr %v109, align 4
  %v111 = insertelement <16 x i32> poison, i32 %v110, i64 0
  %v112 = shufflevector <16 x i32> %v111, <16 x i32> poison, <16 x i32> zeroinitializer
  %v113 = mul <16 x i32> %v108, %v112
  %v114 = add <16 x i32> %v106, %v113
  %v115 = shufflevector <64 x i8> %v90, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v116 = bitcast <64 x i8> %v115 to <16 x i32>
  %v117 = getelementptr i32, ptr %v93, i32 3
  %v118 = load i32, ptr %v117, align 4
  %v119 = insertelement <16 x i32> poison, i32 %v118, i64 0
  %v120 = shufflevector <16 x i32> %v119, <16 x i32> poison, <16 x i32> zeroinitializer
  %v121 = mul <16 x i32> %v116, %v120
  %v122 = add <16 x i32> %v114, %v121
  %v123 = ashr <16 x i32> %v122, splat (i32 22)
  %v124 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v123, <16 x i32> splat (i32 0))
  %v125 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v124, <16 x i32> splat (i32 255))
  %v126 = trunc <16 x i32> %v125 to <16 x i8>
  %v127 = icmp ult i64 %v76, 3
  %v128 = getelementptr [3 x i8], ptr %v2, i64 %v76
  br i1 %v127, label %b9, label %b10
b9:
  %v129 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i8> %v129, ptr %v128, align 1
  %v130 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v131 = getelementptr i8, ptr %v128, i32 12
  store <4 x i8> %v130, ptr %v131, align 1
  %v132 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v133 = getelementptr i8, ptr %v128, i32 24
  store <4 x i8> %v132, ptr %v133, align 1
  %v134 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v135 = getelementptr i8, ptr %v128, i32 36
  store <4 x i8> %v134, ptr %v135, align 1
  br label %b11
b10:
  %v136 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <3 x i32> <i32 0, i32 1, i32 2>
  store <3 x i8> %v136, ptr %v128, align 1
  %v137 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <3 x i32> <i32 4, i32 5, i32 6>
  %v138 = getelementptr i8, ptr %v128, i32 12
  store <3 x i8> %v137, ptr %v138, align 1
  %v139 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <3 x i32> <i32 8, i32 9, i32 10>
  %v140 = getelementptr i8, ptr %v128, i32 24
  store <3 x i8> %v139, ptr %v140, align 1
  %v141 = shufflevector <16 x i8> %v126, <16 x i8> %v126, <3 x i32> <i32 12, i32 13, i32 14>
  %v142 = getelementptr i8, ptr %v128, i32 36
  store <3 x i8> %v141, ptr %v142, align 1
  br label %b11
b11:
  %v143 = add nsw i64 %v76, 1
  %v144 = icmp slt i64 %v143, 4
  br i1 %v144, label %b8, label %b12
b12:
  br label %b13
b13:
  %v145 = call i64 @llvm.umax.i64(i64 2, i64 3)
  %v146 = call i64 @llvm.umax.i64(i64 %v145, i64 4)
  %v147 = call i64 @llvm.umax.i64(i64 %v146, i64 5)
  %v148 = icmp ult i64 %v147, 5
  br i1 %v148, label %b14, label %b20
b14:
  br label %b15
b15:
  %v149 = phi i64 [ 0, %b14 ], [ %v219, %b18 ]
  %v150 = getelementptr i32, ptr %v0, i64 %v149
  %v151 = load i32, ptr %v150, align 4
  %v152 = sext i32 %v151 to i64
  %v153 = getelementptr [3 x i8], ptr %x, i64 %v152
  %v154 = getelementptr i8, ptr %v153, i32 48
  %v155 = load <16 x i8>, ptr %v154, align 1
  %v156 = getelementptr i8, ptr %v153, i32 72
  %v157 = load <16 x i8>, ptr %v156, align 1
  %v158 = getelementptr i8, ptr %v153, i32 96
  %v159 = load <16 x i8>, ptr %v158, align 1
  %v160 = getelementptr i8, ptr %v153, i32 120
  %v161 = load <16 x i8>, ptr %v160, align 1
  %v162 = shufflevector <16 x i8> %v155, <16 x i8> %v157, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v163 = shufflevector <16 x i8> %v159, <16 x i8> %v161, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v164 = shufflevector <32 x i8> %v162, <32 x i8> %v163, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v165 = shufflevector <64 x i8> %v164, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v166 = bitcast <64 x i8> %v165 to <16 x i32>
  %v167 = getelementptr [4 x i32], ptr %v1, i64 %v149
  %v168 = load i32, ptr %v167, align 4
  %v169 = insertelement <16 x i32> poison, i32 %v168, i64 0
  %v170 = shufflevector <16 x i32> %v169, <16 x i32> poison, <16 x i32> zeroinitializer
  %v171 = mul <16 x i32> %v166, %v170
  %v172 = add <16 x i32> splat (i32 2097152), %v171
  %v173 = shufflevector <64 x i8> %v164, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v174 = bitcast <64 x i8> %v173 to <16 x i32>
  %v175 = getelementptr i32, ptr %v167, i32 1
  %v176 = load i32, ptr %v175, align 4
  %v177 = insertelement <16 x i32> poison, i32 %v176, i64 0
  %v178 = shufflevector <16 x i32> %v177, <16 x i32> poison, <16 x i32> zeroinitializer
  %v179 = mul <16 x i32> %v174, %v178
  %v180 = add <16 x i32> %v172, %v179
  %v181 = shufflevector <64 x i8> %v164, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v182 = bitcast <64 x i8> %v181 to <16 x i32>
  %v183 = getelementptr i32, ptr %v167, i32 2
  %v184 = load i32, ptr %v183, align 4
  %v185 = insertelement <16 x i32> poison, i32 %v184, i64 0
  %v186 = shufflevector <16 x i32> %v185, <16 x i32> poison, <16 x i32> zeroinitializer
  %v187 = mul <16 x i32> %v182, %v186
  %v188 = add <16 x i32> %v180, %v187
  %v189 = shufflevector <64 x i8> %v164, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v190 = bitcast <64 x i8> %v189 to <16 x i32>
  %v191 = getelementptr i32, ptr %v167, i32 3
  %v192 = load i32, ptr %v191, align 4
  %v193 = insertelement <16 x i32> poison, i32 %v192, i64 0
  %v194 = shufflevector <16 x i32> %v193, <16 x i32> poison, <16 x i32> zeroinitializer
  %v195 = mul <16 x i32> %v190, %v194
  %v196 = add <16 x i32> %v188, %v195
  %v197 = ashr <16 x i32> %v196, splat (i32 22)
  %v198 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v197, <16 x i32> splat (i32 0))
  %v199 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v198, <16 x i32> splat (i32 255))
  %v200 = trunc <16 x i32> %v199 to <16 x i8>
  %v201 = icmp ult i64 %v149, 3
  %v202 = getelementptr [3 x i8], ptr %v2, i64 %v149
  br i1 %v201, label %b16, label %b17
b16:
  %v203 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v204 = getelementptr i8, ptr %v202, i32 24
  store <4 x i8> %v203, ptr %v204, align 1
  %v205 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v206 = getelementptr i8, ptr %v202, i32 36
  store <4 x i8> %v205, ptr %v206, align 1
  %v207 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v208 = getelementptr i8, ptr %v202, i32 48
  store <4 x i8> %v207, ptr %v208, align 1
  %v209 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v210 = getelementptr i8, ptr %v202, i32 60
  store <4 x i8> %v209, ptr %v210, align 1
  br label %b18
b17:
  %v211 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <3 x i32> <i32 0, i32 1, i32 2>
  %v212 = getelementptr i8, ptr %v202, i32 24
  store <3 x i8> %v211, ptr %v212, align 1
  %v213 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <3 x i32> <i32 4, i32 5, i32 6>
  %v214 = getelementptr i8, ptr %v202, i32 36
  store <3 x i8> %v213, ptr %v214, align 1
  %v215 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <3 x i32> <i32 8, i32 9, i32 10>
  %v216 = getelementptr i8, ptr %v202, i32 48
  store <3 x i8> %v215, ptr %v216, align 1
  %v217 = shufflevector <16 x i8> %v200, <16 x i8> %v200, <3 x i32> <i32 12, i32 13, i32 14>
  %v218 = getelementptr i8, ptr %v202, i32 60
  store <3 x i8> %v217, ptr %v218, align 1
  br label %b18
b18:
  %v219 = add nsw i64 %v149, 1
  %v220 = icmp slt i64 %v219, 4
  br i1 %v220, label %b15, label %b19
b19:
  br label %b26
b20:
  br label %b21
b21:
  %v221 = phi i64 [ 0, %b20 ], [ %v291, %b24 ]
  %v222 = getelementptr i32, ptr %v0, i64 %v221
  %v223 = load i32, ptr %v222, align 4
  %v224 = sext i32 %v223 to i64
  %v225 = getelementptr [3 x i8], ptr %x, i64 %v224
  %v226 = getelementptr i8, ptr %v225, i32 48
  %v227 = load <12 x i8>, ptr %v226, align 1
  %v228 = getelementptr i8, ptr %v225, i32 72
  %v229 = load <12 x i8>, ptr %v228, align 1
  %v230 = getelementptr i8, ptr %v225, i32 96
  %v231 = load <12 x i8>, ptr %v230, align 1
  %v232 = getelementptr i8, ptr %v225, i32 120
  %v233 = load <12 x i8>, ptr %v232, align 1
  %v234 = shufflevector <12 x i8> %v227, <12 x i8> %v229, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v235 = shufflevector <12 x i8> %v231, <12 x i8> %v233, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 11, i32 11, i32 11, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 23, i32 23, i32 23, i32 23>
  %v236 = shufflevector <32 x i8> %v234, <32 x i8> %v235, <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>
  %v237 = shufflevector <64 x i8> %v236, <64 x i8> splat (i8 0), <64 x i32> <i32 0, i32 64, i32 64, i32 64, i32 1, i32 64, i32 64, i32 64, i32 2, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 16, i32 64, i32 64, i32 64, i32 17, i32 64, i32 64, i32 64, i32 18, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 32, i32 64, i32 64, i32 64, i32 33, i32 64, i32 64, i32 64, i32 34, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 48, i32 64, i32 64, i32 64, i32 49, i32 64, i32 64, i32 64, i32 50, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v238 = bitcast <64 x i8> %v237 to <16 x i32>
  %v239 = getelementptr [4 x i32], ptr %v1, i64 %v221
  %v240 = load i32, ptr %v239, align 4
  %v241 = insertelement <16 x i32> poison, i32 %v240, i64 0
  %v242 = shufflevector <16 x i32> %v241, <16 x i32> poison, <16 x i32> zeroinitializer
  %v243 = mul <16 x i32> %v238, %v242
  %v244 = add <16 x i32> splat (i32 2097152), %v243
  %v245 = shufflevector <64 x i8> %v236, <64 x i8> splat (i8 0), <64 x i32> <i32 3, i32 64, i32 64, i32 64, i32 4, i32 64, i32 64, i32 64, i32 5, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 19, i32 64, i32 64, i32 64, i32 20, i32 64, i32 64, i32 64, i32 21, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 35, i32 64, i32 64, i32 64, i32 36, i32 64, i32 64, i32 64, i32 37, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 51, i32 64, i32 64, i32 64, i32 52, i32 64, i32 64, i32 64, i32 53, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v246 = bitcast <64 x i8> %v245 to <16 x i32>
  %v247 = getelementptr i32, ptr %v239, i32 1
  %v248 = load i32, ptr %v247, align 4
  %v249 = insertelement <16 x i32> poison, i32 %v248, i64 0
  %v250 = shufflevector <16 x i32> %v249, <16 x i32> poison, <16 x i32> zeroinitializer
  %v251 = mul <16 x i32> %v246, %v250
  %v252 = add <16 x i32> %v244, %v251
  %v253 = shufflevector <64 x i8> %v236, <64 x i8> splat (i8 0), <64 x i32> <i32 6, i32 64, i32 64, i32 64, i32 7, i32 64, i32 64, i32 64, i32 8, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 22, i32 64, i32 64, i32 64, i32 23, i32 64, i32 64, i32 64, i32 24, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 38, i32 64, i32 64, i32 64, i32 39, i32 64, i32 64, i32 64, i32 40, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 54, i32 64, i32 64, i32 64, i32 55, i32 64, i32 64, i32 64, i32 56, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v254 = bitcast <64 x i8> %v253 to <16 x i32>
  %v255 = getelementptr i32, ptr %v239, i32 2
  %v256 = load i32, ptr %v255, align 4
  %v257 = insertelement <16 x i32> poison, i32 %v256, i64 0
  %v258 = shufflevector <16 x i32> %v257, <16 x i32> poison, <16 x i32> zeroinitializer
  %v259 = mul <16 x i32> %v254, %v258
  %v260 = add <16 x i32> %v252, %v259
  %v261 = shufflevector <64 x i8> %v236, <64 x i8> splat (i8 0), <64 x i32> <i32 9, i32 64, i32 64, i32 64, i32 10, i32 64, i32 64, i32 64, i32 11, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 25, i32 64, i32 64, i32 64, i32 26, i32 64, i32 64, i32 64, i32 27, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 41, i32 64, i32 64, i32 64, i32 42, i32 64, i32 64, i32 64, i32 43, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 57, i32 64, i32 64, i32 64, i32 58, i32 64, i32 64, i32 64, i32 59, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %v262 = bitcast <64 x i8> %v261 to <16 x i32>
  %v263 = getelementptr i32, ptr %v239, i32 3
  %v264 = load i32, ptr %v263, align 4
  %v265 = insertelement <16 x i32> poison, i32 %v264, i64 0
  %v266 = shufflevector <16 x i32> %v265, <16 x i32> poison, <16 x i32> zeroinitializer
  %v267 = mul <16 x i32> %v262, %v266
  %v268 = add <16 x i32> %v260, %v267
  %v269 = ashr <16 x i32> %v268, splat (i32 22)
  %v270 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %v269, <16 x i32> splat (i32 0))
  %v271 = call <16 x i32> @llvm.smin.v16i32(<16 x i32> %v270, <16 x i32> splat (i32 255))
  %v272 = trunc <16 x i32> %v271 to <16 x i8>
  %v273 = icmp ult i64 %v221, 3
  %v274 = getelementptr [3 x i8], ptr %v2, i64 %v221
  br i1 %v273, label %b22, label %b23
b22:
  %v275 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v276 = getelementptr i8, ptr %v274, i32 24
  store <4 x i8> %v275, ptr %v276, align 1
  %v277 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v278 = getelementptr i8, ptr %v274, i32 36
  store <4 x i8> %v277, ptr %v278, align 1
  %v279 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  %v280 = getelementptr i8, ptr %v274, i32 48
  store <4 x i8> %v279, ptr %v280, align 1
  %v281 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <4 x i32> <i32 12, i32 13, i32 14, i32 15>
  %v282 = getelementptr i8, ptr %v274, i32 60
  store <4 x i8> %v281, ptr %v282, align 1
  br label %b24
b23:
  %v283 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <3 x i32> <i32 0, i32 1, i32 2>
  %v284 = getelementptr i8, ptr %v274, i32 24
  store <3 x i8> %v283, ptr %v284, align 1
  %v285 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <3 x i32> <i32 4, i32 5, i32 6>
  %v286 = getelementptr i8, ptr %v274, i32 36
  store <3 x i8> %v285, ptr %v286, align 1
  %v287 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <3 x i32> <i32 8, i32 9, i32 10>
  %v288 = getelementptr i8, ptr %v274, i32 48
  store <3 x i8> %v287, ptr %v288, align 1
  %v289 = shufflevector <16 x i8> %v272, <16 x i8> %v272, <3 x i32> <i32 12, i32 13, i32 14>
  %v290 = getelementptr i8, ptr %v274, i32 60
  store <3 x i8> %v289, ptr %v290, align 1
  br label %b24
b24:
  %v291 = add nsw i64 %v221, 1
  %v292 = icmp slt i64 %v291, 4
  br i1 %v292, label %b21, label %b25
b25:
  br label %b26
b26:
  ret void
}

define internal void @resample_1(ptr align 64 noalias noundef nonnull dereferenceable(20) %v0, ptr align 64 noalias noundef nonnull dereferenceable(40) %v1, ptr align 64 noalias noundef nonnull dereferenceable(72) %v2, ptr align 64 noalias noundef nonnull dereferenceable(60) %v3) nounwind {
b0:
  br label %b1
b1:
  %v4 = phi i64 [ 0, %b0 ], [ %v59, %b3 ]
  %v5 = getelementptr i32, ptr %v0, i64 %v4
  %v6 = load i32, ptr %v5, align 4
  %v7 = sext i32 %v6 to i64
  %v8 = getelementptr [2 x i32], ptr %v1, i64 %v4
  %v9 = getelementptr [12 x i8], ptr %v2, i64 %v7
  br label %b2
b2:
  %v10 = phi i64 [ 0, %b1 ], [ %v38, %b2 ]
  %v11 = phi <4 x i32> [ splat (i32 2097152), %b1 ], [ %v23, %b2 ]
  %v12 = phi <4 x i32> [ splat (i32 2097152), %b1 ], [ %v30, %b2 ]
  %v13 = phi <4 x i32> [ splat (i32 2097152), %b1 ], [ %v37, %b2 ]
  %v14 = phi i64 [ 0, %b1 ], [ %v40, %b2 ]
  %v15 = getelementptr i32, ptr %v8, i64 %v10
  %v16 = load i32, ptr %v15, align 4
  %v17 = getelementptr i8, ptr %v9, i64 %v14
  %v18 = load <4 x i8>, ptr %v17, align 1
  %v19 = zext <4 x i8> %v18 to <4 x i32>
  %v20 = insertelement <4 x i32> poison, i32 %v16, i64 0
  %v21 = shufflevector <4 x i32> %v20, <4 x i32> poison, <4 x i32> zeroinitializer
  %v22 = mul <4 x i32> %v19, %v21
  %v23 = add <4 x i32> %v11, %v22
  %v24 = getelementptr i8, ptr %v17, i32 4
  %v25 = load <4 x i8>, ptr %v24, align 1
  %v26 = zext <4 x i8> %v25 to <4 x i32>
  %v27 = insertelement <4 x i32> poison, i32 %v16, i64 0
  %v28 = shufflevector <4 x i32> %v27, <4 x i32> poison, <4 x i32> zeroinitializer
  %v29 = mul <4 x i32> %v26, %v28
  %v30 = add <4 x i32> %v12, %v29
  %v31 = getelementptr i8, ptr %v17, i32 8
  %v32 = load <4 x i8>, ptr %v31, align 1
  %v33 = zext <4 x i8> %v32 to <4 x i32>
  %v34 = insertelement <4 x i32> poison, i32 %v16, i64 0
  %v35 = shufflevector <4 x i32> %v34, <4 x i32> poison, <4 x i32> zeroinitializer
  %v36 = mul <4 x i32> %v33, %v35
  %v37 = add <4 x i32> %v13, %v36
  %v38 = add nsw i64 %v10, 1
  %v39 = icmp slt i64 %v38, 2
  %v40 = add i64 %v14, 12
  br i1 %v39, label %b2, label %b3, !llvm.loop !1
b3:
  %v41 = phi <4 x i32> [ %v23, %b2 ]
  %v42 = phi <4 x i32> [ %v30, %b2 ]
  %v43 = phi <4 x i32> [ %v37, %b2 ]
  %v44 = ashr <4 x i32> %v41, splat (i32 22)
  %v45 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v44, <4 x i32> splat (i32 0))
  %v46 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v45, <4 x i32> splat (i32 255))
  %v47 = trunc <4 x i32> %v46 to <4 x i8>
  %v48 = getelementptr [12 x i8], ptr %v3, i64 %v4
  store <4 x i8> %v47, ptr %v48, align 1
  %v49 = ashr <4 x i32> %v42, splat (i32 22)
  %v50 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v49, <4 x i32> splat (i32 0))
  %v51 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v50, <4 x i32> splat (i32 255))
  %v52 = trunc <4 x i32> %v51 to <4 x i8>
  %v53 = getelementptr i8, ptr %v48, i32 4
  store <4 x i8> %v52, ptr %v53, align 1
  %v54 = ashr <4 x i32> %v43, splat (i32 22)
  %v55 = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %v54, <4 x i32> splat (i32 0))
  %v56 = call <4 x i32> @llvm.smin.v4i32(<4 x i32> %v55, <4 x i32> splat (i32 255))
  %v57 = trunc <4 x i32> %v56 to <4 x i8>
  %v58 = getelementptr i8, ptr %v48, i32 8
  store <4 x i8> %v57, ptr %v58, align 1
  %v59 = add nsw i64 %v4, 1
  %v60 = icmp slt i64 %v59, 5
  br i1 %v60, label %b1, label %b4
b4:
  ret void
}

define internal void @cast_div_sub_more(ptr align 64 noalias noundef nonnull dereferenceable(60) %r, ptr align 64 noalias noundef nonnull dereferenceable(12) %v0, ptr align 64 noalias noundef nonnull dereferenceable(12) %v1, ptr noalias noundef nonnull dereferenceable(240) %v2) nounwind {
b0:
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v70, %b3 ]
  %v4 = getelementptr i8, ptr %r, i64 %v3
  %v5 = getelementptr float, ptr %v0, i64 %v3
  %v6 = getelementptr float, ptr %v1, i64 %v3
  %v7 = getelementptr [20 x float], ptr %v2, i64 %v3
  br label %b2
b2:
  %v8 = phi i64 [ 0, %b1 ], [ %v48, %b2 ]
  %v9 = phi i64 [ 0, %b1 ], [ %v50, %b2 ]
  %v10 = getelementptr i8, ptr %v4, i64 %v9
  %v11 = load <4 x i8>, ptr %v10, align 1
  %v12 = getelementptr i8, ptr %v10, i32 4
  %v13 = load <4 x i8>, ptr %v12, align 1
  %v14 = getelementptr i8, ptr %v10, i32 6
  %v15 = load <4 x i8>, ptr %v14, align 1
  %v16 = shufflevector <4 x i8> %v11, <4 x i8> %v13, <4 x i32> <i32 0, i32 3, i32 6, i32 0>
  %v17 = shufflevector <4 x i8> %v16, <4 x i8> %v15, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v18 = load float, ptr %v5, align 4
  %v19 = load float, ptr %v6, align 4
  %v20 = uitofp <4 x i8> %v17 to <4 x float>
  %v21 = fdiv <4 x float> %v20, splat (float 0x406FE00000000000)
  %v22 = insertelement <4 x float> poison, float %v18, i64 0
  %v23 = shufflevector <4 x float> %v22, <4 x float> poison, <4 x i32> zeroinitializer
  %v24 = fsub <4 x float> %v21, %v23
  %v25 = insertelement <4 x float> poison, float %v19, i64 0
  %v26 = shufflevector <4 x float> %v25, <4 x float> poison, <4 x i32> zeroinitializer
  %v27 = fdiv <4 x float> %v24, %v26
  %v28 = getelementptr i8, ptr %v10, i32 12
  %v29 = load <4 x i8>, ptr %v28, align 1
  %v30 = getelementptr i8, ptr %v10, i32 16
  %v31 = load <4 x i8>, ptr %v30, align 1
  %v32 = getelementptr i8, ptr %v10, i32 18
  %v33 = load <4 x i8>, ptr %v32, align 1
  %v34 = shufflevector <4 x i8> %v29, <4 x i8> %v31, <4 x i32> <i32 0, i32 3, i32 6, i32 0>
  %v35 = shufflevector <4 x i8> %v34, <4 x i8> %v33, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v36 = load float, ptr %v5, align 4
  %v37 = load float, ptr %v6, align 4
  %v38 = uitofp <4 x i8> %v35 to <4 x float>
  %v39 = fdiv <4 x float> %v38, splat (float 0x406FE00000000000)
  %v40 = insertelement <4 x float> poison, float %v36, i64 0
  %v41 = shufflevector <4 x float> %v40, <4 x float> poison, <4 x i32> zeroinitializer
  %v42 = fsub <4 x float> %v39, %v41
  %v43 = insertelement <4 x float> poison, float %v37, i64 0
  %v44 = shufflevector <4 x float> %v43, <4 x float> poison, <4 x i32> zeroinitializer
  %v45 = fdiv <4 x float> %v42, %v44
  %v46 = getelementptr float, ptr %v7, i64 %v8
  store <4 x float> %v27, ptr %v46, align 4
  %v47 = getelementptr float, ptr %v46, i32 4
  store <4 x float> %v45, ptr %v47, align 4
  %v48 = add nsw i64 %v8, 8
  %v49 = icmp slt i64 %v48, 16
  %v50 = add i64 %v9, 24
  br i1 %v49, label %b2, label %b3, !llvm.loop !2
b3:
  %v51 = getelementptr i8, ptr %v4, i32 48
  %v52 = load <4 x i8>, ptr %v51, align 1
  %v53 = getelementptr i8, ptr %v4, i32 52
  %v54 = load <4 x i8>, ptr %v53, align 1
  %v55 = getelementptr i8, ptr %v4, i32 54
  %v56 = load <4 x i8>, ptr %v55, align 1
  %v57 = shufflevector <4 x i8> %v52, <4 x i8> %v54, <4 x i32> <i32 0, i32 3, i32 6, i32 0>
  %v58 = shufflevector <4 x i8> %v57, <4 x i8> %v56, <4 x i32> <i32 0, i32 1, i32 2, i32 7>
  %v59 = load float, ptr %v5, align 4
  %v60 = load float, ptr %v6, align 4
  %v61 = uitofp <4 x i8> %v58 to <4 x float>
  %v62 = fdiv <4 x float> %v61, splat (float 0x406FE00000000000)
  %v63 = insertelement <4 x float> poison, float %v59, i64 0
  %v64 = shufflevector <4 x float> %v63, <4 x float> poison, <4 x i32> zeroinitializer
  %v65 = fsub <4 x float> %v62, %v64
  %v66 = insertelement <4 x float> poison, float %v60, i64 0
  %v67 = shufflevector <4 x float> %v66, <4 x float> poison, <4 x i32> zeroinitializer
  %v68 = fdiv <4 x float> %v65, %v67
  %v69 = getelementptr float, ptr %v7, i32 16
  store <4 x float> %v68, ptr %v69, align 4
  %v70 = add nsw i64 %v3, 1
  %v71 = icmp slt i64 %v70, 3
  br i1 %v71, label %b1, label %b4
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
  %v11 = getelementptr ptr, ptr %table, i32 6
  %v12 = load ptr, ptr %v11, align 8
  %v13 = getelementptr ptr, ptr %table, i32 7
  %v14 = load ptr, ptr %v13, align 8
  %v15 = getelementptr ptr, ptr %table, i32 8
  %v16 = load ptr, ptr %v15, align 8
  %v17 = getelementptr ptr, ptr %table, i32 9
  %v18 = load ptr, ptr %v17, align 8
  call void @segment_0(ptr %v0, ptr %v2, ptr %v4, ptr %v6, ptr %v8, ptr %v10, ptr %v12, ptr %v14, ptr %v16, ptr %v18)
  ret void
}

!0 = !{!"llvm.loop.align", i32 64}
!1 = distinct !{!1, !0}
!2 = distinct !{!2, !0}
