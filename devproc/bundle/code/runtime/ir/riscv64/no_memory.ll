define noalias noundef ptr @bundle_allocate(i64 noundef %0) local_unnamed_addr #0 {
  ret ptr null
}

define void @bundle_free(ptr noundef readnone captures(none) %0) local_unnamed_addr #0 {
  ret void
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "no-builtins" }
