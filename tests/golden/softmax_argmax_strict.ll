define internal void @reduce_max_sub_exp_more(ptr noalias noundef nonnull dereferenceable(444) %x, ptr noalias noundef nonnull dereferenceable(444) %v0, ptr noalias noundef nonnull dereferenceable(24) %v1) nounwind alignstack(32) {
b0:
  %v2 = insertelement <8 x float> poison, float 0xFFF0000000000000, i64 0
  %v3 = shufflevector <8 x float> %v2, <8 x float> poison, <8 x i32> zeroinitializer
  br label %b1
b1:
  %v4 = phi i64 [ 0, %b0 ], [ %v189, %b5 ]
  %v5 = getelementptr [37 x float], ptr %x, i64 %v4
  %v6 = load <8 x float>, ptr %v5, align 4
  %v7 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v6, <8 x float> %v3)
  %v8 = getelementptr float, ptr %v5, i32 8
  %v9 = load <8 x float>, ptr %v8, align 4
  %v10 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v9, <8 x float> %v3)
  %v11 = getelementptr float, ptr %v5, i32 16
  %v12 = load <8 x float>, ptr %v11, align 4
  %v13 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v12, <8 x float> %v3)
  %v14 = getelementptr float, ptr %v5, i32 24
  %v15 = load <8 x float>, ptr %v14, align 4
  %v16 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v15, <8 x float> %v3)
  %v17 = getelementptr float, ptr %v5, i32 32
  %v18 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v17, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v19 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v18, <8 x float> %v7)
  %v20 = select <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> %v19, <8 x float> %v7
  %v21 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v20, <8 x float> %v10)
  %v22 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v13, <8 x float> %v16)
  %v23 = call nsz <8 x float> @llvm.maximum.v8f32(<8 x float> %v21, <8 x float> %v22)
  %v24 = call reassoc float @llvm.vector.reduce.fmaximum.v8f32(<8 x float> %v23)
  %v25 = call nsz float @llvm.maximum.f32(float 0xFFF0000000000000, float %v24)
  %v26 = getelementptr [37 x float], ptr %v0, i64 %v4
  br label %b2
b2:
  %v27 = phi i64 [ 0, %b1 ], [ %v102, %b2 ]
  %v28 = phi <8 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v100, %b2 ]
  %v29 = phi <8 x float> [ splat (float 0x0000000000000000), %b1 ], [ %v101, %b2 ]
  %v30 = getelementptr float, ptr %v5, i64 %v27
  %v31 = load <8 x float>, ptr %v30, align 4
  %v32 = insertelement <8 x float> poison, float %v25, i64 0
  %v33 = shufflevector <8 x float> %v32, <8 x float> poison, <8 x i32> zeroinitializer
  %v34 = fsub <8 x float> %v31, %v33
  %v35 = fcmp olt <8 x float> %v34, splat (float 0xC05A000000000000)
  %v36 = select <8 x i1> %v35, <8 x float> splat (float 0xC05A000000000000), <8 x float> %v34
  %v37 = fcmp ogt <8 x float> %v36, splat (float 0x4056400000000000)
  %v38 = select <8 x i1> %v37, <8 x float> splat (float 0x4056400000000000), <8 x float> %v36
  %v39 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v38, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
  %v40 = bitcast <8 x float> %v39 to <8 x i32>
  %v41 = bitcast <8 x float> splat (float 0x4168000000000000) to <8 x i32>
  %v42 = sub <8 x i32> %v40, %v41
  %v43 = fsub <8 x float> %v39, splat (float 0x4168000000000000)
  %v44 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v43, <8 x float> splat (float 0xBFE62E4000000000), <8 x float> %v38)
  %v45 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v43, <8 x float> splat (float 0xBEB7F7D1C0000000), <8 x float> %v44)
  %v46 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F2A124E40000000), <8 x float> %v45, <8 x float> splat (float 0x3F56D43160000000))
  %v47 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v46, <8 x float> %v45, <8 x float> splat (float 0x3F81110E00000000))
  %v48 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v47, <8 x float> %v45, <8 x float> splat (float 0x3FA5554EA0000000))
  %v49 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v48, <8 x float> %v45, <8 x float> splat (float 0x3FC5555560000000))
  %v50 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v49, <8 x float> %v45, <8 x float> splat (float 0x3FE0000000000000))
  %v51 = fmul <8 x float> %v45, %v45
  %v52 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v51, <8 x float> %v50, <8 x float> %v45)
  %v53 = fadd <8 x float> %v52, splat (float 0x3FF0000000000000)
  %v54 = ashr <8 x i32> %v42, splat (i32 1)
  %v55 = sub <8 x i32> %v42, %v54
  %v56 = add <8 x i32> %v54, splat (i32 127)
  %v57 = shl <8 x i32> %v56, splat (i32 23)
  %v58 = bitcast <8 x i32> %v57 to <8 x float>
  %v59 = fmul <8 x float> %v53, %v58
  %v60 = add <8 x i32> %v55, splat (i32 127)
  %v61 = shl <8 x i32> %v60, splat (i32 23)
  %v62 = bitcast <8 x i32> %v61 to <8 x float>
  %v63 = fmul <8 x float> %v59, %v62
  %v64 = getelementptr float, ptr %v26, i64 %v27
  store <8 x float> %v63, ptr %v64, align 4
  %v65 = getelementptr float, ptr %v30, i32 8
  %v66 = load <8 x float>, ptr %v65, align 4
  %v67 = insertelement <8 x float> poison, float %v25, i64 0
  %v68 = shufflevector <8 x float> %v67, <8 x float> poison, <8 x i32> zeroinitializer
  %v69 = fsub <8 x float> %v66, %v68
  %v70 = fcmp olt <8 x float> %v69, splat (float 0xC05A000000000000)
  %v71 = select <8 x i1> %v70, <8 x float> splat (float 0xC05A000000000000), <8 x float> %v69
  %v72 = fcmp ogt <8 x float> %v71, splat (float 0x4056400000000000)
  %v73 = select <8 x i1> %v72, <8 x float> splat (float 0x4056400000000000), <8 x float> %v71
  %v74 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v73, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
  %v75 = bitcast <8 x float> %v74 to <8 x i32>
  %v76 = bitcast <8 x float> splat (float 0x4168000000000000) to <8 x i32>
  %v77 = sub <8 x i32> %v75, %v76
  %v78 = fsub <8 x float> %v74, splat (float 0x4168000000000000)
  %v79 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v78, <8 x float> splat (float 0xBFE62E4000000000), <8 x float> %v73)
  %v80 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v78, <8 x float> splat (float 0xBEB7F7D1C0000000), <8 x float> %v79)
  %v81 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F2A124E40000000), <8 x float> %v80, <8 x float> splat (float 0x3F56D43160000000))
  %v82 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v81, <8 x float> %v80, <8 x float> splat (float 0x3F81110E00000000))
  %v83 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v82, <8 x float> %v80, <8 x float> splat (float 0x3FA5554EA0000000))
  %v84 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v83, <8 x float> %v80, <8 x float> splat (float 0x3FC5555560000000))
  %v85 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v84, <8 x float> %v80, <8 x float> splat (float 0x3FE0000000000000))
  %v86 = fmul <8 x float> %v80, %v80
  %v87 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v86, <8 x float> %v85, <8 x float> %v80)
  %v88 = fadd <8 x float> %v87, splat (float 0x3FF0000000000000)
  %v89 = ashr <8 x i32> %v77, splat (i32 1)
  %v90 = sub <8 x i32> %v77, %v89
  %v91 = add <8 x i32> %v89, splat (i32 127)
  %v92 = shl <8 x i32> %v91, splat (i32 23)
  %v93 = bitcast <8 x i32> %v92 to <8 x float>
  %v94 = fmul <8 x float> %v88, %v93
  %v95 = add <8 x i32> %v90, splat (i32 127)
  %v96 = shl <8 x i32> %v95, splat (i32 23)
  %v97 = bitcast <8 x i32> %v96 to <8 x float>
  %v98 = fmul <8 x float> %v94, %v97
  %v99 = getelementptr float, ptr %v64, i32 8
  store <8 x float> %v98, ptr %v99, align 4
  %v100 = fadd <8 x float> %v28, %v63
  %v101 = fadd <8 x float> %v29, %v98
  %v102 = add nsw i64 %v27, 16
  %v103 = icmp slt i64 %v102, 32
  br i1 %v103, label %b2, label %b3, !llvm.loop !1
b3:
  %v104 = phi <8 x float> [ %v100, %b2 ]
  %v105 = phi <8 x float> [ %v101, %b2 ]
  %v106 = getelementptr float, ptr %v5, i32 32
  %v107 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v106, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v108 = insertelement <8 x float> poison, float %v25, i64 0
  %v109 = shufflevector <8 x float> %v108, <8 x float> poison, <8 x i32> zeroinitializer
  %v110 = fsub <8 x float> %v107, %v109
  %v111 = fcmp olt <8 x float> %v110, splat (float 0xC05A000000000000)
  %v112 = select <8 x i1> %v111, <8 x float> splat (float 0xC05A000000000000), <8 x float> %v110
  %v113 = fcmp ogt <8 x float> %v112, splat (float 0x4056400000000000)
  %v114 = select <8 x i1> %v113, <8 x float> splat (float 0x4056400000000000), <8 x float> %v112
  %v115 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v114, <8 x float> splat (float 0x3FF7154760000000), <8 x float> splat (float 0x4168000000000000))
  %v116 = bitcast <8 x float> %v115 to <8 x i32>
  %v117 = bitcast <8 x float> splat (float 0x4168000000000000) to <8 x i32>
  %v118 = sub <8 x i32> %v116, %v117
  %v119 = fsub <8 x float> %v115, splat (float 0x4168000000000000)
  %v120 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v119, <8 x float> splat (float 0xBFE62E4000000000), <8 x float> %v114)
  %v121 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v119, <8 x float> splat (float 0xBEB7F7D1C0000000), <8 x float> %v120)
  %v122 = call <8 x float> @llvm.fma.v8f32(<8 x float> splat (float 0x3F2A124E40000000), <8 x float> %v121, <8 x float> splat (float 0x3F56D43160000000))
  %v123 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v122, <8 x float> %v121, <8 x float> splat (float 0x3F81110E00000000))
  %v124 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v123, <8 x float> %v121, <8 x float> splat (float 0x3FA5554EA0000000))
  %v125 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v124, <8 x float> %v121, <8 x float> splat (float 0x3FC5555560000000))
  %v126 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v125, <8 x float> %v121, <8 x float> splat (float 0x3FE0000000000000))
  %v127 = fmul <8 x float> %v121, %v121
  %v128 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v127, <8 x float> %v126, <8 x float> %v121)
  %v129 = fadd <8 x float> %v128, splat (float 0x3FF0000000000000)
  %v130 = ashr <8 x i32> %v118, splat (i32 1)
  %v131 = sub <8 x i32> %v118, %v130
  %v132 = add <8 x i32> %v130, splat (i32 127)
  %v133 = shl <8 x i32> %v132, splat (i32 23)
  %v134 = bitcast <8 x i32> %v133 to <8 x float>
  %v135 = fmul <8 x float> %v129, %v134
  %v136 = add <8 x i32> %v131, splat (i32 127)
  %v137 = shl <8 x i32> %v136, splat (i32 23)
  %v138 = bitcast <8 x i32> %v137 to <8 x float>
  %v139 = fmul <8 x float> %v135, %v138
  %v140 = getelementptr float, ptr %v26, i32 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v139, ptr %v140, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>)
  %v141 = fadd <8 x float> %v104, %v139
  %v142 = select <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> %v141, <8 x float> %v104
  %v143 = fadd <8 x float> %v142, %v105
  %v144 = call reassoc float @llvm.vector.reduce.fadd.v8f32(float 0x8000000000000000, <8 x float> %v143)
  %v145 = fadd float 0x0000000000000000, %v144
  br label %b4
b4:
  %v146 = phi i64 [ 0, %b3 ], [ %v162, %b4 ]
  %v147 = phi <8 x float> [ %v3, %b3 ], [ %v160, %b4 ]
  %v148 = phi <8 x i64> [ splat (i64 0), %b3 ], [ %v161, %b4 ]
  %v149 = getelementptr float, ptr %v26, i64 %v146
  %v150 = load <8 x float>, ptr %v149, align 4
  %v151 = insertelement <8 x float> poison, float %v145, i64 0
  %v152 = shufflevector <8 x float> %v151, <8 x float> poison, <8 x i32> zeroinitializer
  %v153 = fdiv <8 x float> %v150, %v152
  store <8 x float> %v153, ptr %v149, align 4
  %v154 = fcmp ugt <8 x float> %v153, %v147
  %v155 = fcmp ord <8 x float> %v147, %v147
  %v156 = and <8 x i1> %v154, %v155
  %v157 = insertelement <8 x i64> poison, i64 %v146, i64 0
  %v158 = shufflevector <8 x i64> %v157, <8 x i64> poison, <8 x i32> zeroinitializer
  %v159 = add <8 x i64> %v158, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v160 = select <8 x i1> %v156, <8 x float> %v153, <8 x float> %v147
  %v161 = select <8 x i1> %v156, <8 x i64> %v159, <8 x i64> %v148
  %v162 = add nsw i64 %v146, 8
  %v163 = icmp slt i64 %v162, 32
  br i1 %v163, label %b4, label %b5, !llvm.loop !2
b5:
  %v164 = phi <8 x float> [ %v160, %b4 ]
  %v165 = phi <8 x i64> [ %v161, %b4 ]
  %v166 = getelementptr float, ptr %v26, i32 32
  %v167 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v166, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> splat (float 0x0000000000000000))
  %v168 = insertelement <8 x float> poison, float %v145, i64 0
  %v169 = shufflevector <8 x float> %v168, <8 x float> poison, <8 x i32> zeroinitializer
  %v170 = fdiv <8 x float> %v167, %v169
  %v171 = getelementptr float, ptr %v26, i32 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v170, ptr %v171, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>)
  %v172 = fcmp ugt <8 x float> %v170, %v164
  %v173 = fcmp ord <8 x float> %v164, %v164
  %v174 = and <8 x i1> %v172, %v173
  %v175 = add <8 x i64> splat (i64 32), <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v176 = select <8 x i1> %v174, <8 x float> %v170, <8 x float> %v164
  %v177 = select <8 x i1> %v174, <8 x i64> %v175, <8 x i64> %v165
  %v178 = select <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> %v176, <8 x float> %v164
  %v179 = select <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x i64> %v177, <8 x i64> %v165
  %v180 = call reassoc float @llvm.vector.reduce.fmaximum.v8f32(<8 x float> %v178)
  %v181 = insertelement <8 x float> poison, float %v180, i64 0
  %v182 = shufflevector <8 x float> %v181, <8 x float> poison, <8 x i32> zeroinitializer
  %v183 = fcmp oeq <8 x float> %v178, %v182
  %v184 = fcmp uno <8 x float> %v178, %v178
  %v185 = or <8 x i1> %v183, %v184
  %v186 = select <8 x i1> %v185, <8 x i64> %v179, <8 x i64> splat (i64 9223372036854775807)
  %v187 = call i64 @llvm.vector.reduce.smin.v8i64(<8 x i64> %v186)
  %v188 = getelementptr i64, ptr %v1, i64 %v4
  store i64 %v187, ptr %v188, align 8
  %v189 = add nsw i64 %v4, 1
  %v190 = icmp slt i64 %v189, 3
  br i1 %v190, label %b1, label %b6
b6:
  ret void
}

define internal void @segment_0(ptr noundef nonnull dereferenceable(444) %x, ptr noundef nonnull dereferenceable(444) %p, ptr noundef nonnull dereferenceable(24) %i) nounwind alignstack(32) {
b0:
  call void @reduce_max_sub_exp_more(ptr %x, ptr %p, ptr %i)
  ret void
}

define void @segment_0_entry(ptr %table) nounwind alignstack(32) {
b0:
  %v0 = load ptr, ptr %table, align 8
  %v1 = getelementptr ptr, ptr %table, i32 1
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr ptr, ptr %table, i32 2
  %v4 = load ptr, ptr %v3, align 8
  call void @segment_0(ptr %v0, ptr %v2, ptr %v4)
  ret void
}

!0 = !{!"llvm.loop.align", i32 64}
!1 = distinct !{!1, !0}
!2 = distinct !{!2, !0}
