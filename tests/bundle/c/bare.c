/* A host without heap and files: weights, golden cases and memory are static. */
#include <stdint.h>
#include <stdio.h>

#include "memory.h"

static _Alignas(64) const uint8_t weights[] = {
#embed "memory.weights"
};
static _Alignas(64) const uint8_t golden[] = {
#embed "memory.golden"
};
static _Alignas(64) uint8_t block[MEMORY_MEMORY_SIZE], scratch[4096];

int main(void) {
  memory_options o = MEMORY_OPTIONS;
  memory *made;
  char message[300] = "";
  o.weights = weights;
  o.weights_size = sizeof weights;
  o.memory = block;
  o.memory_size = sizeof block;
  o.message = message;
  o.message_size = sizeof message;
  o.check_weights = 1;
  memory_status status = memory_create(&o, &made);
  if (status) return printf("create: %s\n", message), 1;
  if (memory_selftest_memory_size() > sizeof scratch) return 2;
  status = memory_selftest(made, golden, sizeof golden, scratch, NULL);
  if (!status) status = memory_selftest_ops(made, golden, sizeof golden, scratch, NULL);
  printf("status %d %s\n", (int)status, memory_last_error(made));
  return (int)memory_destroy(made);
}
