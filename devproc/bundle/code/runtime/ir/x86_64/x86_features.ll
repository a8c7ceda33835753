%struct.bundle_feature = type { ptr, i32, i32, i32, i32, i32 }

define ptr @bundle_missing_feature(ptr noundef readonly captures(none) %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = alloca [4 x i32], align 16
  %4 = alloca [2 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #2
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #2
  call fastcc void @cpuid(i32 noundef 0, i32 noundef 0, ptr noundef %3) #3
  %5 = load i32, ptr %3, align 16
  store i32 %5, ptr %4, align 4
  call fastcc void @cpuid(i32 noundef -2147483648, i32 noundef 0, ptr noundef %3) #3
  %6 = load i32, ptr %3, align 16
  %7 = getelementptr inbounds nuw i8, ptr %4, i64 4
  store i32 %6, ptr %7, align 4
  call fastcc void @cpuid(i32 noundef 1, i32 noundef 0, ptr noundef %3) #3
  %8 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %9 = load i32, ptr %8, align 8
  %10 = and i32 %9, 134217728
  %11 = icmp eq i32 %10, 0
  br i1 %11, label %15, label %12

12:
  %13 = tail call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0) #2
  %14 = extractvalue { i32, i32 } %13, 0
  br label %15

15:
  %16 = phi i32 [ %14, %12 ], [ 0, %2 ]
  %17 = icmp eq i32 %1, 0
  br i1 %17, label %63, label %18

18:
  %19 = zext i32 %1 to i64
  br label %23

20:
  %21 = add nuw nsw i64 %24, 1
  %22 = icmp eq i64 %21, %19
  br i1 %22, label %63, label %23

23:
  %24 = phi i64 [ 0, %18 ], [ %21, %20 ]
  %25 = getelementptr inbounds nuw %struct.bundle_feature, ptr %0, i64 %24
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 8
  %27 = load i32, ptr %26, align 8
  %28 = lshr i32 %27, 31
  %29 = zext nneg i32 %28 to i64
  %30 = getelementptr inbounds nuw i32, ptr %4, i64 %29
  %31 = load i32, ptr %30, align 4
  %32 = icmp ugt i32 %27, %31
  br i1 %32, label %61, label %33

33:
  %34 = getelementptr inbounds nuw i8, ptr %25, i64 12
  %35 = load i32, ptr %34, align 4
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %43, label %37

37:
  call fastcc void @cpuid(i32 noundef %27, i32 noundef 0, ptr noundef %3) #3
  %38 = load i32, ptr %34, align 4
  %39 = load i32, ptr %3, align 16
  %40 = icmp ugt i32 %38, %39
  br i1 %40, label %61, label %41

41:
  %42 = load i32, ptr %26, align 8
  br label %43

43:
  %44 = phi i32 [ %38, %41 ], [ 0, %33 ]
  %45 = phi i32 [ %42, %41 ], [ %27, %33 ]
  call fastcc void @cpuid(i32 noundef %45, i32 noundef %44, ptr noundef %3) #3
  %46 = getelementptr inbounds nuw i8, ptr %25, i64 16
  %47 = load i32, ptr %46, align 8
  %48 = zext i32 %47 to i64
  %49 = getelementptr inbounds nuw i32, ptr %3, i64 %48
  %50 = load i32, ptr %49, align 4
  %51 = getelementptr inbounds nuw i8, ptr %25, i64 20
  %52 = load i32, ptr %51, align 4
  %53 = shl nuw i32 1, %52
  %54 = and i32 %53, %50
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %61, label %56

56:
  %57 = getelementptr inbounds nuw i8, ptr %25, i64 24
  %58 = load i32, ptr %57, align 8
  %59 = and i32 %58, %16
  %60 = icmp eq i32 %59, %58
  br i1 %60, label %20, label %61

61:
  %62 = load ptr, ptr %25, align 8
  br label %63

63:
  %64 = phi ptr [ %62, %61 ], [ null, %15 ], [ null, %20 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #2
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #2
  ret ptr %64
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

define internal fastcc void @cpuid(i32 noundef %0, i32 noundef %1, ptr noundef nonnull writeonly captures(none) initializes((0, 16)) %2) unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %2, i64 4
  %5 = getelementptr inbounds nuw i8, ptr %2, i64 8
  %6 = getelementptr inbounds nuw i8, ptr %2, i64 12
  %7 = tail call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 %0, i32 %1) #2
  %8 = extractvalue { i32, i32, i32, i32 } %7, 0
  %9 = extractvalue { i32, i32, i32, i32 } %7, 1
  %10 = extractvalue { i32, i32, i32, i32 } %7, 2
  %11 = extractvalue { i32, i32, i32, i32 } %7, 3
  store i32 %8, ptr %2, align 4
  store i32 %9, ptr %4, align 4
  store i32 %10, ptr %5, align 4
  store i32 %11, ptr %6, align 4
  ret void
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nounwind }
attributes #3 = { nobuiltin optsize "no-builtins" }
