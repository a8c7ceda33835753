/* Of programs for the CPU alone, which never call these. */
#include "gpu.h"

int bundle_gpu_open(bundle_gpu *gpu, const bundle_gpu_program *program, const unsigned char *weights, bundle_text *why) {
  (void)gpu, (void)program, (void)weights, (void)why;
  return 1;
}

void bundle_gpu_close(bundle_gpu *gpu) { (void)gpu; }

unsigned char *bundle_gpu_base(const bundle_gpu *gpu, uint32_t kind) {
  (void)gpu, (void)kind;
  return NULL;
}

int bundle_gpu_enter(bundle_gpu *gpu) {
  (void)gpu;
  return 1;
}

int bundle_gpu_work(bundle_gpu *gpu, const bundle_step *step, void *const *operands) {
  (void)gpu, (void)step, (void)operands;
  return 1;
}

int bundle_gpu_leave(bundle_gpu *gpu) {
  (void)gpu;
  return 1;
}

void bundle_gpu_why(const bundle_gpu *gpu, bundle_text *why) { (void)gpu, (void)why; }

int bundle_gpu_copy(bundle_gpu *gpu, void *to, const void *from, uint64_t bytes) {
  (void)gpu, (void)to, (void)from, (void)bytes;
  return 1;
}
