@__const.bundle_sha256.state = private unnamed_addr constant [8 x i32] [i32 1779033703, i32 -1150833019, i32 1013904242, i32 -1521486534, i32 1359893119, i32 -1694144372, i32 528734635, i32 1541459225], align 16
@round_constants = internal unnamed_addr constant [64 x i32] [i32 1116352408, i32 1899447441, i32 -1245643825, i32 -373957723, i32 961987163, i32 1508970993, i32 -1841331548, i32 -1424204075, i32 -670586216, i32 310598401, i32 607225278, i32 1426881987, i32 1925078388, i32 -2132889090, i32 -1680079193, i32 -1046744716, i32 -459576895, i32 -272742522, i32 264347078, i32 604807628, i32 770255983, i32 1249150122, i32 1555081692, i32 1996064986, i32 -1740746414, i32 -1473132947, i32 -1341970488, i32 -1084653625, i32 -958395405, i32 -710438585, i32 113926993, i32 338241895, i32 666307205, i32 773529912, i32 1294757372, i32 1396182291, i32 1695183700, i32 1986661051, i32 -2117940946, i32 -1838011259, i32 -1564481375, i32 -1474664885, i32 -1035236496, i32 -949202525, i32 -778901479, i32 -694614492, i32 -200395387, i32 275423344, i32 430227734, i32 506948616, i32 659060556, i32 883997877, i32 958139571, i32 1322822218, i32 1537002063, i32 1747873779, i32 1955562222, i32 2024104815, i32 -2067236844, i32 -1933114872, i32 -1866530822, i32 -1538233109, i32 -1090935817, i32 -965641998], align 16

define hidden void @bundle_add(ptr noundef captures(none) %0, ptr noundef readonly captures(none) %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i32 16
  %4 = load i8, ptr %1, align 1
  %5 = icmp eq i8 %4, 0
  br i1 %5, label %22, label %6

6:
  %7 = getelementptr inbounds nuw i8, ptr %0, i32 8
  br label %8

8:
  %9 = phi i8 [ %4, %6 ], [ %20, %15 ]
  %10 = phi ptr [ %1, %6 ], [ %19, %15 ]
  %11 = load i64, ptr %3, align 8
  %12 = add i64 %11, 1
  %13 = load i64, ptr %7, align 8
  %14 = icmp ult i64 %12, %13
  br i1 %14, label %15, label %22

15:
  %16 = load ptr, ptr %0, align 8
  store i64 %12, ptr %3, align 8
  %17 = trunc i64 %11 to i32
  %18 = getelementptr inbounds nuw i8, ptr %16, i32 %17
  store i8 %9, ptr %18, align 1
  %19 = getelementptr inbounds nuw i8, ptr %10, i32 1
  %20 = load i8, ptr %19, align 1
  %21 = icmp eq i8 %20, 0
  br i1 %21, label %22, label %8

22:
  %23 = getelementptr inbounds nuw i8, ptr %0, i32 8
  %24 = load i64, ptr %23, align 8
  %25 = icmp eq i64 %24, 0
  br i1 %25, label %31, label %26

26:
  %27 = load ptr, ptr %0, align 8
  %28 = load i64, ptr %3, align 8
  %29 = trunc i64 %28 to i32
  %30 = getelementptr inbounds nuw i8, ptr %27, i32 %29
  store i8 0, ptr %30, align 1
  br label %31

31:
  ret void
}

define hidden void @bundle_add_number(ptr noundef captures(none) %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = alloca [21 x i8], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #6
  %4 = getelementptr inbounds nuw i8, ptr %3, i32 20
  store i8 0, ptr %4, align 4
  br label %5

5:
  %6 = phi i64 [ %1, %2 ], [ %9, %5 ]
  %7 = phi i32 [ 20, %2 ], [ %14, %5 ]
  %8 = freeze i64 %6
  %9 = udiv i64 %8, 10
  %10 = mul i64 %9, 10
  %11 = sub i64 %8, %10
  %12 = trunc nuw nsw i64 %11 to i8
  %13 = or disjoint i8 %12, 48
  %14 = add nsw i32 %7, -1
  %15 = getelementptr inbounds i8, ptr %3, i32 %14
  store i8 %13, ptr %15, align 1
  %16 = icmp ult i64 %6, 10
  br i1 %16, label %17, label %5

17:
  call void @bundle_add(ptr noundef %0, ptr noundef nonnull %15) #7
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #6
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define hidden void @bundle_sha256(ptr noundef readonly captures(none) %0, i64 noundef %1, ptr noundef writeonly captures(none) %2) local_unnamed_addr #2 {
  %4 = alloca [8 x i32], align 16
  %5 = alloca [128 x i8], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #6
  call void @llvm.memcpy.p0.p0.i32(ptr noundef nonnull align 16 dereferenceable(32) %4, ptr noundef nonnull align 16 dereferenceable(32) @__const.bundle_sha256.state, i32 32, i1 false)
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #6
  %6 = and i64 %1, -64
  %7 = and i64 %1, 63
  %8 = icmp eq i64 %6, 0
  br i1 %8, label %9, label %12

9:
  %10 = trunc i64 %6 to i32
  %11 = getelementptr i8, ptr %0, i32 %10
  br label %26

12:
  %13 = phi i64 [ %16, %12 ], [ 0, %3 ]
  %14 = trunc i64 %13 to i32
  %15 = getelementptr inbounds nuw i8, ptr %0, i32 %14
  call fastcc void @add_block(ptr noundef %4, ptr noundef %15) #7
  %16 = add nuw i64 %13, 64
  %17 = icmp ult i64 %16, %6
  br i1 %17, label %12, label %9

18:
  %19 = trunc nuw nsw i64 %7 to i32
  %20 = getelementptr inbounds nuw i8, ptr %5, i32 %19
  store i8 -128, ptr %20, align 1
  %21 = icmp samesign ult i64 %7, 56
  %22 = select i1 %21, i32 1, i32 2
  %23 = shl i64 %1, 3
  %24 = shl nuw nsw i32 %22, 6
  %25 = getelementptr i8, ptr %5, i32 %24
  br label %38

26:
  %27 = phi i64 [ 0, %9 ], [ %36, %33 ]
  %28 = icmp samesign ugt i64 %7, %27
  %29 = trunc nuw nsw i64 %27 to i32
  br i1 %28, label %30, label %33

30:
  %31 = getelementptr i8, ptr %11, i32 %29
  %32 = load i8, ptr %31, align 1
  br label %33

33:
  %34 = phi i8 [ %32, %30 ], [ 0, %26 ]
  %35 = getelementptr inbounds nuw i8, ptr %5, i32 %29
  store i8 %34, ptr %35, align 1
  %36 = add nuw nsw i64 %27, 1
  %37 = icmp eq i64 %36, 128
  br i1 %37, label %18, label %26

38:
  %39 = phi i64 [ 0, %18 ], [ %46, %38 ]
  %40 = shl nuw nsw i64 %39, 3
  %41 = lshr i64 %23, %40
  %42 = trunc i64 %41 to i8
  %43 = trunc nuw nsw i64 %39 to i32
  %44 = xor i32 %43, -1
  %45 = getelementptr i8, ptr %25, i32 %44
  store i8 %42, ptr %45, align 1
  %46 = add nuw nsw i64 %39, 1
  %47 = icmp eq i64 %46, 8
  br i1 %47, label %48, label %38

48:
  %49 = phi i32 [ %52, %48 ], [ 0, %38 ]
  %50 = shl nuw nsw i32 %49, 6
  %51 = getelementptr inbounds nuw i8, ptr %5, i32 %50
  call fastcc void @add_block(ptr noundef %4, ptr noundef nonnull %51) #7
  %52 = add nuw nsw i32 %49, 1
  %53 = icmp eq i32 %52, %22
  br i1 %53, label %55, label %48

54:
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #6
  ret void

55:
  %56 = phi i32 [ %66, %55 ], [ 0, %48 ]
  %57 = lshr i32 %56, 2
  %58 = getelementptr inbounds nuw i32, ptr %4, i32 %57
  %59 = load i32, ptr %58, align 4
  %60 = shl nuw nsw i32 %56, 3
  %61 = and i32 %60, 24
  %62 = xor i32 %61, 24
  %63 = lshr i32 %59, %62
  %64 = trunc i32 %63 to i8
  %65 = getelementptr inbounds nuw i8, ptr %2, i32 %56
  store i8 %64, ptr %65, align 1
  %66 = add nuw nsw i32 %56, 1
  %67 = icmp eq i32 %66, 32
  br i1 %67, label %54, label %55
}

declare void @llvm.memcpy.p0.p0.i32(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i32, i1 immarg) #3

define internal fastcc void @add_block(ptr noundef nonnull captures(none) %0, ptr noundef readonly captures(none) %1) unnamed_addr #2 {
  %3 = alloca [64 x i32], align 16
  %4 = alloca [8 x i32], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #6
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #6
  br label %5

5:
  %6 = phi i32 [ 0, %2 ], [ %27, %5 ]
  %7 = shl nuw nsw i32 %6, 2
  %8 = getelementptr inbounds nuw i8, ptr %1, i32 %7
  %9 = load i8, ptr %8, align 1
  %10 = zext i8 %9 to i32
  %11 = shl nuw i32 %10, 24
  %12 = getelementptr inbounds nuw i8, ptr %8, i32 1
  %13 = load i8, ptr %12, align 1
  %14 = zext i8 %13 to i32
  %15 = shl nuw nsw i32 %14, 16
  %16 = or disjoint i32 %15, %11
  %17 = getelementptr inbounds nuw i8, ptr %8, i32 2
  %18 = load i8, ptr %17, align 1
  %19 = zext i8 %18 to i32
  %20 = shl nuw nsw i32 %19, 8
  %21 = or disjoint i32 %16, %20
  %22 = getelementptr inbounds nuw i8, ptr %8, i32 3
  %23 = load i8, ptr %22, align 1
  %24 = zext i8 %23 to i32
  %25 = or disjoint i32 %21, %24
  %26 = getelementptr inbounds nuw i32, ptr %3, i32 %6
  store i32 %25, ptr %26, align 4
  %27 = add nuw nsw i32 %6, 1
  %28 = icmp eq i32 %27, 16
  br i1 %28, label %29, label %5

29:
  %30 = phi i32 [ %53, %29 ], [ 16, %5 ]
  %31 = getelementptr i32, ptr %3, i32 %30
  %32 = getelementptr i8, ptr %31, i32 -60
  %33 = load i32, ptr %32, align 4
  %34 = getelementptr i8, ptr %31, i32 -8
  %35 = load i32, ptr %34, align 4
  %36 = getelementptr i8, ptr %31, i32 -64
  %37 = load i32, ptr %36, align 4
  %38 = tail call fastcc i32 @rotated(i32 noundef %33, i32 noundef 7) #7
  %39 = tail call fastcc i32 @rotated(i32 noundef %33, i32 noundef 18) #7
  %40 = lshr i32 %33, 3
  %41 = xor i32 %38, %40
  %42 = xor i32 %41, %39
  %43 = getelementptr i8, ptr %31, i32 -28
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
  %53 = add nuw nsw i32 %30, 1
  %54 = icmp eq i32 %53, 64
  br i1 %54, label %64, label %29

55:
  %56 = getelementptr inbounds nuw i8, ptr %4, i32 16
  %57 = getelementptr inbounds nuw i8, ptr %4, i32 28
  %58 = getelementptr inbounds nuw i8, ptr %4, i32 20
  %59 = getelementptr inbounds nuw i8, ptr %4, i32 24
  %60 = getelementptr inbounds nuw i8, ptr %4, i32 4
  %61 = getelementptr inbounds nuw i8, ptr %4, i32 8
  %62 = load i32, ptr %56, align 16
  %63 = load i32, ptr %4, align 16
  br label %71

64:
  %65 = phi i32 [ %69, %64 ], [ 0, %29 ]
  %66 = getelementptr inbounds nuw i32, ptr %0, i32 %65
  %67 = load i32, ptr %66, align 4
  %68 = getelementptr inbounds nuw i32, ptr %4, i32 %65
  store i32 %67, ptr %68, align 4
  %69 = add nuw nsw i32 %65, 1
  %70 = icmp eq i32 %69, 8
  br i1 %70, label %55, label %64

71:
  %72 = phi i32 [ %63, %55 ], [ %110, %84 ]
  %73 = phi i32 [ %62, %55 ], [ %108, %84 ]
  %74 = phi i32 [ 0, %55 ], [ %111, %84 ]
  %75 = load i32, ptr %57, align 4
  %76 = load i32, ptr %58, align 4
  %77 = load i32, ptr %59, align 8
  %78 = getelementptr inbounds nuw i32, ptr @round_constants, i32 %74
  %79 = load i32, ptr %78, align 4
  %80 = getelementptr inbounds nuw i32, ptr %3, i32 %74
  %81 = load i32, ptr %80, align 4
  %82 = load i32, ptr %60, align 4
  %83 = load i32, ptr %61, align 8
  br label %113

84:
  %85 = tail call fastcc i32 @rotated(i32 noundef %73, i32 noundef 6) #7
  %86 = tail call fastcc i32 @rotated(i32 noundef %73, i32 noundef 11) #7
  %87 = xor i32 %86, %85
  %88 = tail call fastcc i32 @rotated(i32 noundef %73, i32 noundef 25) #7
  %89 = xor i32 %87, %88
  %90 = and i32 %76, %73
  %91 = xor i32 %73, -1
  %92 = and i32 %77, %91
  %93 = add i32 %89, %75
  %94 = add i32 %93, %90
  %95 = add i32 %94, %92
  %96 = add i32 %95, %79
  %97 = add i32 %96, %81
  %98 = tail call fastcc i32 @rotated(i32 noundef %72, i32 noundef 2) #7
  %99 = tail call fastcc i32 @rotated(i32 noundef %72, i32 noundef 13) #7
  %100 = xor i32 %99, %98
  %101 = tail call fastcc i32 @rotated(i32 noundef %72, i32 noundef 22) #7
  %102 = xor i32 %100, %101
  %103 = xor i32 %83, %82
  %104 = and i32 %103, %72
  %105 = and i32 %83, %82
  %106 = xor i32 %104, %105
  %107 = load i32, ptr %56, align 16
  %108 = add i32 %107, %97
  store i32 %108, ptr %56, align 16
  %109 = add i32 %102, %97
  %110 = add i32 %109, %106
  store i32 %110, ptr %4, align 16
  %111 = add nuw nsw i32 %74, 1
  %112 = icmp eq i32 %111, 64
  br i1 %112, label %121, label %71

113:
  %114 = phi i32 [ 7, %71 ], [ %118, %113 ]
  %115 = getelementptr i32, ptr %4, i32 %114
  %116 = getelementptr i8, ptr %115, i32 -4
  %117 = load i32, ptr %116, align 4
  store i32 %117, ptr %115, align 4
  %118 = add nsw i32 %114, -1
  %119 = icmp samesign ugt i32 %114, 1
  br i1 %119, label %113, label %84

120:
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #6
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #6
  ret void

121:
  %122 = phi i32 [ %128, %121 ], [ 0, %84 ]
  %123 = getelementptr inbounds nuw i32, ptr %4, i32 %122
  %124 = load i32, ptr %123, align 4
  %125 = getelementptr inbounds nuw i32, ptr %0, i32 %122
  %126 = load i32, ptr %125, align 4
  %127 = add i32 %126, %124
  store i32 %127, ptr %125, align 4
  %128 = add nuw nsw i32 %122, 1
  %129 = icmp eq i32 %128, 8
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
