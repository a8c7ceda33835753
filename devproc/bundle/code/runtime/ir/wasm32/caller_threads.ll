@instances = internal unnamed_addr global i32 0, align 4
@in_use = internal unnamed_addr global ptr null, align 4
@in_use_user = internal unnamed_addr global ptr null, align 4
@gate = internal global i32 0, align 4

define hidden range(i32 0, 2) i32 @bundle_open_threads(i32 noundef %0, ptr noundef %1, ptr noundef %2) local_unnamed_addr #0 {
  tail call fastcc void @enter() #4
  %4 = load i32, ptr @instances, align 4
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %6, label %7

6:
  store ptr %1, ptr @in_use, align 4
  store ptr %2, ptr @in_use_user, align 4
  br label %13

7:
  %8 = load ptr, ptr @in_use, align 4
  %9 = icmp eq ptr %8, %1
  %10 = load ptr, ptr @in_use_user, align 4
  %11 = icmp eq ptr %10, %2
  %12 = select i1 %9, i1 %11, i1 false
  br i1 %12, label %13, label %15

13:
  %14 = add i32 %4, 1
  store i32 %14, ptr @instances, align 4
  br label %15

15:
  %16 = phi i32 [ 1, %13 ], [ 0, %7 ]
  tail call fastcc void @leave() #4
  ret i32 %16
}

define internal fastcc void @enter() unnamed_addr #1 {
  br label %1

1:
  %2 = atomicrmw xchg ptr @gate, i32 1 acquire, align 4
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %1

4:
  ret void
}

define internal fastcc void @leave() unnamed_addr #2 {
  store atomic i32 0, ptr @gate release, align 4
  ret void
}

define hidden void @bundle_close_threads() local_unnamed_addr #0 {
  tail call fastcc void @enter() #4
  %1 = load i32, ptr @instances, align 4
  %2 = add i32 %1, -1
  store i32 %2, ptr @instances, align 4
  tail call fastcc void @leave() #4
  ret void
}

define hidden void @devproc_parallel_for(ptr noundef %0, ptr noundef %1, i64 noundef %2) local_unnamed_addr #3 {
  %4 = load ptr, ptr @in_use, align 4
  %5 = icmp eq ptr %4, null
  br i1 %5, label %6, label %8

6:
  %7 = icmp sgt i64 %2, 0
  br i1 %7, label %10, label %14

8:
  %9 = load ptr, ptr @in_use_user, align 4
  tail call void %4(ptr noundef %9, ptr noundef %0, ptr noundef %1, i64 noundef %2) #5
  br label %14

10:
  %11 = phi i64 [ %12, %10 ], [ 0, %6 ]
  tail call void %0(ptr noundef %1, i64 noundef %11) #5
  %12 = add nuw nsw i64 %11, 1
  %13 = icmp eq i64 %12, %2
  br i1 %13, label %14, label %10

14:
  ret void
}

attributes #0 = { nofree norecurse nounwind optsize memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #1 = { nofree norecurse nounwind optsize memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #2 = { mustprogress nofree norecurse nounwind optsize willreturn memory(readwrite, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #3 = { nounwind optsize "no-builtins" }
attributes #4 = { nobuiltin optsize "no-builtins" }
attributes #5 = { nobuiltin nounwind optsize "no-builtins" }
