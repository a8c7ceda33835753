/* A substitute for NVIDIA's driver API (`libcuda.so.1`) that needs no GPU.

   Device memory is host memory, so that copies really copy; work runs as soon as it is
   queued. Modules are real cubins: entry points, the number of their parameters and their
   block size come from the ELF file. Calls are checked as the driver and the hardware would,
   and written to a log that `stub_log` returns. Kernels run only where `stub_replace` gives
   a function of the host.

   For one thread. Numbers of errors and attributes are those of `cuda.h`. */
#include <elf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201, NO_BINARY = 209, INVALID_HANDLE = 400, NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700
};

enum { MAX_DYNAMIC_SHARED = 8, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
enum { STREAM_SERIALIZATION = 6, STATIC_SHARED = 48 << 10, MOST_OBJECTS = 4096 };

typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  struct { int id, padding, value[16]; } *attributes;
  unsigned attribute_count;
} launch_config;

typedef void host_kernel(const unsigned *grid, void *const *arguments);

/* Whatever has a handle; those that are gone keep their place, so that uses of them are seen. */
typedef struct {
  enum { GONE, MODULE, FUNCTION, STREAM, EVENT, MEMORY, STAGING } kind;
  unsigned number;       /* among those of its kind, in the log */
  unsigned char *begin;  /* of memory, or of a module's cubin */
  size_t size;
  unsigned parameters, threads, shared_bytes; /* of a function */
  char name[256];
} object;

static object objects[MOST_OBJECTS];
static unsigned object_count, made[STAGING + 1];
static struct { char name[256]; host_kernel *kernel; } replaced[64];
static unsigned replaced_count;
static int device_count = 1, capability = 90, initialised, retained, failing;
static void *contexts[16]; /* a stack; the last one is the current one */
static unsigned depth;
static size_t free_bytes = SIZE_MAX;
static char text[1 << 20];
static size_t length;

static void say(const char *format, ...) {
  va_list values;
  va_start(values, format);
  int added = vsnprintf(text + length, sizeof text - length, format, values);
  va_end(values);
  if (added > 0 && length + (size_t)added < sizeof text) length += (size_t)added;
}

/* What tests set and read. */
void stub_reset(int devices, int compute_capability) {
  device_count = devices, capability = compute_capability;
  initialised = retained = failing = 0, depth = 0, contexts[0] = NULL, free_bytes = SIZE_MAX;
  object_count = replaced_count = 0, length = 0, text[0] = 0;
  memset(made, 0, sizeof made);
}

const char *stub_log(void) { return text; }

int stub_live(void) {
  int live = retained;
  for (unsigned i = 0; i < object_count; ++i) live += objects[i].kind != GONE && objects[i].kind != FUNCTION;
  return live;
}

/* Whether calls that queue work fail from now on. */
void stub_fail(int now) { failing = now; }

void stub_limit(size_t bytes) { free_bytes = bytes; }

unsigned stub_depth(void) { return depth; }

void stub_replace(const char *name, host_kernel *kernel) {
  snprintf(replaced[replaced_count].name, sizeof replaced[0].name, "%s", name);
  replaced[replaced_count++].kernel = kernel;
}

static object *add(int kind, void **handle) {
  if (object_count == MOST_OBJECTS) abort();
  object *o = objects + object_count++;
  *o = (object){.kind = kind, .number = made[kind]++};
  *handle = o;
  return o;
}

static object *find(const void *handle, int kind) {
  const object *o = handle;
  int is_ours = o >= objects && o < objects + object_count;
  return is_ours && (int)o->kind == kind ? objects + (o - objects) : NULL;
}

static const object *memory_at(uint64_t address, size_t size) {
  for (unsigned i = 0; i < object_count; ++i) {
    const object *o = objects + i;
    uint64_t begin = (uintptr_t)o->begin;
    if (o->kind == MEMORY && address >= begin && address + size <= begin + o->size) return o;
  }
  return NULL;
}

static int stream_number(const void *stream) {
  if (!stream) return 0; /* the default stream */
  const object *o = find(stream, STREAM);
  return o ? (int)o->number + 1 : -1;
}

int cuInit(unsigned flags) {
  if (flags) return INVALID_VALUE;
  if (!device_count) return NO_DEVICE;
  initialised = 1;
  return SUCCESS;
}

int cuDeviceGet(int *device, int index) {
  if (!initialised) return NOT_INITIALIZED;
  *device = index;
  return index < device_count ? SUCCESS : 101;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  if (!initialised) return NOT_INITIALIZED;
  if (device >= device_count || (attribute != CAPABILITY_MAJOR && attribute != CAPABILITY_MINOR)) return INVALID_VALUE;
  *value = attribute == CAPABILITY_MAJOR ? capability / 10 : capability % 10;
  return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  if (!initialised) return NOT_INITIALIZED;
  if (device >= device_count) return INVALID_VALUE;
  *context = &device_count;
  ++retained;
  return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (device >= device_count || !retained) return INVALID_CONTEXT;
  --retained;
  return SUCCESS;
}

int cuCtxGetCurrent(void **context) { return *context = contexts[depth], SUCCESS; }

int cuCtxSetCurrent(void *context) {
  contexts[depth] = context;
  return !context || retained ? SUCCESS : INVALID_CONTEXT;
}

int cuCtxPushCurrent_v2(void *context) {
  if (!retained) return INVALID_CONTEXT;
  if (depth + 1 == sizeof contexts / sizeof *contexts) abort();
  contexts[++depth] = context;
  return SUCCESS;
}

int cuCtxPopCurrent_v2(void **context) {
  if (!depth) return INVALID_CONTEXT;
  *context = contexts[depth--];
  return SUCCESS;
}

static const Elf64_Shdr *sections(const unsigned char *cubin) {
  return (const Elf64_Shdr *)(cubin + ((const Elf64_Ehdr *)cubin)->e_shoff);
}

static size_t end_of_file(const unsigned char *cubin) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)cubin;
  size_t tables = head->e_shoff + (size_t)head->e_shnum * sizeof(Elf64_Shdr);
  size_t programs = head->e_phoff + (size_t)head->e_phnum * sizeof(Elf64_Phdr);
  return tables > programs ? tables : programs;
}

int cuModuleLoadData(void **module, const void *image) {
  if (!contexts[depth]) return INVALID_CONTEXT;
  const Elf64_Ehdr *head = image;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_machine != 190) return INVALID_IMAGE;
  /* Where the compute capability stands changed with the ABI of CUDA 13. */
  unsigned made_for = head->e_ident[EI_ABIVERSION] >= 8 ? head->e_flags >> 8 & 255 : head->e_flags & 255;
  if ((int)made_for / 10 != capability / 10 || (int)made_for > capability) return NO_BINARY;
  object *o = add(MODULE, module);
  o->size = end_of_file(image);
  o->begin = malloc(o->size);
  memcpy(o->begin, image, o->size);
  say("module %u sm_%u\n", o->number, made_for);
  return SUCCESS;
}

int cuModuleUnload(void *module) {
  object *o = find(module, MODULE);
  if (!o) return INVALID_HANDLE;
  /* Its functions are gone too. */
  for (unsigned i = 0; i < object_count; ++i)
    if (objects[i].kind == FUNCTION && objects[i].begin == o->begin) objects[i].kind = GONE;
  free(o->begin);
  o->kind = GONE;
  return SUCCESS;
}

/* A section such as `.nv.info.NAME`. */
static const Elf64_Shdr *section_of(const unsigned char *cubin, const char *prefix, const char *name) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)cubin;
  const Elf64_Shdr *all = sections(cubin);
  const char *names = (const char *)cubin + all[head->e_shstrndx].sh_offset;
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    const char *own = names + all[i].sh_name;
    if (!strncmp(own, prefix, strlen(prefix)) && !strcmp(own + strlen(prefix), name)) return all + i;
  }
  return NULL;
}

/* The attributes of an entry point: a format, a number, and two bytes, which are the value
   or the number of bytes that follow. */
static void read_attributes(object *function, const unsigned char *at, size_t size) {
  for (const unsigned char *end = at + size; at + 4 <= end;) {
    uint16_t value;
    uint32_t threads[3];
    memcpy(&value, at + 2, 2);
    if (at[1] == 0x19) function->parameters = value / 8; /* CBANK_PARAM_SIZE */
    if (at[1] == 0x10) { /* REQNTID */
      memcpy(threads, at + 4, sizeof threads);
      function->threads = threads[0] * threads[1] * threads[2];
    }
    at += at[0] == 4 ? 4 + value : 4;
  }
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  const object *m = find(module, MODULE);
  if (!m) return INVALID_HANDLE;
  const Elf64_Shdr *info = section_of(m->begin, ".nv.info.", name);
  if (!info) return NOT_FOUND;
  object *o = add(FUNCTION, function);
  o->begin = m->begin;
  snprintf(o->name, sizeof o->name, "%s", name);
  read_attributes(o, m->begin + info->sh_offset, info->sh_size);
  say("function %s parameters %u threads %u\n", name, o->parameters, o->threads);
  return SUCCESS;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  object *o = find(function, FUNCTION);
  if (!o) return INVALID_HANDLE;
  if (attribute != MAX_DYNAMIC_SHARED || value < 0 || value > 227 << 10) return INVALID_VALUE;
  o->shared_bytes = (unsigned)value;
  say("shared %s %d\n", o->name, value);
  return SUCCESS;
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
  void *handle;
  if (!contexts[depth]) return INVALID_CONTEXT;
  if (!size) return INVALID_VALUE;
  if (size > free_bytes) return OUT_OF_MEMORY;
  free_bytes -= size;
  object *o = add(MEMORY, &handle);
  o->begin = aligned_alloc(256, (size + 255) / 256 * 256);
  o->size = size;
  memset(o->begin, 0xA5, size); /* Nothing may rely on zeros. */
  *address = (uintptr_t)o->begin;
  say("allocate %u bytes %zu\n", o->number, size);
  return SUCCESS;
}

int cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
  void *handle;
  if (!contexts[depth]) return INVALID_CONTEXT;
  if (!size || flags) return INVALID_VALUE;
  object *o = add(STAGING, &handle);
  o->begin = *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  o->size = size;
  say("lock %u bytes %zu\n", o->number, size);
  return SUCCESS;
}

int cuMemFreeHost(void *memory) {
  for (unsigned i = 0; i < object_count; ++i) {
    object *o = objects + i;
    if (o->kind != STAGING || o->begin != memory) continue;
    free(memory);
    o->kind = GONE;
    say("unlock %u\n", o->number);
    return SUCCESS;
  }
  return INVALID_VALUE;
}

int cuMemFree_v2(uint64_t address) {
  object *o = (object *)memory_at(address, 0);
  if (!o || (uintptr_t)o->begin != address) return INVALID_VALUE;
  free(o->begin);
  o->kind = GONE;
  say("free %u\n", o->number);
  return SUCCESS;
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t size, void *stream) {
  int number = stream_number(stream);
  const object *target = memory_at(to, size), *source = memory_at(from, size);
  if (number < 0) return INVALID_HANDLE;
  if (failing) return ILLEGAL_ADDRESS;
  if (!target && !source) return INVALID_VALUE;
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
  say("copy %s to %s bytes %zu stream %d\n", source ? "device" : "host", target ? "device" : "host", size, number);
  return SUCCESS;
}

int cuStreamCreate(void **stream, unsigned flags) {
  if (!contexts[depth]) return INVALID_CONTEXT;
  if (flags > 1) return INVALID_VALUE;
  return add(STREAM, stream), SUCCESS;
}

int cuStreamSynchronize(void *stream) { return stream_number(stream) < 0 ? INVALID_HANDLE : SUCCESS; }

int cuStreamDestroy_v2(void *stream) {
  object *o = find(stream, STREAM);
  if (!o) return INVALID_HANDLE;
  o->kind = GONE;
  return SUCCESS;
}

int cuEventCreate(void **event, unsigned flags) {
  if (!contexts[depth]) return INVALID_CONTEXT;
  if (flags > 7) return INVALID_VALUE;
  return add(EVENT, event), SUCCESS;
}

int cuEventRecord(void *event, void *stream) {
  const object *o = find(event, EVENT);
  if (!o || stream_number(stream) < 0) return INVALID_HANDLE;
  say("record %u stream %d\n", o->number, stream_number(stream));
  return SUCCESS;
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  const object *o = find(event, EVENT);
  if (!o || stream_number(stream) < 0) return INVALID_HANDLE;
  if (flags) return INVALID_VALUE;
  say("wait %u stream %d\n", o->number, stream_number(stream));
  return SUCCESS;
}

int cuEventSynchronize(void *event) { return find(event, EVENT) ? SUCCESS : INVALID_HANDLE; }

int cuEventDestroy_v2(void *event) {
  object *o = find(event, EVENT);
  if (!o) return INVALID_HANDLE;
  o->kind = GONE;
  return SUCCESS;
}

static int check_launch(const launch_config *c, const object *o) {
  unsigned limit = o->shared_bytes > STATIC_SHARED ? o->shared_bytes : STATIC_SHARED;
  for (int axis = 0; axis < 3; ++axis)
    if (!c->grid[axis] || !c->block[axis] || (axis && c->grid[axis] > 65535)) return INVALID_VALUE;
  if (c->grid[0] > 0x7FFFFFFF || c->shared_bytes > limit) return INVALID_VALUE;
  if (o->threads && c->block[0] * c->block[1] * c->block[2] != o->threads) return INVALID_VALUE;
  return SUCCESS;
}

int cuLaunchKernelEx(const launch_config *c, void *function, void **parameters, void **extra) {
  const object *o = find(function, FUNCTION);
  if (!o || stream_number(c->stream) < 0) return INVALID_HANDLE;
  if (failing) return ILLEGAL_ADDRESS;
  if (extra || check_launch(c, o)) return INVALID_VALUE;
  int dependent = 0;
  for (unsigned i = 0; i < c->attribute_count; ++i)
    if (c->attributes[i].id == STREAM_SERIALIZATION) dependent = c->attributes[i].value[0];
  say("launch %s grid %u %u %u block %u shared %u stream %d dependent %d\n", o->name, c->grid[0],
      c->grid[1], c->grid[2], c->block[0], c->shared_bytes, stream_number(c->stream), dependent);
  void *values[64] = {0};
  for (unsigned i = 0; i < o->parameters && i < 64; ++i) {
    memcpy(values + i, parameters[i], 8);
    /* Machine code relies on 16 bytes; NULL is scratch memory that a kernel does not have. */
    uint64_t address = (uintptr_t)values[i];
    if (address && (!memory_at(address, 1) || address % 16)) return ILLEGAL_ADDRESS;
  }
  for (unsigned i = 0; i < replaced_count; ++i)
    if (!strcmp(replaced[i].name, o->name)) replaced[i].kernel(c->grid, values);
  return SUCCESS;
}

int cuGetErrorString(int status, const char **words) {
  switch (status) {
  case INVALID_VALUE: *words = "invalid argument"; break;
  case OUT_OF_MEMORY: *words = "out of memory"; break;
  case NOT_INITIALIZED: *words = "initialization error"; break;
  case NO_DEVICE: *words = "no CUDA-capable device is detected"; break;
  case INVALID_IMAGE: *words = "device kernel image is invalid"; break;
  case INVALID_CONTEXT: *words = "invalid device context"; break;
  case NO_BINARY: *words = "no kernel image is available for execution on the device"; break;
  case INVALID_HANDLE: *words = "invalid resource handle"; break;
  case NOT_FOUND: *words = "named symbol not found"; break;
  case ILLEGAL_ADDRESS: *words = "an illegal memory access was encountered"; break;
  default: *words = NULL; return INVALID_VALUE;
  }
  return SUCCESS;
}
