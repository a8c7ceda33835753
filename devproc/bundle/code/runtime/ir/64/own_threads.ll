%struct.bundle_program = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i32, i32, i32, i32, i32, i32, [32 x i8] }

@bundle_gate = external global [64 x i8], align 1
@instances = internal unnamed_addr global i32 0, align 4
@bundle_tables = external local_unnamed_addr constant %struct.bundle_program, align 8
@in_use = internal unnamed_addr global i32 0, align 4

define range(i32 0, 2) i32 @bundle_open_threads(i32 noundef %0, ptr noundef readnone captures(none) %1, ptr noundef readnone captures(none) %2) local_unnamed_addr #0 {
  %4 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull @bundle_gate) #2
  %5 = load i32, ptr @instances, align 4
  %6 = icmp eq i32 %5, 0
  %7 = icmp eq i32 %0, 0
  br i1 %6, label %8, label %16

8:
  %9 = load i32, ptr getelementptr inbounds nuw (i8, ptr @bundle_tables, i64 108), align 4
  %10 = select i1 %7, i32 %9, i32 %0
  tail call void @devproc_thread_pool_reset() #2
  %11 = zext i32 %10 to i64
  tail call void @devproc_set_num_threads(i64 noundef %11) #2
  %12 = tail call i64 @devproc_thread_pool_start(i64 noundef %11) #2
  %13 = icmp eq i64 %12, %11
  br i1 %13, label %14, label %20

14:
  store i32 %10, ptr @in_use, align 4
  %15 = load i32, ptr @instances, align 4
  br label %21

16:
  %17 = load i32, ptr @in_use, align 4
  %18 = icmp eq i32 %0, %17
  %19 = select i1 %7, i1 true, i1 %18
  br i1 %19, label %21, label %24

20:
  tail call void @devproc_thread_pool_stop() #2
  store i32 %10, ptr @in_use, align 4
  br label %24

21:
  %22 = phi i32 [ %15, %14 ], [ %5, %16 ]
  %23 = add i32 %22, 1
  store i32 %23, ptr @instances, align 4
  br label %24

24:
  %25 = phi i32 [ 0, %16 ], [ 1, %21 ], [ 0, %20 ]
  %26 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull @bundle_gate) #2
  ret i32 %25
}

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #1

declare void @devproc_thread_pool_reset() local_unnamed_addr #1

declare void @devproc_set_num_threads(i64 noundef) local_unnamed_addr #1

declare i64 @devproc_thread_pool_start(i64 noundef) local_unnamed_addr #1

declare void @devproc_thread_pool_stop() local_unnamed_addr #1

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #1

define void @bundle_close_threads() local_unnamed_addr #0 {
  %1 = tail call i32 @pthread_mutex_lock(ptr noundef nonnull @bundle_gate) #2
  %2 = load i32, ptr @instances, align 4
  %3 = add i32 %2, -1
  store i32 %3, ptr @instances, align 4
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %6

5:
  tail call void @devproc_thread_pool_stop() #2
  br label %6

6:
  %7 = tail call i32 @pthread_mutex_unlock(ptr noundef nonnull @bundle_gate) #2
  ret void
}

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { optsize "no-builtins" }
attributes #2 = { nobuiltin nounwind optsize "no-builtins" }
