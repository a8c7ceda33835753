%struct.bundle_entry = type { ptr, ptr, ptr, i64, i32, i32, i32, i32 }

@bundle_this_entry = external constant %struct.bundle_entry, align 8

define i32 @bundle_entry_run(ptr noundef %0, ptr noundef %1, ptr noundef %2) local_unnamed_addr #0 {
  %4 = tail call i32 @bundle_trace_entry(ptr noundef nonnull @bundle_this_entry, ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef null, ptr noundef null) #2
  ret i32 %4
}

declare i32 @bundle_trace_entry(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #1

define i32 @bundle_entry_trace(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = tail call i32 @bundle_trace_entry(ptr noundef nonnull @bundle_this_entry, ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #2
  ret i32 %6
}

define i32 @bundle_entry_describe(ptr noundef %0) local_unnamed_addr #0 {
  %2 = tail call i32 @bundle_describe_entry(ptr noundef nonnull @bundle_this_entry, ptr noundef %0) #2
  ret i32 %2
}

declare i32 @bundle_describe_entry(ptr noundef, ptr noundef) local_unnamed_addr #1

attributes #0 = { nounwind optsize "no-builtins" }
attributes #1 = { optsize "no-builtins" }
attributes #2 = { nobuiltin nounwind optsize "no-builtins" }
