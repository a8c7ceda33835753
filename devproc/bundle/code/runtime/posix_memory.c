#include "runtime.h"

int posix_memalign(void **memory, size_t alignment, size_t size);
void free(void *memory);

void *bundle_allocate(uint64_t size) {
  void *memory = NULL;
  if (size > SIZE_MAX) return NULL;
  return posix_memalign(&memory, 64, (size_t)size) ? NULL : memory;
}

void bundle_free(void *memory) { free(memory); }
