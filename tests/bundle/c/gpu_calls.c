/* Calls the bundle `memory` for a GPU, whose driver is a substitute that runs no kernels. */
#include "memory.h"
#include <stdio.h>
#include <stdlib.h>

static void *read_file(const char *path, size_t size) {
  void *data = aligned_alloc(64, (size + 63) / 64 * 64);
  FILE *file = fopen(path, "rb");
  if (!data || !file || fread(data, 1, size, file) != size) exit(2);
  fclose(file);
  return data;
}

static int expect(const char *what, memory_status found, memory_status wanted) {
  if (found != wanted) printf("%s: %s\n", what, memory_error_text(found));
  return found != wanted;
}

int main(void) {
  char message[320] = "";
  void *weights = read_file("memory.weights", MEMORY_WEIGHTS_SIZE);
  memory_options options = MEMORY_OPTIONS;
  options.weights = weights;
  options.weights_size = MEMORY_WEIGHTS_SIZE;
  options.message = message;
  options.message_size = sizeof message;
  memory *both[2];
  int bad = 0;
  for (int i = 0; i < 2; i++) bad += expect("create", memory_create(&options, both + i), MEMORY_OK);
  if (bad) return puts(message), 1;
  float x[21] = {0}, sums[3], ring[35];
  memory_inputs inputs = {x};
  memory_outputs outputs = {sums, ring};
  for (int i = 0; i < 6; i++) bad += expect("run", memory_run(both[i % 2], &inputs, &outputs), MEMORY_OK);
  for (uint32_t state = 0; state < 3; state++) {
    memory_description description = {.struct_size = sizeof description};
    bad += expect("describe", memory_describe(&description), MEMORY_OK);
    uint64_t size = description.states[state].bytes;
    void *values = malloc(size);
    bad += expect("get_state", memory_get_state(both[0], state, values, size), MEMORY_OK);
    bad += expect("set_state", memory_set_state(both[1], state, values, size), MEMORY_OK);
    bad += expect("a wrong size", memory_get_state(both[0], state, values, size + 1), MEMORY_ERROR_STATE);
    free(values);
  }
  bad += expect("reset", memory_reset(both[0]), MEMORY_OK);
  inputs.x = NULL;
  bad += expect("no input", memory_run(both[0], &inputs, &outputs), MEMORY_ERROR_NULL);
  for (int i = 0; i < 2; i++) bad += expect("destroy", memory_destroy(both[i]), MEMORY_OK);
  /* Cut off before the reason: it must fit. */
  options.message_size = 8;
  options.weights_size--;
  bad += expect("wrong weights", memory_create(&options, both), MEMORY_ERROR_WEIGHTS);
  free(weights);
  printf("%d bad\n", bad);
  return bad != 0;
}
