/* Runs a bundle, -DHEADER='"m.h"' -DNAME=m:  ./host m.weights inputs threads */
#include "host.h"

#include HEADER

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define F(name) JOIN(NAME, name)

static NAME *instance;
static void *in[16], *out[16];

static void run(void) { require(!F(run)(instance, (void *)in, (void *)out), "cannot run"); }

int main(int count, char **arguments) {
  F(options) o = {sizeof o};
  F(description) d = {sizeof d};
  uint64_t size, at = 0;
  require(count == 4 && !F(describe)(&d), "usage: host weights inputs threads");
  char *inputs = mapped(arguments[2], &size);
  long bare = peak();
  for (uint32_t i = 0; i < d.input_count; at += (d.inputs[i++].bytes + 63) / 64 * 64) in[i] = inputs + at;
  for (uint32_t i = 0; i < d.output_count; i++) out[i] = aligned_alloc(64, (d.outputs[i].bytes + 63) / 64 * 64);
  double begin = now();
  o.abi_version = d.abi_version;
  o.interface_id = d.interface_id;
  o.threads = (uint32_t)atoi(arguments[3]);
  o.weights = mapped(arguments[1], &o.weights_size);
  require(!F(create)(&o, &instance), "cannot create an instance");
  double made = now();
  run();
  report(made - begin, now() - made, bare);
  FILE *file = fopen("outputs", "wb");
  for (uint32_t i = 0; i < d.output_count; i++) fwrite(out[i], 1, d.outputs[i].bytes, file);
  fclose(file);
  serve_turns(run);
  return F(destroy)(instance);
}
