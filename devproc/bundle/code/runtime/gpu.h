/* The GPU of an instance. A program that uses none has `no_gpu.c` in the place of `cuda.c`. */
#pragma once
#include "runtime.h"

/* A kernel of one architecture, and how it is launched. */
typedef struct {
  const char *symbol;
  uint64_t code;                    /* where its cubin lies in the code of the GPU */
  uint64_t scratch, scratch_offset; /* global memory for all its blocks: bytes, and where */
  uint32_t grid[3], threads, shared_bytes, is_dependent;
} bundle_kernel;

/* All kernels for an architecture: 90 for sm_90. */
typedef struct {
  const bundle_kernel *kernels;
  uint32_t arch, unused;
} bundle_image;

/* What a program needs of a GPU. The weights that kernels read there lie in one range of all. */
struct bundle_gpu_program {
  const bundle_image *images;
  const unsigned char *code;
  uint64_t arena_bytes, staging_bytes, first_weight, weight_bytes;
  uint32_t image_count, kernel_count, stream_count, event_count;
};

typedef struct {
  const bundle_gpu_program *program;
  const bundle_image *image;
  const char *call; /* that has failed, with a status of the driver */
  int status, device, is_retained, unused;
  void *context, *staging;
  uint64_t arena, weights, scratch;
  void **streams, **events, **modules, **functions;
  void *handles[]; /* of the four, one after the other */
} bundle_gpu;

_Static_assert(sizeof(void *) < 8 || sizeof(bundle_gpu) == 112, "layout.py reserves 112 bytes");

/* Opens the first GPU, loads the kernels for it, and uploads weights, on memory for the handles
   too. Returns 0 with a reason if it cannot; nothing stays open then. */
int bundle_gpu_open(bundle_gpu *gpu, const bundle_gpu_program *program, const unsigned char *weights, bundle_text *why);
void bundle_gpu_close(bundle_gpu *gpu);

/* Where the offsets of a kind of slot begin. */
unsigned char *bundle_gpu_base(const bundle_gpu *gpu, uint32_t kind);

/* Around the works of a call: its thread uses the GPU; at the end all are done. They return 0
   if something fails, and `bundle_gpu_why` says what. */
int bundle_gpu_enter(bundle_gpu *gpu);
int bundle_gpu_work(bundle_gpu *gpu, const bundle_step *step, void *const *operands);
int bundle_gpu_leave(bundle_gpu *gpu);
void bundle_gpu_why(const bundle_gpu *gpu, bundle_text *why);

/* A copy of its own: all works before it are done. Returns 0 as above. */
int bundle_gpu_copy(bundle_gpu *gpu, void *to, const void *from, uint64_t bytes);
