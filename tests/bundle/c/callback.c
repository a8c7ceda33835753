/* Parallel loops by a function of the caller, which runs chunks backwards and counts them. */
#include <stdio.h>
#include <stdlib.h>

#include "classify.h"

static void loop(void *user, void (*body)(void *, int64_t), void *context, int64_t chunks) {
  *(int64_t *)user += chunks;
  for (int64_t chunk = chunks - 1; chunk >= 0; chunk--) body(context, chunk);
}

static void *read_file(const char *path, uint64_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *size = (uint64_t)ftell(file);
  rewind(file);
  void *data = aligned_alloc(64, (*size + 63) / 64 * 64);
  if (fread(data, 1, *size, file) != *size) exit(2);
  fclose(file);
  return data;
}

int main(void) {
  classify_options o = CLASSIFY_OPTIONS;
  classify *made, *second;
  int64_t chunks = 0, others = 0;
  uint64_t size;
  void *golden = read_file("classify.golden", &size);
  o.weights = read_file("classify.weights", &o.weights_size);
  o.parallel_for = loop;
  o.user = &chunks;
  if (classify_create(&o, &made)) return 1;
  if (classify_selftest(made, golden, size, NULL, NULL)) return puts(classify_last_error(made)), 1;
  o.user = &others; /* another function's instance is refused while the first lives */
  if (classify_create(&o, &second) != CLASSIFY_ERROR_THREADS) return 3;
  if (classify_destroy(made) || classify_create(&o, &made)) return 4;
  if (classify_selftest(made, golden, size, NULL, NULL) || others != chunks) return 5;
  printf("%s\n", chunks > 3 ? "parallel" : "serial");
  return (int)classify_destroy(made);
}
