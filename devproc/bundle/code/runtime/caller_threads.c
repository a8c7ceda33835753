/* Parallel loops by the function of the caller; without one, on the calling thread. */
#include "runtime.h"

static uint32_t gate, instances;
static parallel_for in_use;
static void *in_use_user;

static void enter(void) {
  while (__atomic_exchange_n(&gate, 1, __ATOMIC_ACQUIRE)) {}
}

static void leave(void) { __atomic_store_n(&gate, 0, __ATOMIC_RELEASE); }

int bundle_open_threads(uint32_t threads, parallel_for loop, void *user) {
  (void)threads;
  enter();
  int ok = !instances || (in_use == loop && in_use_user == user);
  if (!instances) {
    in_use = loop;
    in_use_user = user;
  }
  if (ok) instances++;
  leave();
  return ok;
}

void bundle_close_threads(void) {
  enter();
  instances--;
  leave();
}

void devproc_parallel_for(void (*body)(void *, int64_t), void *context, int64_t chunks) {
  if (in_use) {
    in_use(in_use_user, body, context, chunks);
    return;
  }
  for (int64_t chunk = 0; chunk < chunks; chunk++) body(context, chunk);
}
