define ptr @bundle_allocate(i64 noundef %0) local_unnamed_addr #0 {
  %2 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #3
  store ptr null, ptr %2, align 8
  %3 = call i32 @posix_memalign(ptr noundef nonnull %2, i64 noundef 64, i64 noundef %0) #4
  %4 = icmp eq i32 %3, 0
  %5 = load ptr, ptr %2, align 8
  %6 = select i1 %4, ptr %5, ptr null
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #3
  ret ptr %6
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

declare i32 @posix_memalign(ptr noundef, i64 noundef, i64 noundef) local_unnamed_addr #2

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define void @bundle_free(ptr noundef %0) local_unnamed_addr #0 {
  tail call void @free(ptr noundef %0) #4
  ret void
}

declare void @free(ptr noundef) local_unnamed_addr #2

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { optsize "no-builtins" }
attributes #3 = { nounwind }
attributes #4 = { nobuiltin nounwind optsize "no-builtins" }
