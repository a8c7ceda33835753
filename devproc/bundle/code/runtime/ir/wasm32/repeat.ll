%struct.bundle_entry = type { ptr, ptr, ptr, i64, i32, i32, i32, i32 }

@bundle_this_entry = external constant %struct.bundle_entry, align 8

define hidden i32 @bundle_entry_repeat(ptr noundef %0, ptr noundef %1, i64 noundef %2, ptr noundef readonly captures(address_is_null) %3, ptr noundef %4, ptr noundef captures(address_is_null) %5) local_unnamed_addr #0 {
  %7 = alloca [1 x ptr], align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %7) #3
  store i32 0, ptr %7, align 4
  %8 = icmp eq ptr %5, null
  br i1 %8, label %10, label %9

9:
  store i64 0, ptr %5, align 8
  br label %10

10:
  %11 = icmp eq ptr %3, null
  %12 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_this_entry, i32 36), align 4
  %13 = getelementptr inbounds nuw ptr, ptr %1, i32 %12
  br label %14

14:
  %15 = phi i64 [ 0, %10 ], [ %32, %36 ]
  br i1 %8, label %18, label %16

16:
  %17 = load i64, ptr %5, align 8
  br label %18

18:
  %19 = phi i64 [ %15, %14 ], [ %17, %16 ]
  %20 = icmp ult i64 %19, %2
  br i1 %20, label %21, label %40

21:
  %22 = call i32 @bundle_trace_entry(ptr noundef nonnull @bundle_this_entry, ptr noundef %0, ptr noundef nonnull %7, ptr noundef %1, ptr noundef null, ptr noundef null) #4
  %23 = icmp eq i32 %22, 0
  br i1 %23, label %24, label %40

24:
  br i1 %8, label %25, label %27

25:
  %26 = add i64 %15, 1
  br label %30

27:
  %28 = load i64, ptr %5, align 8
  %29 = add i64 %28, 1
  store i64 %29, ptr %5, align 8
  br label %30

30:
  %31 = phi i64 [ %26, %25 ], [ %29, %27 ]
  %32 = phi i64 [ %26, %25 ], [ %15, %27 ]
  br i1 %11, label %36, label %33

33:
  %34 = call i32 %3(ptr noundef %4, i64 noundef %31) #4
  %35 = icmp eq i32 %34, 0
  br i1 %35, label %40, label %36

36:
  %37 = load ptr, ptr %13, align 4
  %38 = load i8, ptr %37, align 1
  %39 = icmp eq i8 %38, 0
  br i1 %39, label %14, label %40

40:
  %41 = phi i32 [ 0, %18 ], [ %22, %21 ], [ 0, %33 ], [ 0, %36 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %7) #3
  ret i32 %41
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare i32 @bundle_trace_entry(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { optsize "no-builtins" }
attributes #3 = { nounwind }
attributes #4 = { nobuiltin nounwind optsize "no-builtins" }
