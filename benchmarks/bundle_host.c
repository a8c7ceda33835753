/* Runs a bundle for benchmarks/bundle.py: -DHEADER='"m.h"' -DNAME=m -DCLOCK=CLOCK_MONOTONIC;
   weights, inputs and threads are arguments. Prints the milliseconds of create and of the
   first run, and the kilobytes before and at the peak; writes `outputs`. Then, for each number
   of seconds on stdin, prints the median and the least time of a turn. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include HEADER

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define F(name) JOIN(NAME, name)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static long peak(void) {
  char line[256];
  long kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "r");
  /* Not getrusage: its peak is that of the process before exec, too. */
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld", &kilobytes);
  fclose(file);
  return kilobytes;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void *mapped(const char *path, uint64_t *size) {
  struct stat s;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &s)) exit(2);
  *size = (uint64_t)s.st_size;
  return mmap(0, (size_t)s.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
}

int main(int count, char **arguments) {
  static double times[1000000];
  void *in[16], *out[16];
  F(options) o = {sizeof o};
  F(description) d = {sizeof d};
  NAME *instance;
  uint64_t size, at = 0;
  if (count < 4 || F(describe)(&d)) return 2;
  long bare = peak();
  const char *inputs = mapped(arguments[2], &size);
  for (uint32_t i = 0; i < d.input_count; at += (d.inputs[i++].bytes + 63) / 64 * 64) in[i] = (void *)(inputs + at);
  for (uint32_t i = 0; i < d.output_count; i++) out[i] = aligned_alloc(64, (d.outputs[i].bytes + 63) / 64 * 64);
  double begin = now();
  o.abi_version = d.abi_version;
  o.interface_id = d.interface_id;
  o.threads = (uint32_t)atoi(arguments[3]);
  o.weights = mapped(arguments[1], &o.weights_size);
  if (F(create)(&o, &instance)) return 3;
  double made = now();
  if (F(run)(instance, (void *)in, (void *)out)) return 4;
  double first = now();
  printf("%f %f %ld %ld\n", made - begin, first - made, bare, peak());
  FILE *file = fopen("outputs", "wb");
  for (uint32_t i = 0; i < d.output_count; i++) fwrite(out[i], 1, d.outputs[i].bytes, file);
  fclose(file);
  fflush(stdout);
  for (double seconds; scanf("%lf", &seconds) == 1;) {
    size_t turns = 0;
    F(run)(instance, (void *)in, (void *)out);
    for (double end = now() + seconds * 1e3; turns < 1000000 && (!turns || now() < end); turns++) {
      double start = now();
      F(run)(instance, (void *)in, (void *)out);
      times[turns] = now() - start;
    }
    qsort(times, turns, sizeof *times, compare);
    printf("%f %f\n", times[turns / 2], times[0]);
    fflush(stdout);
  }
  return F(destroy)(instance);
}
