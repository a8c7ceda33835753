/* Runs a model by ONNX Runtime's C API:
   ./host libonnxruntime.so m.onnx inputs threads {input type,dimension,...} output bytes
   The wheel has no header. OrtApi is a list of functions that only ever grows at its end
   (onnxruntime_c_api.h), so that they are called by their places in it. A type is a number of
   ONNXTensorElementDataType: 1 is float32, 7 is int64. */
#include "host.h"

#include <dlfcn.h>
#include <string.h>

enum { API_VERSION = 16, LOG_WARNING = 2, ALL_OPTIMIZATIONS = 99, ARENA = 1, DEFAULT_MEMORY = 0 };

typedef struct Status Status;
typedef struct {
  void *of_status[2];
  const char *(*error_message)(const Status *);
  Status *(*create_env)(int, const char *, void **);
  void *of_env[3];
  Status *(*create_session)(void *, const char *, void *, void **);
  void *from_array;
  Status *(*run)(void *, void *, const char *const *, void *const *, size_t, const char *const *, size_t, void **);
  Status *(*create_options)(void **);
  void *of_options[12];
  Status *(*set_optimizations)(void *, int);
  Status *(*set_threads)(void *, int);
  void *of_session[24];
  Status *(*create_tensor)(void *, void *, size_t, const int64_t *, size_t, int, void **);
  void *is_tensor;
  Status *(*tensor_data)(void *, void **);
  void *of_tensors[17];
  Status *(*create_memory_info)(int, int, void **);
} Api;

typedef struct {
  const Api *(*get)(uint32_t);
  const char *(*version)(void);
} ApiBase;

static const Api *api;
static void *session, *values[16], *output;
static const char *names[16], *output_name;
static size_t inputs;

static void check(Status *status) {
  if (status) require(0, api->error_message(status));
}

/* The runtime allocates the output of the first run; later ones write to the same place. */
static void run(void) { check(api->run(session, 0, names, values, inputs, &output_name, 1, &output)); }

/* The tensor "type,dimension,..." on data; returns its bytes. */
static size_t tensor(void *memory, char *data, char *form, void **value) {
  int64_t shape[8];
  size_t rank = 0;
  int type = atoi(strtok(form, ","));
  size_t bytes = type == 7 ? 8 : 4;
  for (char *word; (word = strtok(0, ","));) bytes *= (size_t)(shape[rank++] = atoll(word));
  check(api->create_tensor(memory, data, bytes, shape, rank, type, value));
  return bytes;
}

int main(int count, char **arguments) {
  require(count >= 8, "usage: host library model inputs threads {input type,dimension,...} output bytes");
  uint64_t size;
  char *data = mapped(arguments[3], &size);
  long bare = peak();
  double begin = now();
  void *library = dlopen(arguments[1], RTLD_NOW), *env, *options, *memory, *result;
  require(library != 0, arguments[1]);
  const ApiBase *(*base)(void) = (const ApiBase *(*)(void))dlsym(library, "OrtGetApiBase");
  api = base()->get(API_VERSION);
  check(api->create_env(LOG_WARNING, "host", &env));
  check(api->create_options(&options));
  check(api->set_optimizations(options, ALL_OPTIMIZATIONS));
  check(api->set_threads(options, atoi(arguments[4])));
  check(api->create_session(env, arguments[2], options, &session));
  check(api->create_memory_info(ARENA, DEFAULT_MEMORY, &memory));
  for (int i = 5; i + 2 < count; i += 2) {
    names[inputs] = arguments[i];
    data += (tensor(memory, data, arguments[i + 1], &values[inputs]) + 63) / 64 * 64;
    inputs++;
  }
  output_name = arguments[count - 2];
  double made = now();
  run();
  report(made - begin, now() - made, bare);
  check(api->tensor_data(output, &result));
  FILE *file = fopen("outputs", "wb");
  fwrite(result, 1, (size_t)atoll(arguments[count - 1]), file);
  fclose(file);
  serve_turns(run);
  return 0;
}
