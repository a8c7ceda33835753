define noundef i32 @bundle_gpu_open(ptr noundef readnone captures(none) %0, ptr noundef readnone captures(none) %1, ptr noundef readnone captures(none) %2, ptr noundef readnone captures(none) %3) local_unnamed_addr #0 {
  ret i32 1
}

define void @bundle_gpu_close(ptr noundef readnone captures(none) %0) local_unnamed_addr #0 {
  ret void
}

define noalias noundef ptr @bundle_gpu_base(ptr noundef readnone captures(none) %0, i32 noundef %1) local_unnamed_addr #0 {
  ret ptr null
}

define noundef i32 @bundle_gpu_enter(ptr noundef readnone captures(none) %0) local_unnamed_addr #0 {
  ret i32 1
}

define noundef i32 @bundle_gpu_work(ptr noundef readnone captures(none) %0, ptr noundef readnone captures(none) %1, ptr noundef readnone captures(none) %2) local_unnamed_addr #0 {
  ret i32 1
}

define noundef i32 @bundle_gpu_leave(ptr noundef readnone captures(none) %0) local_unnamed_addr #0 {
  ret i32 1
}

define void @bundle_gpu_why(ptr noundef readnone captures(none) %0, ptr noundef readnone captures(none) %1) local_unnamed_addr #0 {
  ret void
}

define noundef i32 @bundle_gpu_copy(ptr noundef readnone captures(none) %0, ptr noundef readnone captures(none) %1, ptr noundef readnone captures(none) %2, i64 noundef %3) local_unnamed_addr #0 {
  ret i32 1
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "no-builtins" }
