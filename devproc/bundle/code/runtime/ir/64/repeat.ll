%struct.bundle_entry = type { ptr, ptr, ptr, i64, i32, i32, i32, i32 }

@bundle_this_entry = external constant %struct.bundle_entry, align 8

define i32 @bundle_entry_repeat(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef readonly captures(address_is_null) %3, ptr noundef %4, ptr noundef captures(address_is_null) %5) local_unnamed_addr #0 {
  %7 = alloca [1 x ptr], align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #3
  store i64 0, ptr %7, align 8
  %8 = icmp eq ptr %5, null
  br i1 %8, label %10, label %9

9:
  store i64 0, ptr %5, align 8
  br label %10

10:
  %11 = icmp eq ptr %3, null
  %12 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_this_entry, i64 44), align 4
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds nuw ptr, ptr %1, i64 %13
  br label %15

15:
  %16 = phi i64 [ 0, %10 ], [ %33, %37 ]
  br i1 %8, label %19, label %17

17:
  %18 = load i64, ptr %5, align 8
  br label %19

19:
  %20 = phi i64 [ %16, %15 ], [ %18, %17 ]
  %21 = icmp ult i64 %20, %2
  br i1 %21, label %22, label %41

22:
  %23 = call i32 @bundle_trace_entry(ptr noundef nonnull @bundle_this_entry, ptr noundef %0, ptr noundef nonnull %7, ptr noundef %1, ptr noundef null, ptr noundef null) #4
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %25, label %41

25:
  br i1 %8, label %26, label %28

26:
  %27 = add i64 %16, 1
  br label %31

28:
  %29 = load i64, ptr %5, align 8
  %30 = add i64 %29, 1
  store i64 %30, ptr %5, align 8
  br label %31

31:
  %32 = phi i64 [ %27, %26 ], [ %30, %28 ]
  %33 = phi i64 [ %27, %26 ], [ %16, %28 ]
  br i1 %11, label %37, label %34

34:
  %35 = call i32 %3(ptr noundef %4, i64 noundef %32) #4
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %41, label %37

37:
  %38 = load ptr, ptr %14, align 8
  %39 = load i8, ptr %38, align 1
  %40 = icmp eq i8 %39, 0
  br i1 %40, label %15, label %41

41:
  %42 = phi i32 [ 0, %19 ], [ %23, %22 ], [ 0, %34 ], [ 0, %37 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #3
  ret i32 %42
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare i32 @bundle_trace_entry(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { optsize "no-builtins" }
attributes #3 = { nounwind }
attributes #4 = { nobuiltin nounwind optsize "no-builtins" }
