/* What the parts of a bundle's C runtime share: the tables that DevProc writes, and the
   threads. Freestanding C11: no library functions beyond those declared here.

   The layout of the tables is that of `devproc/bundle/code/tables.py`. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
  OK, ERROR_NULL, ERROR_STRUCT_SIZE, ERROR_VERSION, ERROR_INTERFACE, ERROR_CPU, ERROR_WEIGHTS,
  ERROR_MEMORY, ERROR_ALIGNMENT, ERROR_OUT_OF_MEMORY, ERROR_THREADS, ERROR_BUSY, ERROR_OVERLAP,
  ERROR_STATE, ERROR_GOLDEN, ERROR_MISMATCH, ERROR_HANDLE, ERROR_GPU, ERROR_COUNT
};

enum { NO_THREADS, OWN_THREADS, CALLER_THREADS }; /* bundle_program.threading */

enum { INPUT, OUTPUT, WEIGHT, ARENA, STATE, NEXT_STATE, STAGING, GPU_WEIGHT, GPU_ARENA };

/* Where an operand lies: `index` numbers an input, output or state, `offset` is into the
   weights, an arena, or memory of the host that a GPU reads and writes; `bytes` and `dtype` are
   those of the operand. Addresses on a GPU are 64-bit numbers, as pointers are. */
typedef struct {
  uint32_t kind, index, dtype, written;
  uint64_t offset, bytes;
} bundle_slot;

enum { CALL, COPY, GPU_LAUNCH, GPU_COPY, GPU_RECORD, GPU_WAIT, GPU_SYNC };

/* What is done next: a kernel of the CPU is called by its entry, or `bytes` are copied from the
   first operand to the second. On a GPU a stream launches kernel `number`, copies, records event
   `number` or waits for it; the last kind waits for the GPU. `name` and `where` are those of
   kernels and their place in the user's source. */
typedef struct {
  void (*entry)(void **operands);
  const char *name, *where;
  uint32_t first, count, kind, stream, number, unused;
  uint64_t bytes;
} bundle_step;

/* An input, output or state; the first eleven members are those of the public header. */
typedef struct {
  const char *name, *dtype_name, *layout, *meaning, *unit;
  const int64_t *shape, *strides;
  uint64_t bytes;
  uint32_t rank, dtype, item_size, bound;
  uint64_t initial;  /* of a state: its first value in the weights */
  uint64_t place[2]; /* of a state: its places in the instance; the same if all update it in place */
  uint64_t on_gpu;   /* whether those are in the memory of the GPU */
} bundle_tensor;

/* A CPUID bit, and the register state that the system must save (XCR0). */
typedef struct {
  const char *name;
  uint32_t leaf, subleaf, word, bit, saved;
} bundle_feature;

/* The code of an entry for one level: its kernels, where its operands begin among those of an
   instance, and the states whose two places change roles after a call. */
typedef struct {
  const bundle_step *steps;
  const bundle_slot *slots;
  const uint32_t *swapped;
  uint32_t step_count, slot_count, swapped_count, first_operand, parts, unused;
} bundle_code;

/* A level of processors, with the code of each entry. */
typedef struct {
  const char *cpu;
  const bundle_feature *features;
  const bundle_code *codes;
  uint32_t feature_count, unused;
} bundle_level;

/* What is called: the whole program, whose name is empty, or one of several entries. Calls in
   a row end when the bool output `until` is true. */
typedef struct {
  const char *name;
  const bundle_tensor *inputs, *outputs;
  uint64_t interface;
  uint32_t number, input_count, output_count, until;
} bundle_entry;

typedef struct bundle_gpu_program bundle_gpu_program;

typedef struct {
  const char *name, *cpu;
  const bundle_level *levels; /* the best one first */
  const bundle_entry *const *entries;
  const bundle_tensor *states;
  const unsigned char *weights;  /* embedded ones, or NULL */
  const bundle_gpu_program *gpu; /* NULL: it uses none */
  uint64_t interface, weights_size, memory_size, instance_offset, gpu_offset;
  uint32_t level_count, entry_count, state_count, threads, threading, has_heap;
  unsigned char weights_digest[32];
} bundle_program;

extern const bundle_program bundle_tables;

typedef void (*parallel_for)(void *user, void (*body)(void *context, int64_t chunk),
                             void *context, int64_t chunks);

/* The functions of an entry; `entry.c` has them with the types and names of the interface. */
typedef struct bundle_instance bundle_instance;
typedef struct bundle_description bundle_description;
typedef void (*bundle_observer)(void *user, uint32_t step, const char *kernel, const char *where,
                                const void *const *operands);
int bundle_trace_entry(const bundle_entry *entry, bundle_instance *instance, const void *const *in,
                       void *const *out, bundle_observer observe, void *user);
int bundle_describe_entry(const bundle_entry *entry, bundle_description *description);

/* The threads that all instances of a bundle share. `bundle_open_threads` counts the
   instances, and returns 0 if it has not got the threads, or if another number is in use;
   0 threads are those in use, else the program's. */
int bundle_open_threads(uint32_t threads, parallel_for loop, void *user);
void bundle_close_threads(void);

/* Memory from the system; without a heap the first returns NULL. */
void *bundle_allocate(uint64_t size);
void bundle_free(void *memory);

/* SHA-256 of `size` bytes, into 32. */
void bundle_sha256(const unsigned char *data, uint64_t size, unsigned char *digest);

/* The name of the first feature that this CPU lacks; NULL if it has all. */
const char *bundle_missing_feature(const bundle_feature *features, uint32_t count);

/* A text that is cut where its memory ends. */
typedef struct {
  char *begin;
  uint64_t size, length;
} bundle_text;

void bundle_add(bundle_text *text, const char *words);
void bundle_add_number(bundle_text *text, uint64_t number);
