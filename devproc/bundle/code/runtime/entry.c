/* The interface of one entry; DevProc puts names in place of `bundle_entry` and
   `bundle_this_entry`. */
#include "runtime.h"

extern const bundle_entry bundle_this_entry;

int bundle_entry_run(bundle_instance *s, const void *const *in, void *const *out) {
  return bundle_trace_entry(&bundle_this_entry, s, in, out, NULL, NULL);
}

int bundle_entry_trace(bundle_instance *s, const void *const *in, void *const *out, bundle_observer observe, void *user) {
  return bundle_trace_entry(&bundle_this_entry, s, in, out, observe, user);
}

int bundle_entry_describe(bundle_description *d) { return bundle_describe_entry(&bundle_this_entry, d); }
