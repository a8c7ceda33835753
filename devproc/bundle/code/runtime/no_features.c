/* Other architectures have all that the code needs. */
#include "runtime.h"

const char *bundle_missing_feature(const bundle_feature *features, uint32_t count) {
  (void)features;
  (void)count;
  return NULL;
}
