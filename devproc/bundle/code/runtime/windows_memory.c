#include "runtime.h"

void *_aligned_malloc(size_t size, size_t alignment);
void _aligned_free(void *memory);

void *bundle_allocate(uint64_t size) { return _aligned_malloc((size_t)size, 64); }

void bundle_free(void *memory) { _aligned_free(memory); }
