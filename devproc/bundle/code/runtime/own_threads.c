/* The pool of `thread_pool.ll`, which runs while there are instances. */
#include "runtime.h"

int pthread_mutex_lock(void *mutex);
int pthread_mutex_unlock(void *mutex);
void devproc_set_num_threads(int64_t threads);
void devproc_thread_pool_reset(void);
int64_t devproc_thread_pool_start(int64_t threads);
void devproc_thread_pool_stop(void);

extern unsigned char bundle_gate[64]; /* A mutex, in the initial state that the system wants. */

static uint32_t instances, in_use;

int bundle_open_threads(uint32_t threads, parallel_for loop, void *user) {
  (void)user;
  (void)loop;
  pthread_mutex_lock(bundle_gate);
  int ok = 1;
  if (!instances) {
    if (!threads) threads = bundle_tables.threads;
    devproc_thread_pool_reset();
    devproc_set_num_threads(threads);
    ok = devproc_thread_pool_start(threads) == (int64_t)threads;
    if (!ok) devproc_thread_pool_stop();
    in_use = threads;
  } else
    ok = !threads || threads == in_use;
  if (ok) instances++;
  pthread_mutex_unlock(bundle_gate);
  return ok;
}

void bundle_close_threads(void) {
  pthread_mutex_lock(bundle_gate);
  if (!--instances) devproc_thread_pool_stop();
  pthread_mutex_unlock(bundle_gate);
}
