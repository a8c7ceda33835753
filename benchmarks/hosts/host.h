/* What the hosts of benchmarks/bundle_hosts.py share, in C and C++: -DCLOCK=CLOCK_MONOTONIC.
   A host prints the milliseconds of creation and of the first run, and the kilobytes before
   them, with the inputs, and at the peak; it writes `outputs`. Then, for each number of seconds
   on stdin, it prints the median and the least time of a turn. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

/* Ends the process with a text where a step of the set-up fails. */
static void require(int condition, const char *what) {
  if (!condition) fprintf(stderr, "%s\n", what), exit(2);
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

static char *mapped(const char *path, uint64_t *size) {
  struct stat s;
  int file = open(path, O_RDONLY);
  require(file >= 0 && !fstat(file, &s), path);
  *size = (uint64_t)s.st_size;
  void *data = mmap(0, (size_t)s.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  require(data != MAP_FAILED, path);
  return (char *)data;
}

static void report(double create, double first, long bare) {
  printf("%f %f %ld %ld\n", create, first, bare, peak());
  fflush(stdout);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void serve_turns(void (*run)(void)) {
  static double times[1000000];
  for (double seconds; scanf("%lf", &seconds) == 1;) {
    size_t turns = 0;
    run();
    for (double end = now() + seconds * 1e3; turns < 1000000 && (!turns || now() < end); turns++) {
      double start = now();
      run();
      times[turns] = now() - start;
    }
    qsort(times, turns, sizeof *times, compare);
    printf("%f %f\n", times[turns / 2], times[0]);
    fflush(stdout);
  }
}
