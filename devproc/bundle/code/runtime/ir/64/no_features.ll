define noalias noundef ptr @bundle_missing_feature(ptr noundef readnone captures(none) %0, i32 noundef %1) local_unnamed_addr #0 {
  ret ptr null
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "no-builtins" }
