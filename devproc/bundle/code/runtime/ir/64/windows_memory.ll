define ptr @bundle_allocate(i64 noundef %0) local_unnamed_addr #0 {
  %2 = tail call ptr @_aligned_malloc(i64 noundef %0, i64 noundef 64) #2
  ret ptr %2
}

declare ptr @_aligned_malloc(i64 noundef, i64 noundef) local_unnamed_addr #1

define void @bundle_free(ptr noundef %0) local_unnamed_addr #0 {
  tail call void @_aligned_free(ptr noundef %0) #2
  ret void
}

declare void @_aligned_free(ptr noundef) local_unnamed_addr #1

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { optsize "no-builtins" }
attributes #2 = { nobuiltin nounwind optsize "no-builtins" }
