@__const.bundle_sha256.state = private unnamed_addr constant [8 x i32] [i32 1779033703, i32 -1150833019, i32 1013904242, i32 -1521486534, i32 1359893119, i32 -1694144372, i32 528734635, i32 1541459225], align 4
@round_constants = internal unnamed_addr constant [64 x i32] [i32 1116352408, i32 1899447441, i32 -1245643825, i32 -373957723, i32 961987163, i32 1508970993, i32 -1841331548, i32 -1424204075, i32 -670586216, i32 310598401, i32 607225278, i32 1426881987, i32 1925078388, i32 -2132889090, i32 -1680079193, i32 -1046744716, i32 -459576895, i32 -272742522, i32 264347078, i32 604807628, i32 770255983, i32 1249150122, i32 1555081692, i32 1996064986, i32 -1740746414, i32 -1473132947, i32 -1341970488, i32 -1084653625, i32 -958395405, i32 -710438585, i32 113926993, i32 338241895, i32 666307205, i32 773529912, i32 1294757372, i32 1396182291, i32 1695183700, i32 1986661051, i32 -2117940946, i32 -1838011259, i32 -1564481375, i32 -1474664885, i32 -1035236496, i32 -949202525, i32 -778901479, i32 -694614492, i32 -200395387, i32 275423344, i32 430227734, i32 506948616, i32 659060556, i32 883997877, i32 958139571, i32 1322822218, i32 1537002063, i32 1747873779, i32 1955562222, i32 2024104815, i32 -2067236844, i32 -1933114872, i32 -1866530822, i32 -1538233109, i32 -1090935817, i32 -965641998], align 4

define void @bundle_add(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %4 = load i8, ptr %1, align 1
  %5 = icmp eq i8 %4, 0
  br i1 %5, label %21, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 8
  br label %8

8:
  %9 = phi i8 [ %4, %6 ], [ %19, %15 ]
  %10 = phi ptr [ %1, %6 ], [ %18, %15 ]
  %11 = load i64, ptr %3, align 8
  %12 = add i64 %11, 1
  %13 = load i64, ptr %7, align 8
  %14 = icmp ult i64 %12, %13
  br i1 %14, label %15, label %21

15:
  %16 = load ptr, ptr %0, align 8
  store i64 %12, ptr %3, align 8
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 %11
  store i8 %9, ptr %17, align 1
  %18 = getelementptr inbounds nuw i8, ptr %10, i64 1
  %19 = load i8, ptr %18, align 1
  %20 = icmp eq i8 %19, 0
  br i1 %20, label %21, label %8

21:
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %23 = load i64, ptr %22, align 8
  %24 = icmp eq i64 %23, 0
  br i1 %24, label %29, label %25

25:
  %26 = load ptr, ptr %0, align 8
  %27 = load i64, ptr %3, align 8
  %28 = getelementptr inbounds nuw i8, ptr %26, i64 %27
  store i8 0, ptr %28, align 1
  br label %29

29:
  ret void
}

define void @bundle_add_number(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = alloca [21 x i8], align 1
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #6
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 20
  store i8 0, ptr %4, align 1
  br label %5

5:
  %6 = phi i64 [ %14, %5 ], [ 20, %2 ]
  %7 = phi i64 [ %9, %5 ], [ %1, %2 ]
  %8 = freeze i64 %7
  %9 = udiv i64 %8, 10
  %10 = mul i64 %9, 10
  %11 = sub i64 %8, %10
  %12 = trunc nuw nsw i64 %11 to i8
  %13 = or disjoint i8 %12, 48
  %14 = add nsw i64 %6, -1
  %15 = getelementptr inbounds i8, ptr %3, i64 %14
  store i8 %13, ptr %15, align 1
  %16 = icmp ult i64 %7, 10
  br i1 %16, label %17, label %5

17:
  %18 = getelementptr inbounds i8, ptr %3, i64 %14
  call void @bundle_add(ptr noundef %0, ptr noundef nonnull %18) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #6
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define void @bundle_sha256(ptr noundef readonly captures(none) %0, i64 noundef %1, ptr noundef writeonly captures(none) %2) local_unnamed_addr #2 {
  %4 = alloca [8 x i32], align 4
  %5 = alloca [128 x i8], align 1
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #6
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(32) %4, ptr noundef nonnull align 4 dereferenceable(32) @__const.bundle_sha256.state, i64 32, i1 false)
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #6
  %6 = and i64 %1, -64
  %7 = and i64 %1, 63
  %8 = icmp eq i64 %6, 0
  br i1 %8, label %9, label %11

9:
  %10 = getelementptr i8, ptr %0, i64 %6
  br label %22

11:
  %12 = phi i64 [ %14, %11 ], [ 0, %3 ]
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 %12
  call fastcc void @add_block(ptr noundef %4, ptr noundef %13) #7
  %14 = add nuw i64 %12, 64
  %15 = icmp ult i64 %14, %6
  br i1 %15, label %11, label %9

16:
  %17 = getelementptr inbounds nuw i8, ptr %5, i64 %7
  store i8 -128, ptr %17, align 1
  %18 = icmp samesign ult i64 %7, 56
  %19 = select i1 %18, i32 1, i32 2
  %20 = shl i64 %1, 3
  %21 = shl nuw nsw i32 %19, 6
  br label %33

22:
  %23 = phi i64 [ 0, %9 ], [ %31, %28 ]
  %24 = icmp samesign ugt i64 %7, %23
  br i1 %24, label %25, label %28

25:
  %26 = getelementptr i8, ptr %10, i64 %23
  %27 = load i8, ptr %26, align 1
  br label %28

28:
  %29 = phi i8 [ %27, %25 ], [ 0, %22 ]
  %30 = getelementptr inbounds nuw i8, ptr %5, i64 %23
  store i8 %29, ptr %30, align 1
  %31 = add nuw nsw i64 %23, 1
  %32 = icmp eq i64 %31, 128
  br i1 %32, label %16, label %22

33:
  %34 = phi i64 [ 0, %16 ], [ %43, %33 ]
  %35 = shl nuw nsw i64 %34, 3
  %36 = lshr i64 %20, %35
  %37 = trunc i64 %36 to i8
  %38 = trunc nuw nsw i64 %34 to i32
  %39 = xor i32 %38, -1
  %40 = add nsw i32 %21, %39
  %41 = zext nneg i32 %40 to i64
  %42 = getelementptr inbounds nuw i8, ptr %5, i64 %41
  store i8 %37, ptr %42, align 1
  %43 = add nuw nsw i64 %34, 1
  %44 = icmp eq i64 %43, 8
  br i1 %44, label %45, label %33

45:
  %46 = zext nneg i32 %19 to i64
  br label %47

47:
  %48 = phi i64 [ 0, %45 ], [ %51, %47 ]
  %49 = shl nuw nsw i64 %48, 6
  %50 = getelementptr inbounds nuw i8, ptr %5, i64 %49
  call fastcc void @add_block(ptr noundef %4, ptr noundef nonnull %50) #7
  %51 = add nuw nsw i64 %48, 1
  %52 = icmp eq i64 %51, %46
  br i1 %52, label %54, label %47

53:
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #6
  ret void

54:
  %55 = phi i64 [ %67, %54 ], [ 0, %47 ]
  %56 = lshr i64 %55, 2
  %57 = and i64 %56, 1073741823
  %58 = getelementptr inbounds nuw i32, ptr %4, i64 %57
  %59 = load i32, ptr %58, align 4
  %60 = trunc i64 %55 to i32
  %61 = shl i32 %60, 3
  %62 = and i32 %61, 24
  %63 = xor i32 %62, 24
  %64 = lshr i32 %59, %63
  %65 = trunc i32 %64 to i8
  %66 = getelementptr inbounds nuw i8, ptr %2, i64 %55
  store i8 %65, ptr %66, align 1
  %67 = add nuw nsw i64 %55, 1
  %68 = icmp eq i64 %67, 32
  br i1 %68, label %53, label %54
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3

define internal fastcc void @add_block(ptr noundef nonnull captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #2 {
  %3 = alloca [64 x i32], align 4
  %4 = alloca [8 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #6
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #6
  br label %5

5:
  %6 = phi i64 [ 0, %2 ], [ %27, %5 ]
  %7 = shl nuw nsw i64 %6, 2
  %8 = getelementptr inbounds nuw i8, ptr %1, i64 %7
  %9 = load i8, ptr %8, align 1
  %10 = zext i8 %9 to i32
  %11 = shl nuw i32 %10, 24
  %12 = getelementptr inbounds nuw i8, ptr %8, i64 1
  %13 = load i8, ptr %12, align 1
  %14 = zext i8 %13 to i32
  %15 = shl nuw nsw i32 %14, 16
  %16 = or disjoint i32 %15, %11
  %17 = getelementptr inbounds nuw i8, ptr %8, i64 2
  %18 = load i8, ptr %17, align 1
  %19 = zext i8 %18 to i32
  %20 = shl nuw nsw i32 %19, 8
  %21 = or disjoint i32 %16, %20
  %22 = getelementptr inbounds nuw i8, ptr %8, i64 3
  %23 = load i8, ptr %22, align 1
  %24 = zext i8 %23 to i32
  %25 = or disjoint i32 %21, %24
  %26 = getelementptr inbounds nuw i32, ptr %3, i64 %6
  store i32 %25, ptr %26, align 4
  %27 = add nuw nsw i64 %6, 1
  %28 = icmp eq i64 %27, 16
  br i1 %28, label %29, label %5

29:
  %30 = phi i64 [ %53, %29 ], [ 16, %5 ]
  %31 = getelementptr i32, ptr %3, i64 %30
  %32 = getelementptr i8, ptr %31, i64 -60
  %33 = load i32, ptr %32, align 4
  %34 = getelementptr i8, ptr %31, i64 -8
  %35 = load i32, ptr %34, align 4
  %36 = getelementptr i8, ptr %31, i64 -64
  %37 = load i32, ptr %36, align 4
  %38 = tail call fastcc i32 @rotated(i32 noundef %33, i32 noundef 7) #7
  %39 = tail call fastcc i32 @rotated(i32 noundef %33, i32 noundef 18) #7
  %40 = lshr i32 %33, 3
  %41 = xor i32 %38, %40
  %42 = xor i32 %41, %39
  %43 = getelementptr i8, ptr %31, i64 -28
  %44 = load i32, ptr %43, align 4
  %45 = tail call fastcc i32 @rotated(i32 noundef %35, i32 noundef 17) #7
  %46 = tail call fastcc i32 @rotated(i32 noundef %35, i32 noundef 19) #7
  %47 = lshr i32 %35, 10
  %48 = xor i32 %45, %47
  %49 = xor i32 %48, %46
  %50 = add i32 %44, %37
  %51 = add i32 %50, %42
  %52 = add i32 %51, %49
  store i32 %52, ptr %31, align 4
  %53 = add nuw nsw i64 %30, 1
  %54 = icmp eq i64 %53, 64
  br i1 %54, label %64, label %29

55:
  %56 = getelementptr inbounds nuw i8, ptr %4, i64 16
  %57 = getelementptr inbounds nuw i8, ptr %4, i64 28
  %58 = getelementptr inbounds nuw i8, ptr %4, i64 20
  %59 = getelementptr inbounds nuw i8, ptr %4, i64 24
  %60 = getelementptr inbounds nuw i8, ptr %4, i64 4
  %61 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %62 = load i32, ptr %4, align 4
  %63 = load i32, ptr %56, align 4
  br label %71

64:
  %65 = phi i64 [ %69, %64 ], [ 0, %29 ]
  %66 = getelementptr inbounds nuw i32, ptr %0, i64 %65
  %67 = load i32, ptr %66, align 4
  %68 = getelementptr inbounds nuw i32, ptr %4, i64 %65
  store i32 %67, ptr %68, align 4
  %69 = add nuw nsw i64 %65, 1
  %70 = icmp eq i64 %69, 8
  br i1 %70, label %55, label %64

71:
  %72 = phi i32 [ %63, %55 ], [ %108, %84 ]
  %73 = phi i64 [ 0, %55 ], [ %111, %84 ]
  %74 = phi i32 [ %62, %55 ], [ %110, %84 ]
  %75 = load i32, ptr %57, align 4
  %76 = load i32, ptr %58, align 4
  %77 = load i32, ptr %59, align 4
  %78 = getelementptr inbounds nuw i32, ptr @round_constants, i64 %73
  %79 = load i32, ptr %78, align 4
  %80 = getelementptr inbounds nuw i32, ptr %3, i64 %73
  %81 = load i32, ptr %80, align 4
  %82 = load i32, ptr %60, align 4
  %83 = load i32, ptr %61, align 4
  br label %113

84:
  %85 = tail call fastcc i32 @rotated(i32 noundef %72, i32 noundef 6) #7
  %86 = tail call fastcc i32 @rotated(i32 noundef %72, i32 noundef 11) #7
  %87 = xor i32 %86, %85
  %88 = tail call fastcc i32 @rotated(i32 noundef %72, i32 noundef 25) #7
  %89 = xor i32 %87, %88
  %90 = and i32 %76, %72
  %91 = xor i32 %72, -1
  %92 = and i32 %77, %91
  %93 = add i32 %89, %75
  %94 = add i32 %93, %90
  %95 = add i32 %94, %92
  %96 = add i32 %95, %79
  %97 = add i32 %96, %81
  %98 = tail call fastcc i32 @rotated(i32 noundef %74, i32 noundef 2) #7
  %99 = tail call fastcc i32 @rotated(i32 noundef %74, i32 noundef 13) #7
  %100 = xor i32 %99, %98
  %101 = tail call fastcc i32 @rotated(i32 noundef %74, i32 noundef 22) #7
  %102 = xor i32 %100, %101
  %103 = xor i32 %83, %82
  %104 = and i32 %103, %74
  %105 = and i32 %83, %82
  %106 = xor i32 %104, %105
  %107 = load i32, ptr %56, align 4
  %108 = add i32 %107, %97
  store i32 %108, ptr %56, align 4
  %109 = add i32 %102, %97
  %110 = add i32 %109, %106
  store i32 %110, ptr %4, align 4
  %111 = add nuw nsw i64 %73, 1
  %112 = icmp eq i64 %111, 64
  br i1 %112, label %121, label %71

113:
  %114 = phi i64 [ 7, %71 ], [ %118, %113 ]
  %115 = getelementptr i32, ptr %4, i64 %114
  %116 = getelementptr i8, ptr %115, i64 -4
  %117 = load i32, ptr %116, align 4
  store i32 %117, ptr %115, align 4
  %118 = add nsw i64 %114, -1
  %119 = icmp samesign ugt i64 %114, 1
  br i1 %119, label %113, label %84

120:
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #6
  ret void

121:
  %122 = phi i64 [ %128, %121 ], [ 0, %84 ]
  %123 = getelementptr inbounds nuw i32, ptr %4, i64 %122
  %124 = load i32, ptr %123, align 4
  %125 = getelementptr inbounds nuw i32, ptr %0, i64 %122
  %126 = load i32, ptr %125, align 4
  %127 = add i32 %126, %124
  store i32 %127, ptr %125, align 4
  %128 = add nuw nsw i64 %122, 1
  %129 = icmp eq i64 %128, 8
  br i1 %129, label %120, label %121
}

define internal fastcc noundef i32 @rotated(i32 noundef %0, i32 noundef range(i32 2, 26) %1) unnamed_addr #4 {
  %3 = tail call i32 @llvm.fshr.i32(i32 %0, i32 %0, i32 %1)
  ret i32 %3
}

declare i32 @llvm.fshr.i32(i32, i32, i32) #5

attributes #0 = { nofree norecurse nosync nounwind optsize memory(write, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nofree norecurse nosync nounwind optsize memory(argmem: readwrite) "no-builtins" }
attributes #3 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "no-builtins" }
attributes #5 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { nounwind }
attributes #7 = { nobuiltin optsize "no-builtins" }
