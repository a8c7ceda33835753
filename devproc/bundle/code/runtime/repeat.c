/* Calls in a row of an entry that takes nothing but states; names as in `entry.c`. */
#include "runtime.h"

extern const bundle_entry bundle_this_entry;

int bundle_entry_repeat(bundle_instance *s, void *const *out, uint64_t count, int (*follow)(void *user, uint64_t made),
                        void *user, uint64_t *made) {
  const void *const none[1] = {NULL};
  uint64_t own;
  if (!made) made = &own;
  for (*made = 0; *made < count;) {
    int status = bundle_trace_entry(&bundle_this_entry, s, none, out, NULL, NULL);
    if (status) return status;
    ++*made;
    if ((follow && !follow(user, *made)) || *(const unsigned char *)out[bundle_this_entry.until]) break;
  }
  return OK;
}
