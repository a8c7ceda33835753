/* Drives a GPU by NVIDIA's driver API. The library is opened when the first instance is made,
   so that a bundle loads where there is none. Prototypes and numbers are those of `cuda.h`. */
#include "gpu.h"

void *dlopen(const char *file, int mode);
void *dlsym(void *library, const char *name);

enum { RTLD_NOW_LOCAL = 2, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, NON_BLOCKING = 1, UNTIMED = 2 };
enum { MAX_DYNAMIC_SHARED = 8, STATIC_SHARED = 48 << 10, STREAM_SERIALIZATION = 6 };
enum { FIRST_SPECIFIC = 90, MOST_ARGUMENTS = 64 }; /* From here on, code runs on its own architecture alone. */

typedef struct {
  int id, padding, value[16];
} launch_attribute;

typedef struct {
  uint32_t grid[3], block[3], shared_bytes;
  void *stream;
  launch_attribute *attributes;
  uint32_t attribute_count;
} launch_config;

#define FUNCTIONS(X) \
  X(cuInit, (unsigned)) \
  X(cuDeviceGet, (int *, int)) \
  X(cuDeviceGetAttribute, (int *, int, int)) \
  X(cuDevicePrimaryCtxRetain, (void **, int)) \
  X(cuDevicePrimaryCtxRelease_v2, (int)) \
  X(cuCtxPushCurrent_v2, (void *)) \
  X(cuCtxPopCurrent_v2, (void **)) \
  X(cuModuleLoadData, (void **, const void *)) \
  X(cuModuleUnload, (void *)) \
  X(cuModuleGetFunction, (void **, void *, const char *)) \
  X(cuFuncSetAttribute, (void *, int, int)) \
  X(cuMemAlloc_v2, (uint64_t *, size_t)) \
  X(cuMemFree_v2, (uint64_t)) \
  X(cuMemHostAlloc, (void **, size_t, unsigned)) \
  X(cuMemFreeHost, (void *)) \
  X(cuMemcpyAsync, (uint64_t, uint64_t, size_t, void *)) \
  X(cuStreamCreate, (void **, unsigned)) \
  X(cuStreamSynchronize, (void *)) \
  X(cuStreamDestroy_v2, (void *)) \
  X(cuEventCreate, (void **, unsigned)) \
  X(cuEventRecord, (void *, void *)) \
  X(cuStreamWaitEvent, (void *, void *, unsigned)) \
  X(cuEventDestroy_v2, (void *)) \
  X(cuLaunchKernelEx, (const launch_config *, void *, void **, void **)) \
  X(cuGetErrorString, (int, const char **))

#define POINTER(name, arguments) int(*name) arguments;
#define NAME(name, arguments) #name,
static struct { FUNCTIONS(POINTER) } cuda;
static const char *const names[] = {FUNCTIONS(NAME)};

#define TRY(name, ...) \
  do { int status = cuda.name(__VA_ARGS__); if (status) return refuse(gpu, #name, status); } while (0)

/* Of several failures the first is the reason. */
static int refuse(bundle_gpu *gpu, const char *call, int status) {
  if (!gpu->call) gpu->call = call, gpu->status = status;
  return 0;
}

/* "cuInit failed: no CUDA-capable device is detected". */
void bundle_gpu_why(const bundle_gpu *gpu, bundle_text *why) {
  const char *words = NULL;
  bundle_add(why, gpu->call);
  bundle_add(why, " failed: ");
  if (cuda.cuGetErrorString(gpu->status, &words) || !words) words = "an unknown error";
  bundle_add(why, words);
}

static int find_functions(bundle_text *why) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW_LOCAL);
  if (!library) {
    bundle_add(why, "there is no libcuda.so.1: install NVIDIA's driver, or export for a CPU");
    return 0;
  }
  void **found = (void **)&cuda;
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
    if ((found[i] = dlsym(library, names[i]))) continue;
    bundle_add(why, "libcuda.so.1 is too old: it has no ");
    bundle_add(why, names[i]);
    return 0;
  }
  return 1;
}

/* Several threads may make their first instances at once. */
static int load_driver(bundle_text *why) {
  static int busy, is_loaded;
  while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) continue;
  if (!is_loaded) is_loaded = find_functions(why);
  int found = is_loaded;
  __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
  return found;
}

/* The latest code that a card runs. */
static const bundle_image *image_for(const bundle_gpu_program *program, uint32_t card) {
  const bundle_image *best = NULL;
  for (uint32_t i = 0; i < program->image_count; i++) {
    const bundle_image *image = program->images + i;
    uint32_t arch = image->arch;
    int runs = arch == card || (arch < card && card < FIRST_SPECIFIC && arch / 10 == card / 10);
    if (runs && (!best || arch > best->arch)) best = image;
  }
  return best;
}

static void say_archs(const bundle_gpu_program *program, uint32_t card, bundle_text *why) {
  bundle_add(why, "the GPU is sm_");
  bundle_add_number(why, card);
  bundle_add(why, ", and the bundle has code for");
  for (uint32_t i = 0; i < program->image_count; i++) {
    bundle_add(why, i ? ", sm_" : " sm_");
    bundle_add_number(why, program->images[i].arch);
  }
  bundle_add(why, " alone: compile for this one too");
}

static int find_card(bundle_gpu *gpu, uint32_t *card) {
  int major, minor;
  TRY(cuInit, 0);
  TRY(cuDeviceGet, &gpu->device, 0);
  TRY(cuDeviceGetAttribute, &major, CAPABILITY_MAJOR, gpu->device);
  TRY(cuDeviceGetAttribute, &minor, CAPABILITY_MINOR, gpu->device);
  *card = (uint32_t)(10 * major + minor);
  return 1;
}

static int make_streams(bundle_gpu *gpu) {
  for (uint32_t i = 0; i < gpu->program->stream_count; i++) TRY(cuStreamCreate, gpu->streams + i, NON_BLOCKING);
  for (uint32_t i = 0; i < gpu->program->event_count; i++) TRY(cuEventCreate, gpu->events + i, UNTIMED);
  return 1;
}

static int load_kernels(bundle_gpu *gpu) {
  uint64_t scratch = 0;
  for (uint32_t i = 0; i < gpu->program->kernel_count; i++) {
    const bundle_kernel *kernel = gpu->image->kernels + i;
    TRY(cuModuleLoadData, gpu->modules + i, gpu->program->code + kernel->code);
    TRY(cuModuleGetFunction, gpu->functions + i, gpu->modules[i], kernel->symbol);
    if (kernel->shared_bytes > STATIC_SHARED)
      TRY(cuFuncSetAttribute, gpu->functions[i], MAX_DYNAMIC_SHARED, (int)kernel->shared_bytes);
    uint64_t end = kernel->scratch_offset + kernel->scratch;
    if (end > scratch) scratch = end;
  }
  if (scratch) TRY(cuMemAlloc_v2, &gpu->scratch, scratch);
  return 1;
}

static int get_memory(bundle_gpu *gpu, const unsigned char *weights) {
  const bundle_gpu_program *p = gpu->program;
  if (p->arena_bytes) TRY(cuMemAlloc_v2, &gpu->arena, p->arena_bytes);
  if (p->staging_bytes) TRY(cuMemHostAlloc, &gpu->staging, p->staging_bytes, 0);
  if (!p->weight_bytes) return 1;
  TRY(cuMemAlloc_v2, &gpu->weights, p->weight_bytes);
  return bundle_gpu_copy(gpu, (void *)(uintptr_t)gpu->weights, weights + p->first_weight, p->weight_bytes);
}

static int open_context(bundle_gpu *gpu, const unsigned char *weights) {
  TRY(cuDevicePrimaryCtxRetain, &gpu->context, gpu->device);
  gpu->is_retained = 1;
  if (!bundle_gpu_enter(gpu)) return 0;
  int ok = make_streams(gpu) && load_kernels(gpu) && get_memory(gpu, weights);
  return bundle_gpu_leave(gpu) && ok;
}

int bundle_gpu_open(bundle_gpu *gpu, const bundle_gpu_program *program, const unsigned char *weights, bundle_text *why) {
  uint32_t card, count = program->stream_count + program->event_count + 2 * program->kernel_count;
  *gpu = (bundle_gpu){.program = program};
  for (uint32_t i = 0; i < count; i++) gpu->handles[i] = NULL;
  gpu->streams = gpu->handles;
  gpu->events = gpu->streams + program->stream_count;
  gpu->modules = gpu->events + program->event_count;
  gpu->functions = gpu->modules + program->kernel_count;
  if (!load_driver(why)) return 0;
  int ok = find_card(gpu, &card);
  if (ok && !(gpu->image = image_for(program, card))) {
    say_archs(program, card, why);
    return 0;
  }
  if (ok && open_context(gpu, weights)) return 1;
  bundle_gpu_why(gpu, why);
  bundle_gpu_close(gpu);
  return 0;
}

void bundle_gpu_close(bundle_gpu *gpu) {
  const bundle_gpu_program *p = gpu->program;
  void *before;
  if (!gpu->is_retained) return;
  /* What fails here has failed before. */
  cuda.cuCtxPushCurrent_v2(gpu->context);
  for (uint32_t i = 0; i < p->stream_count; i++)
    if (gpu->streams[i]) cuda.cuStreamSynchronize(gpu->streams[i]), cuda.cuStreamDestroy_v2(gpu->streams[i]);
  for (uint32_t i = 0; i < p->event_count; i++)
    if (gpu->events[i]) cuda.cuEventDestroy_v2(gpu->events[i]);
  for (uint32_t i = 0; i < p->kernel_count; i++)
    if (gpu->modules[i]) cuda.cuModuleUnload(gpu->modules[i]);
  if (gpu->arena) cuda.cuMemFree_v2(gpu->arena);
  if (gpu->weights) cuda.cuMemFree_v2(gpu->weights);
  if (gpu->scratch) cuda.cuMemFree_v2(gpu->scratch);
  if (gpu->staging) cuda.cuMemFreeHost(gpu->staging);
  cuda.cuCtxPopCurrent_v2(&before);
  cuda.cuDevicePrimaryCtxRelease_v2(gpu->device);
  gpu->is_retained = 0;
}

unsigned char *bundle_gpu_base(const bundle_gpu *gpu, uint32_t kind) {
  switch (kind) {
    case STAGING: return gpu->staging;
    case GPU_WEIGHT: return (unsigned char *)(uintptr_t)(gpu->weights - gpu->program->first_weight);
    default: return (unsigned char *)(uintptr_t)gpu->arena;
  }
}

int bundle_gpu_enter(bundle_gpu *gpu) {
  gpu->call = NULL;
  TRY(cuCtxPushCurrent_v2, gpu->context);
  return 1;
}

/* Stream 0 comes last: the others have been joined to it. */
static int finish(bundle_gpu *gpu) {
  TRY(cuStreamSynchronize, gpu->streams[0]);
  return 1;
}

int bundle_gpu_leave(bundle_gpu *gpu) {
  void *ours;
  int ok = finish(gpu);
  cuda.cuCtxPopCurrent_v2(&ours);
  return ok;
}

static int launch(bundle_gpu *gpu, const bundle_step *step, void *const *operands) {
  const bundle_kernel *kernel = gpu->image->kernels + step->number;
  uint64_t scratch[2] = {kernel->scratch ? gpu->scratch + kernel->scratch_offset : 0, 0};
  void *parameters[MOST_ARGUMENTS + 2];
  for (uint32_t i = 0; i < step->count; i++) parameters[i] = (void *)(operands + i);
  /* After the operands: scratch memory of the kernel, and that of a profiler. */
  parameters[step->count] = scratch;
  parameters[step->count + 1] = scratch + 1;
  launch_attribute early = {.id = STREAM_SERIALIZATION, .value = {1}};
  const uint32_t *grid = kernel->grid;
  launch_config config = {{grid[0], grid[1], grid[2]}, {kernel->threads, 1, 1}, kernel->shared_bytes,
                          gpu->streams[step->stream], &early, kernel->is_dependent};
  if (grid[0] && grid[1] && grid[2])
    TRY(cuLaunchKernelEx, &config, gpu->functions[step->number], parameters, NULL);
  return 1;
}

static int queue_copy(bundle_gpu *gpu, void *to, const void *from, uint64_t bytes, void *stream) {
  if (bytes) TRY(cuMemcpyAsync, (uintptr_t)to, (uintptr_t)from, bytes, stream);
  return 1;
}

int bundle_gpu_work(bundle_gpu *gpu, const bundle_step *step, void *const *operands) {
  void *stream = gpu->streams[step->stream];
  switch (step->kind) {
    case GPU_LAUNCH: return launch(gpu, step, operands);
    case GPU_COPY: return queue_copy(gpu, operands[1], operands[0], step->bytes, stream);
    case GPU_RECORD: TRY(cuEventRecord, gpu->events[step->number], stream); return 1;
    case GPU_WAIT: TRY(cuStreamWaitEvent, stream, gpu->events[step->number], 0); return 1;
    default: return finish(gpu);
  }
}

int bundle_gpu_copy(bundle_gpu *gpu, void *to, const void *from, uint64_t bytes) {
  return queue_copy(gpu, to, from, bytes, gpu->streams[0]) && finish(gpu);
}
