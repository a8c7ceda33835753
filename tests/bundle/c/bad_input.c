/* Each kind of wrong input gives its code and a text; a right call works after it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define EXPECT(call, code)                                                                  \
  do {                                                                                      \
    memory_status got = (call);                                                             \
    if (got != (code)) {                                                                    \
      printf("line %d: %s gives %d, not %d\n", __LINE__, #call, (int)got, (int)(code));     \
      failures++;                                                                           \
    }                                                                                       \
  } while (0)

static int failures;

static void *aligned(size_t size) {
  void *data = aligned_alloc(64, (size + 63) / 64 * 64);
  memset(data, 0, (size + 63) / 64 * 64);
  return data;
}

static void *read_file(const char *path, uint64_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *size = (uint64_t)ftell(file);
  rewind(file);
  void *data = aligned(*size);
  if (fread(data, 1, *size, file) != *size) exit(2);
  fclose(file);
  return data;
}

static memory_options good, o;
static memory *made;
static char message[400];

static memory_options *fresh(void) {
  o = good;
  memset(message, 'x', sizeof message);
  return &o;
}

static void check_create(char *weights) {
  fresh();
  EXPECT(memory_create(NULL, &made), MEMORY_ERROR_NULL);
  EXPECT(memory_create(&o, NULL), MEMORY_ERROR_NULL);
  fresh()->struct_size--;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_STRUCT_SIZE);
  fresh()->abi_version = 2;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_VERSION);
  if (!strstr(message, "1 expected, got 2")) failures++, puts(message);
  fresh()->interface_id ^= 1;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_INTERFACE);
  fresh()->cpu = "i486";
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_CPU);
  if (!strstr(message, "no code for a processor")) failures++, puts(message);
  if (memory_cpu(NULL)) failures++;
  fresh()->weights = NULL;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_WEIGHTS);
  fresh()->weights_size--;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_WEIGHTS);
  fresh()->weights = weights + 1;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_ALIGNMENT);
  weights[40] ^= 1; /* the SHA-256 in the header: other weights */
  fresh();
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_WEIGHTS);
  weights[40] ^= 1;
  weights[MEMORY_WEIGHTS_SIZE - 1] ^= 1; /* damaged: noticed on request */
  fresh()->check_weights = 1;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_WEIGHTS);
  weights[MEMORY_WEIGHTS_SIZE - 1] ^= 1;
  char *block = aligned(MEMORY_MEMORY_SIZE + 64);
  fresh()->memory = block;
  o.memory_size = MEMORY_MEMORY_SIZE - 1;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_MEMORY);
  fresh()->memory = block + 8;
  o.memory_size = MEMORY_MEMORY_SIZE;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_ALIGNMENT);
  free(block);
  fresh()->threads = 5000;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_THREADS);
  fresh()->parallel_for =
      (void (*)(void *, void (*)(void *, int64_t), void *, int64_t))(uintptr_t)64;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_THREADS);
  fresh()->message_size = 1;
  o.threads = 5000;
  EXPECT(memory_create(&o, &made), MEMORY_ERROR_THREADS);
  if (message[0] || message[1] != 'x') failures++, puts("a message beyond its memory");
  if (made) failures++, puts("an instance of a failed create");
}

static void check_run(memory *m) {
  float x[21] = {0}, sums[3], ring[35];
  char *bytes = aligned(sizeof x + 64);
  memory_inputs in = {x};
  memory_outputs out = {sums, ring};
  EXPECT(memory_run(NULL, &in, &out), MEMORY_ERROR_NULL);
  EXPECT(memory_run(m, NULL, &out), MEMORY_ERROR_NULL);
  EXPECT(memory_run(m, &in, NULL), MEMORY_ERROR_NULL);
  in.x = NULL;
  EXPECT(memory_run(m, &in, &out), MEMORY_ERROR_NULL);
  if (!strstr(memory_last_error(m), "input 'x'")) failures++, puts(memory_last_error(m));
  in.x = (const float *)(const void *)(bytes + 1);
  EXPECT(memory_run(m, &in, &out), MEMORY_ERROR_ALIGNMENT);
  in.x = x;
  out.output_1 = x + 3;
  EXPECT(memory_run(m, &in, &out), MEMORY_ERROR_OVERLAP);
  out.output_1 = sums;
  EXPECT(memory_run(m, &in, &out), MEMORY_ERROR_OVERLAP);
  out.output_1 = ring;
  EXPECT(memory_run((memory *)(void *)bytes, &in, &out), MEMORY_ERROR_HANDLE);
  EXPECT(memory_run((memory *)(void *)(bytes + 4), &in, &out), MEMORY_ERROR_HANDLE);
  EXPECT(memory_run(m, &in, &out), MEMORY_OK);
  if (*memory_last_error(m)) failures++, puts("an error after a call that worked");
  free(bytes);
}

static void check_states(memory *m) {
  float total[21];
  EXPECT(memory_get_state(m, 0, total, sizeof total), MEMORY_OK);
  EXPECT(memory_get_state(m, 3, total, sizeof total), MEMORY_ERROR_STATE);
  EXPECT(memory_get_state(m, 0, total, sizeof total - 4), MEMORY_ERROR_STATE);
  if (!strstr(memory_last_error(m), "'total'")) failures++, puts(memory_last_error(m));
  EXPECT(memory_get_state(m, 0, NULL, sizeof total), MEMORY_ERROR_NULL);
  EXPECT(memory_set_state(m, 0, NULL, sizeof total), MEMORY_ERROR_NULL);
  EXPECT(memory_set_state(m, 77, total, sizeof total), MEMORY_ERROR_STATE);
  EXPECT(memory_set_state(NULL, 0, total, sizeof total), MEMORY_ERROR_NULL);
  EXPECT(memory_reset(NULL), MEMORY_ERROR_NULL);
}

static void check_golden(memory *m, char *golden, uint64_t size) {
  memory_report report = {sizeof report, 0, "", "", 0, 0, 0, 0};
  EXPECT(memory_selftest(m, golden, size, NULL, &report), MEMORY_OK);
  EXPECT(memory_selftest(m, golden, size, NULL, NULL), MEMORY_OK);
  EXPECT(memory_selftest(m, NULL, size, NULL, &report), MEMORY_ERROR_GOLDEN);
  EXPECT(memory_selftest(m, golden, size - 1, NULL, &report), MEMORY_ERROR_GOLDEN);
  EXPECT(memory_selftest(m, golden, 0, NULL, &report), MEMORY_ERROR_GOLDEN);
  EXPECT(memory_selftest(m, golden + 64, size - 64, NULL, &report), MEMORY_ERROR_GOLDEN);
  EXPECT(memory_selftest(m, golden, size, golden + 1, &report), MEMORY_ERROR_ALIGNMENT);
  report.struct_size = 7;
  EXPECT(memory_selftest(m, golden, size, NULL, &report), MEMORY_ERROR_STRUCT_SIZE);
  golden[12] = 2; /* two cases in a file of three */
  EXPECT(memory_selftest(m, golden, size, NULL, NULL), MEMORY_ERROR_GOLDEN);
  golden[12] = 3;
  golden[16] ^= 1; /* another program's */
  EXPECT(memory_selftest(m, golden, size, NULL, NULL), MEMORY_ERROR_GOLDEN);
  golden[16] ^= 1;
  void *scratch = aligned(memory_selftest_memory_size());
  EXPECT(memory_selftest(m, golden, size, scratch, NULL), MEMORY_OK);
  EXPECT(memory_selftest_ops(m, golden, size, scratch, NULL), MEMORY_OK);
  free(scratch);
}

/* A body that calls the instance which it is part of: entered twice. */
static void enter_again(void *user, uint32_t kernel, const char *name, const char *where,
                        const void *const *operands) {
  float x[21] = {0}, sums[3], ring[35];
  memory_inputs in = {x};
  memory_outputs out = {sums, ring};
  (void)kernel, (void)name, (void)where, (void)operands;
  EXPECT(memory_run(user, &in, &out), MEMORY_ERROR_BUSY);
  EXPECT(memory_destroy(user), MEMORY_ERROR_BUSY);
  EXPECT(memory_reset(user), MEMORY_ERROR_BUSY);
}

int main(void) {
  float x[21] = {0}, sums[3], ring[35];
  memory_inputs in = {x};
  memory_outputs out = {sums, ring};
  memory_description description = {0};
  uint64_t size;
  memory_options begin = MEMORY_OPTIONS;
  good = begin;
  char *weights = read_file("memory.weights", &good.weights_size);
  good.weights = weights;
  good.message = message;
  good.message_size = sizeof message;
  check_create(weights);
  EXPECT(memory_describe(NULL), MEMORY_ERROR_NULL);
  EXPECT(memory_describe(&description), MEMORY_ERROR_STRUCT_SIZE);
  description.struct_size = sizeof description;
  EXPECT(memory_describe(&description), MEMORY_OK);
  if (description.state_count != 3 || strcmp(description.states[1].dtype, "int64") ||
      description.inputs[0].shape[1] != 7 || description.inputs[0].strides[0] != 7)
    failures++, puts("describe");
  fresh()->check_weights = 1;
  o.memory = aligned(MEMORY_MEMORY_SIZE);
  o.memory_size = memory_memory_size();
  EXPECT(memory_create(&o, &made), MEMORY_OK);
  check_run(made);
  check_states(made);
  char *golden = read_file("memory.golden", &size);
  check_golden(made, golden, size);
  EXPECT(memory_trace(made, &in, &out, enter_again, made), MEMORY_OK);
  EXPECT(memory_destroy(made), MEMORY_OK);
  EXPECT(memory_destroy(made), MEMORY_ERROR_HANDLE); /* its memory is ours, and still there */
  EXPECT(memory_destroy(NULL), MEMORY_OK);
  if (!strcmp(memory_error_text((memory_status)99), memory_error_text(MEMORY_OK))) failures++;
  free(o.memory);
  free(golden);
  free(weights);
  return failures != 0;
}
