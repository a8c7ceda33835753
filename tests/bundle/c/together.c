/* Two bundles with pools of their own, called by 8 threads at once; -DLOADED: a thousand times
   loaded, run and unloaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "classify.h"
#include "memory.h"

#define READ(path, size) read_file(path, size)

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

static int bad;

#ifdef LOADED
static long resident(void) {
  long all, pages;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) exit(2);
  fclose(file);
  return pages * 4;
}

#define FIND(name) *(void **)&name = dlsym(library, "classify_" #name)

int main(int count, char **arguments) {
  classify_options o = CLASSIFY_OPTIONS;
  uint64_t size;
  long first = 0;
  int rounds = count > 1 ? atoi(arguments[1]) : 1000;
  o.weights = READ("classify.weights", &o.weights_size);
  void *golden = READ("classify.golden", &size);
  for (int i = 0; i < rounds; i++) {
    void *library = dlopen("./libclassify.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return puts(dlerror()), 1;
    classify_status (*create)(const classify_options *, classify **);
    classify_status (*selftest)(classify *, const void *, uint64_t, void *, classify_report *);
    classify_status (*destroy)(classify *);
    classify *made;
    FIND(create);
    FIND(selftest);
    FIND(destroy);
    if (create(&o, &made) || selftest(made, golden, size, NULL, NULL) || destroy(made)) bad++;
    dlclose(library);
    if (i == rounds / 10) first = resident();
  }
  printf("%d rounds, %ld KB more, %d bad\n", rounds, resident() - first, bad);
  return bad || resident() - first > 512;
}
#else
static classify_options c = CLASSIFY_OPTIONS;
static memory_options m = MEMORY_OPTIONS;
static void *c_golden, *m_golden;
static uint64_t c_size, m_size;

static void *work(void *number) {
  for (int i = 0; i < 5; i++) {
    classify *one = NULL;
    memory *two = NULL;
    int wrong = (uintptr_t)number % 2
                    ? classify_create(&c, &one) || classify_selftest(one, c_golden, c_size, NULL, NULL) ||
                          classify_selftest_ops(one, c_golden, c_size, NULL, NULL) || classify_destroy(one)
                    : memory_create(&m, &two) || memory_selftest(two, m_golden, m_size, NULL, NULL) ||
                          memory_selftest(two, m_golden, m_size, NULL, NULL) || memory_destroy(two);
    if (wrong) __atomic_add_fetch(&bad, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[8];
  c.weights = READ("classify.weights", &c.weights_size);
  m.weights = READ("memory.weights", &m.weights_size);
  c_golden = READ("classify.golden", &c_size);
  m_golden = READ("memory.golden", &m_size);
  for (uintptr_t i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  free((void *)(uintptr_t)c.weights), free((void *)(uintptr_t)m.weights);
  free(c_golden), free(m_golden);
  printf("%d bad\n", bad);
  return bad;
}
#endif
