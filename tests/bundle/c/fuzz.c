#define _POSIX_C_SOURCE 200112L
/* Random options, calls and damaged files, many times; any status is right, no crash is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static uint64_t seed = 88172645463325252u;

static uint32_t any(uint32_t below) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 32) % below;
}

static void *aligned(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64 + 64); }

static char *read_file(const char *path, uint64_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *size = (uint64_t)ftell(file);
  rewind(file);
  char *data = aligned(*size);
  if (fread(data, 1, *size, file) != *size) exit(2);
  fclose(file);
  return data;
}

/* A copy whose end is the end of its memory, so that any read beyond it is seen. */
static char *cut(const char *data, uint64_t size, uint64_t keep) {
  void *memory = NULL;
  if (posix_memalign(&memory, 64, keep ? keep : 1)) exit(2);
  char *copy = memory;
  memcpy(copy, data, keep < size ? keep : size);
  return copy;
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 2000, statuses[17] = {0};
  uint64_t weights_size, golden_size;
  char *weights = read_file("memory.weights", &weights_size);
  char *golden = read_file("memory.golden", &golden_size);
  for (int i = 0; i < rounds; i++) {
    memory_options o = MEMORY_OPTIONS;
    char message[64], *block = NULL, *own = cut(weights, weights_size, weights_size);
    memory *m = NULL;
    o.weights = own;
    o.weights_size = weights_size;
    o.message = any(2) ? message : NULL;
    o.message_size = any(sizeof message + 1);
    o.check_weights = any(2);
    if (!any(3)) own[any((uint32_t)weights_size)] ^= (char)(1 + any(255));
    if (!any(8)) o.struct_size = any(200);
    if (!any(8)) o.abi_version = any(4);
    if (!any(8)) o.interface_id = any(1000);
    if (!any(8)) o.weights_size = any((uint32_t)weights_size + 9);
    if (!any(8)) o.weights = own + any(64);
    if (!any(8)) o.threads = any(2) ? any(5) : 1024 + any(3000);
    if (any(2)) {
      o.memory_size = memory_memory_size() - (any(4) ? 0 : any(2000));
      block = aligned_alloc(64, memory_memory_size());
      o.memory = block + (any(4) ? 0 : any(32));
    }
    memory_status status = memory_create(any(50) ? &o : NULL, any(50) ? &m : NULL);
    statuses[status]++;
    if (m) {
      float *x = malloc(84), *sums = malloc(12), *ring = malloc(140), state[40] = {0};
      memory_inputs in = {any(9) ? x : NULL};
      memory_outputs out = {any(9) ? sums : NULL, any(9) ? ring : x};
      for (int k = 0; k < 21; k++) x[k] = (float)any(1000) - 500;
      for (int k = 0; k < 4; k++) {
        statuses[memory_run(m, any(9) ? &in : NULL, any(9) ? &out : NULL)]++;
        statuses[memory_get_state(m, any(4), state, any(3) ? 84 : any(160))]++;
        statuses[memory_set_state(m, any(4), state, any(3) ? 84 : any(160))]++;
      }
      uint64_t size = any(4) ? golden_size : any((uint32_t)golden_size + 1);
      char *data = cut(golden, golden_size, size);
      if (any(2) && size) data[any((uint32_t)size)] ^= (char)(1 + any(255));
      if (any(2) && size >= 64) data[any(64)] ^= (char)(1 + any(255));
      statuses[any(2) ? memory_selftest(m, data, size, NULL, NULL)
                      : memory_selftest_ops(m, data, size, NULL, NULL)]++;
      free(data);
      statuses[memory_destroy(m)]++;
      free(x), free(sums), free(ring);
    }
    free(own), free(block);
  }
  free(weights), free(golden);
  for (int i = 0; i < 17; i++) printf("%s: %d\n", memory_error_text((memory_status)i), statuses[i]);
  return 0;
}
