/* The C interface of a bundle; DevProc puts its name in place of `bundle_api`.

   Nothing prints, exits or throws: each function returns one of the codes of runtime.h, and
   leaves a text. All memory of an instance is one block:

     arena | places of states | bundle_instance | operand pointers of all steps | parities |
     bundle_gpu
*/
#include "gpu.h"

#define ABI_VERSION 1
#define HANDLE 0x6c646e7562707664ull /* An instance that lives. */
#define MESSAGE_SIZE 320

typedef struct {
  uint32_t struct_size, abi_version;
  uint64_t interface;
  const void *weights;
  uint64_t weights_size;
  void *memory;
  uint64_t memory_size;
  parallel_for loop;
  void *user;
  char *message;
  uint64_t message_size;
  const char *cpu;
  uint32_t threads, check_weights;
} bundle_options;

struct bundle_instance {
  uint64_t handle;
  const unsigned char *weights;
  unsigned char *memory;
  const bundle_level *level;
  uint32_t *parity; /* of each state: which of its places holds the value */
  bundle_gpu *gpu;  /* NULL: the program uses none */
  uint32_t busy, own_memory;
  char message[MESSAGE_SIZE];
};

_Static_assert(sizeof(bundle_instance) <= 384, "tables.py reserves 384 bytes");

struct bundle_description {
  uint32_t struct_size, abi_version;
  uint64_t interface, memory_size, weights_size;
  const char *name, *cpu, *entry;
  const bundle_tensor *inputs, *outputs, *states;
  uint32_t input_count, output_count, state_count, entry_count;
};

static const char *const texts[ERROR_COUNT] = {
    "no error",
    "a pointer is NULL",
    "a struct has another size than the library's; initialise it with the macro of the header "
    "that was written together with this library",
    "the header has another ABI version than the library; use the header that was written "
    "together with it",
    "the header describes another interface; use the header that was written together with "
    "this library",
    "this CPU lacks an instruction set that the code needs; export the bundle for a lesser one",
    "the weights are not those of this program; give the whole content of the .weights file "
    "that was written together with this library, aligned to 64 bytes",
    "the given memory is smaller than the program needs",
    "a pointer is not aligned",
    "the system has no memory left",
    "the threads asked for are not to be had",
    "the instance is in use by another call; give each thread an instance of its own",
    "an output overlaps an input or another output",
    "there is no such state",
    "the golden cases are not those of this program; give the whole content of the .golden "
    "file that was written together with this library, aligned to 64 bytes",
    "a value is further from its golden value than the bound",
    "the handle is not that of an instance: destroyed, or never created",
    "the GPU cannot be used, or has failed"};

const char *bundle_api_error_text(int status) {
  return (unsigned)status < ERROR_COUNT ? texts[status] : "not a status";
}

/* Begins a message with the text of an error, and an empty detail. */
static bundle_text message_for(char *memory, uint64_t size, int status) {
  bundle_text text = {memory, memory ? size : 0, 0};
  bundle_add(&text, texts[status]);
  return text;
}

static int fail(bundle_instance *s, int status, const char *detail, const char *name) {
  bundle_text text = message_for(s->message, MESSAGE_SIZE, status);
  if (detail) {
    bundle_add(&text, ": ");
    bundle_add(&text, detail);
  }
  if (name) {
    bundle_add(&text, " '");
    bundle_add(&text, name);
    bundle_add(&text, "'");
  }
  return status;
}

static int fail_on_gpu(bundle_instance *s) {
  bundle_text text = message_for(s->message, MESSAGE_SIZE, ERROR_GPU);
  bundle_add(&text, ": ");
  bundle_gpu_why(s->gpu, &text);
  return ERROR_GPU;
}

static int is_aligned(const void *pointer, uint64_t to) { return ((uintptr_t)pointer & (to - 1)) == 0; }

static int same_bytes(const unsigned char *a, const unsigned char *b, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

static void copy(unsigned char *to, const unsigned char *from, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) to[i] = from[i];
}

static uint64_t padded(uint64_t bytes) { return (bytes + 63) & ~(uint64_t)63; }

/* The header of a .weights file: 8 bytes of magic, its size, 16 unused bytes, the SHA-256 of
   what follows. */
static int are_our_weights(const unsigned char *weights, int check_all) {
  const bundle_program *p = &bundle_tables;
  static const unsigned char magic[9] = "DPWEIGHT";
  unsigned char digest[32];
  if (!same_bytes(weights, magic, 8)) return 0;
  if (!same_bytes(weights + 32, p->weights_digest, 32)) return 0;
  if (!check_all) return 1;
  bundle_sha256(weights + 64, p->weights_size - 64, digest);
  return same_bytes(digest, p->weights_digest, 32);
}

/* Writes the message of an error at `create`, when there is no instance yet. */
static int refuse(const bundle_options *o, int status, const char *detail, uint64_t given, uint64_t needed) {
  bundle_text text = message_for(o->message, o->message_size, status);
  if (detail) {
    bundle_add(&text, ": ");
    bundle_add(&text, detail);
  }
  if (needed) {
    bundle_add(&text, ": ");
    bundle_add_number(&text, needed);
    bundle_add(&text, " expected, got ");
    bundle_add_number(&text, given);
  }
  return status;
}

static int check_weights(const bundle_options *o) {
  const bundle_program *p = &bundle_tables;
  if (o->weights) {
    if (o->weights_size != p->weights_size) return refuse(o, ERROR_WEIGHTS, "bytes", o->weights_size, p->weights_size);
    if (!is_aligned(o->weights, 64)) return refuse(o, ERROR_ALIGNMENT, "weights", 0, 0);
  } else if (!p->weights)
    return refuse(o, ERROR_WEIGHTS, "weights are NULL, and none are embedded", 0, 0);
  if (!are_our_weights(o->weights ? o->weights : p->weights, o->check_weights != 0))
    return refuse(o, ERROR_WEIGHTS, "their hash is another one", 0, 0);
  return OK;
}

static int same_text(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

/* The best level that this CPU has, or the one asked for; NULL with what is missing. */
static const bundle_level *find_level(const char *cpu, const char **missing) {
  *missing = "there is no code for a processor of the name that `cpu` gives";
  for (uint32_t i = 0; i < bundle_tables.level_count; i++) {
    const bundle_level *level = bundle_tables.levels + i;
    if (cpu && !same_text(cpu, level->cpu)) continue;
    *missing = bundle_missing_feature(level->features, level->feature_count);
    if (!*missing) return level;
  }
  return NULL;
}

static int check_options(const bundle_options *o, const bundle_level **level) {
  const bundle_program *p = &bundle_tables;
  if (o->struct_size != sizeof *o) return ERROR_STRUCT_SIZE; /* `message` may lie elsewhere. */
  if (o->abi_version != ABI_VERSION) return refuse(o, ERROR_VERSION, NULL, o->abi_version, ABI_VERSION);
  if (o->interface != p->interface) return refuse(o, ERROR_INTERFACE, NULL, 0, 0);
  const char *missing;
  *level = find_level(o->cpu, &missing);
  if (!*level) return refuse(o, ERROR_CPU, missing, 0, 0);
  int status = check_weights(o);
  if (status) return status;
  if (o->memory) {
    if (o->memory_size < p->memory_size) return refuse(o, ERROR_MEMORY, "bytes", o->memory_size, p->memory_size);
    if (!is_aligned(o->memory, 64)) return refuse(o, ERROR_ALIGNMENT, "memory", 0, 0);
  } else if (!p->has_heap)
    return refuse(o, ERROR_MEMORY, "memory is NULL, and this system has no heap", 0, p->memory_size);
  if (o->loop && p->threading != CALLER_THREADS)
    return refuse(o, ERROR_THREADS, "parallel_for is given, but the bundle was not exported for it", 0, 0);
  if (o->threads > (p->threading == NO_THREADS ? 1 : 1024))
    return refuse(o, ERROR_THREADS, "more than the bundle was exported for", 0, 0);
  return OK;
}

static const bundle_code *code_of(const bundle_instance *s, const bundle_entry *e) { return s->level->codes + e->number; }

/* Of all entries, or of one. */
static void **all_operands(bundle_instance *s) { return (void **)((unsigned char *)s + 384); }

static void **operands_of(bundle_instance *s, const bundle_code *c) { return all_operands(s) + c->first_operand; }

static unsigned char *state_place(bundle_instance *s, uint32_t number, uint32_t parity) {
  const bundle_tensor *t = bundle_tables.states + number;
  return (t->on_gpu ? bundle_gpu_base(s->gpu, GPU_ARENA) : s->memory) + t->place[parity];
}

/* The beginning or the end of works of the GPU, if there is one. */
static int enter_gpu(bundle_instance *s) { return !s->gpu || bundle_gpu_enter(s->gpu) ? OK : fail_on_gpu(s); }

static int leave_gpu(bundle_instance *s, int status) {
  int ok = !s->gpu || bundle_gpu_leave(s->gpu);
  return ok || status ? status : fail_on_gpu(s);
}

/* Copies a state, from its place or into it. */
static int copy_state(bundle_instance *s, uint32_t number, void *to, const void *from) {
  const bundle_tensor *t = bundle_tables.states + number;
  if (!t->on_gpu)
    copy(to, from, t->bytes);
  else if (!bundle_gpu_copy(s->gpu, to, from, t->bytes))
    return fail_on_gpu(s);
  return OK;
}

static int reset(bundle_instance *s) {
  const bundle_program *p = &bundle_tables;
  int status = enter_gpu(s);
  if (status) return status;
  for (uint32_t i = 0; !status && i < p->state_count; i++) {
    s->parity[i] = 0;
    status = copy_state(s, i, state_place(s, i, 0), s->weights + p->states[i].initial);
  }
  return leave_gpu(s, status);
}

/* Opens the GPU, in memory behind that of the instance. */
static int open_gpu(bundle_instance *s, const bundle_options *o) {
  const bundle_program *p = &bundle_tables;
  if (!p->gpu) return OK;
  bundle_text text = message_for(o->message, o->message_size, ERROR_GPU);
  bundle_add(&text, ": ");
  bundle_gpu *gpu = (bundle_gpu *)(s->memory + p->gpu_offset);
  if (!bundle_gpu_open(gpu, p->gpu, s->weights, &text)) return ERROR_GPU;
  if (text.size) text.begin[0] = 0;
  s->gpu = gpu;
  return OK;
}

static const unsigned char *base_of(const bundle_instance *s, uint32_t kind) {
  if (kind == WEIGHT) return s->weights;
  return kind >= STAGING ? bundle_gpu_base(s->gpu, kind) : s->memory;
}

static void release(bundle_instance *s) {
  s->handle = 0;
  if (s->gpu) bundle_gpu_close(s->gpu);
  bundle_close_threads();
  if (s->own_memory) bundle_free(s->memory);
}

int bundle_api_create(const bundle_options *o, bundle_instance **made) {
  const bundle_program *p = &bundle_tables;
  if (!made) return ERROR_NULL;
  *made = NULL;
  if (!o) return ERROR_NULL;
  const bundle_level *level;
  int status = check_options(o, &level);
  if (status) return status;
  if (!bundle_open_threads(o->threads, o->loop, o->user))
    return refuse(o, ERROR_THREADS, "the system has not got so many, or another instance of this bundle "
                                    "uses another number or another parallel_for", 0, 0);
  unsigned char *memory = o->memory ? o->memory : bundle_allocate(p->memory_size);
  if (!memory) {
    bundle_close_threads();
    return refuse(o, ERROR_OUT_OF_MEMORY, "bytes", 0, p->memory_size);
  }
  bundle_instance *s = (bundle_instance *)(memory + p->instance_offset);
  const bundle_code *last = level->codes + (p->entry_count - 1);
  uint32_t *parity = (uint32_t *)(all_operands(s) + last->first_operand + last->slot_count);
  *s = (bundle_instance){HANDLE, o->weights ? o->weights : p->weights, memory, level, parity, NULL, 0, !o->memory, ""};
  status = open_gpu(s, o);
  for (uint32_t i = 0; !status && i < p->entry_count; i++) {
    const bundle_code *code = level->codes + i;
    for (uint32_t k = 0; k < code->slot_count; k++) {
      const bundle_slot *slot = code->slots + k;
      operands_of(s, code)[k] = (void *)(base_of(s, slot->kind) + slot->offset);
    }
  }
  if (!status) status = reset(s);
  if (status)
    release(s);
  else
    *made = s;
  return status;
}

static int ranges_overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
  return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* NULL, alignment and overlap of the tensors of a call. */
static int check_tensors(const bundle_entry *p, bundle_instance *s, const void *const *in, void *const *out) {
  for (uint32_t i = 0; i < p->input_count + p->output_count; i++) {
    int is_input = i < p->input_count;
    const bundle_tensor *t = is_input ? p->inputs + i : p->outputs + (i - p->input_count);
    const void *pointer = is_input ? in[i] : out[i - p->input_count];
    const char *what = is_input ? "input" : "output";
    if (!t->bytes) continue;
    if (!pointer) return fail(s, ERROR_NULL, what, t->name);
    if (!is_aligned(pointer, t->item_size)) return fail(s, ERROR_ALIGNMENT, what, t->name);
    for (uint32_t k = 0; !is_input && k < i; k++) {
      int other_is_input = k < p->input_count;
      const bundle_tensor *u = other_is_input ? p->inputs + k : p->outputs + (k - p->input_count);
      const void *other = other_is_input ? in[k] : out[k - p->input_count];
      if (u->bytes && ranges_overlap(pointer, t->bytes, other, u->bytes))
        return fail(s, ERROR_OVERLAP, what, t->name);
    }
  }
  return OK;
}

/* The operands that change with the call: inputs, outputs, and states that have two places. */
static void bind(bundle_instance *s, const bundle_code *code, const void *const *in, void *const *out, uint32_t part) {
  void **operands = operands_of(s, code);
  for (uint32_t i = 0; i < code->slot_count; i++) {
    const bundle_slot *slot = code->slots + i;
    uint32_t index = slot->index;
    switch (slot->kind) {
      case INPUT: operands[i] = (unsigned char *)in[index] + part * slot->bytes; break;
      case OUTPUT: operands[i] = (unsigned char *)out[index] + part * slot->bytes; break;
      case STATE: operands[i] = state_place(s, index, s->parity[index]); break;
      case NEXT_STATE: operands[i] = state_place(s, index, !s->parity[index]); break;
      default: break;
    }
  }
}

/* Returns 0 if the GPU fails. */
static int do_step(bundle_instance *s, const bundle_step *step, void **operands) {
  switch (step->kind) {
    case CALL: step->entry(operands); return 1;
    case COPY: copy(operands[1], operands[0], step->bytes); return 1;
    default: return bundle_gpu_work(s->gpu, step, operands);
  }
}

static int run_steps(bundle_instance *s, const bundle_code *code, bundle_observer observe, void *user) {
  for (uint32_t i = 0; i < code->step_count; i++) {
    const bundle_step *step = code->steps + i;
    void **operands = operands_of(s, code) + step->first;
    if (!do_step(s, step, operands)) return fail_on_gpu(s);
    if (observe && (step->kind == CALL || step->kind == GPU_LAUNCH))
      observe(user, i, step->name, step->where, (const void *const *)operands);
  }
  return OK;
}

/* After a failure the states have the values of before, but those that are updated in place. */
static int execute(const bundle_entry *e, bundle_instance *s, const void *const *in, void *const *out,
                   bundle_observer observe, void *user) {
  const bundle_code *code = code_of(s, e);
  int status = enter_gpu(s);
  if (status) return status;
  for (uint32_t part = 0; !status && part < code->parts; part++) {
    bind(s, code, in, out, part);
    status = run_steps(s, code, observe, user);
  }
  status = leave_gpu(s, status);
  for (uint32_t i = 0; !status && i < code->swapped_count; i++) s->parity[code->swapped[i]] ^= 1;
  return status;
}

/* Claims the instance for one call. */
static int enter(bundle_instance *s) {
  if (!s) return ERROR_NULL;
  if (!is_aligned(s, 64) || s->handle != HANDLE) return ERROR_HANDLE;
  return __atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE) ? ERROR_BUSY : OK;
}

static int leave(bundle_instance *s, int status) {
  if (!status) s->message[0] = 0;
  __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
  return status;
}

int bundle_trace_entry(const bundle_entry *e, bundle_instance *s, const void *const *in, void *const *out,
                       bundle_observer observe, void *user) {
  int status = enter(s);
  if (status) return status;
  if (!in || !out) return leave(s, fail(s, ERROR_NULL, "inputs or outputs", NULL));
  status = check_tensors(e, s, in, out);
  if (!status) status = execute(e, s, in, out, observe, user);
  return leave(s, status);
}

int bundle_api_reset(bundle_instance *s) {
  int status = enter(s);
  if (status) return status;
  return leave(s, reset(s));
}

/* The memory of a state; NULL, with a message, for a wrong number or size. */
static unsigned char *state_memory(bundle_instance *s, uint32_t number, const void *values, uint64_t size, int *status) {
  const bundle_program *p = &bundle_tables;
  if (number >= p->state_count)
    *status = fail(s, ERROR_STATE, "number out of range", NULL);
  else if (size != p->states[number].bytes)
    *status = fail(s, ERROR_STATE, "another size in bytes than that of", p->states[number].name);
  else if (!values && size)
    *status = fail(s, ERROR_NULL, "values of the state", p->states[number].name);
  else
    return state_place(s, number, s->parity[number]);
  return NULL;
}

static int move_state(bundle_instance *s, uint32_t number, void *to, const void *from) {
  int status = enter_gpu(s);
  return status ? status : leave_gpu(s, copy_state(s, number, to, from));
}

int bundle_api_get_state(bundle_instance *s, uint32_t number, void *values, uint64_t size) {
  int status = enter(s);
  if (status) return status;
  unsigned char *memory = state_memory(s, number, values, size, &status);
  if (memory) status = move_state(s, number, values, memory);
  return leave(s, status);
}

int bundle_api_set_state(bundle_instance *s, uint32_t number, const void *values, uint64_t size) {
  int status = enter(s);
  if (status) return status;
  unsigned char *memory = state_memory(s, number, values, size, &status);
  if (memory) status = move_state(s, number, memory, values);
  return leave(s, status);
}

int bundle_api_destroy(bundle_instance *s) {
  if (!s) return OK;
  int status = enter(s);
  if (status) return status;
  release(s);
  return OK;
}

const char *bundle_api_last_error(const bundle_instance *s) {
  if (!s) return texts[ERROR_NULL];
  return is_aligned(s, 64) && s->handle == HANDLE ? s->message : texts[ERROR_HANDLE];
}

const char *bundle_api_cpu(const bundle_instance *s) {
  return s && is_aligned(s, 64) && s->handle == HANDLE ? s->level->cpu : NULL;
}

uint64_t bundle_api_memory_size(void) { return bundle_tables.memory_size; }

int bundle_describe_entry(const bundle_entry *e, bundle_description *d) {
  const bundle_program *p = &bundle_tables;
  if (!d) return ERROR_NULL;
  if (d->struct_size != sizeof *d) return ERROR_STRUCT_SIZE;
  *d = (bundle_description){sizeof *d, ABI_VERSION, p->interface, p->memory_size, p->weights_size,
                            p->name, p->cpu, e->name, e->inputs, e->outputs, p->states,
                            e->input_count, e->output_count, p->state_count, p->entry_count};
  return OK;
}

/* ---- Golden cases: the format is that of `devproc/bundle/golden/file.py`. ---- */

typedef struct {
  unsigned char magic[8];
  uint32_t version, cases;
  uint64_t interface, size;
  uint32_t recorded_levels, unused[7]; /* a bit for each level whose kernels are recorded */
} golden_header;

typedef struct {
  double relative, absolute;
} golden_bound;

typedef struct {
  uint32_t struct_size, failed_case;
  const char *name, *where;
  uint64_t element;
  double found, expected, worst;
} bundle_report;

enum { BOOL, INT8, UINT8, INT16, UINT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 };

#define SAMPLES 256

static uint64_t item_size(uint32_t dtype) {
  static const unsigned char sizes[] = {1, 1, 1, 2, 2, 4, 8, 2, 2, 4, 8};
  return sizes[dtype];
}

static double half_value(uint32_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  double scale = 1, value = fraction;
  if (exponent == 31) return fraction ? __builtin_nan("") : bits >> 15 ? -__builtin_inf() : __builtin_inf();
  if (exponent) value += 1024;
  for (uint32_t i = exponent ? exponent : 1; i < 25; i++) scale *= 0.5;
  for (uint32_t i = 25; i < exponent; i++) scale *= 2;
  return (bits >> 15 ? -value : value) * scale;
}

static double value_of(uint32_t dtype, const unsigned char *at) {
  uint64_t bits = 0;
  for (uint64_t i = 0; i < item_size(dtype); i++) bits |= (uint64_t)at[i] << 8 * i;
  union { uint32_t bits; float value; } single = {(uint32_t)(dtype == BFLOAT16 ? bits << 16 : bits)};
  union { uint64_t bits; double value; } whole = {bits};
  switch (dtype) {
    case INT8: return (int8_t)bits;
    case INT16: return (int16_t)bits;
    case INT32: return (int32_t)bits;
    /* In halves: a conversion of 64 bits would be a call on 32-bit processors. */
    case INT64: return (int32_t)(bits >> 32) * 4294967296.0 + (uint32_t)bits;
    case FLOAT16: return half_value((uint32_t)bits);
    case BFLOAT16:
    case FLOAT32: return single.value;
    case FLOAT64: return whole.value;
    default: return (double)(uint32_t)bits;
  }
}

static double magnitude(double value) { return value < 0 ? -value : value; }

/* Compares `count` of `of` elements, evenly spread, with the golden ones, which lie one after
   the other. Returns whether all are within the bound; notes the first that is not. */
static int agree(uint32_t dtype, const unsigned char *found, const unsigned char *golden, uint64_t count,
                 uint64_t of, const golden_bound *bound, bundle_report *report) {
  uint64_t size = item_size(dtype);
  double largest = 0;
  for (uint64_t i = 0; i < count; i++) {
    double value = magnitude(value_of(dtype, golden + i * size));
    if (value > largest && value < __builtin_inf()) largest = value;
  }
  double limit = bound->relative * largest + bound->absolute;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t element = count == of ? i : i * of / count;
    const unsigned char *a = found + element * size, *b = golden + i * size;
    if (same_bytes(a, b, size)) continue;
    double x = value_of(dtype, a), y = value_of(dtype, b), apart = magnitude(x - y);
    if (x != x && y != y) continue;
    if (!(apart <= report->worst)) report->worst = apart;
    /* Large 64-bit integers may differ and be one double. */
    if (apart <= limit && (apart > 0 || dtype >= FLOAT16)) continue;
    report->element = element;
    report->found = x;
    report->expected = y;
    return 0;
  }
  return 1;
}

typedef struct {
  const bundle_code *code;
  const unsigned char *at;
  bundle_report *report;
  int ok;
} kernel_walk;

/* Of kernels alone: integers are equal. */
static const golden_bound kernel_bounds[2] = {{0, 0}, {1e-3, 1e-30}};

/* Compares what a kernel has written with the samples of the golden case. */
static void look(void *user, uint32_t number, const char *kernel, const char *where, const void *const *operands) {
  kernel_walk *walk = user;
  const bundle_step *step = walk->code->steps + number;
  for (uint32_t i = 0; i < step->count; i++) {
    const bundle_slot *slot = walk->code->slots + step->first + i;
    if (!slot->written) continue;
    uint64_t size = item_size(slot->dtype), of = slot->bytes / size, count = of < SAMPLES ? of : SAMPLES;
    if (walk->ok && !agree(slot->dtype, operands[i], walk->at, count, of, &kernel_bounds[slot->dtype >= FLOAT16], walk->report)) {
      walk->ok = 0;
      walk->report->name = kernel;
      walk->report->where = where;
    }
    walk->at += padded(count * size);
  }
}

static uint64_t kernel_bytes(const bundle_code *code) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < code->slot_count; i++) {
    const bundle_slot *slot = code->slots + i;
    uint64_t size = item_size(slot->dtype), count = slot->bytes / size;
    if (slot->written) bytes += padded((count < SAMPLES ? count : SAMPLES) * size);
  }
  return bytes * code->parts;
}

static uint64_t tensor_bytes(const bundle_tensor *tensors, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++) bytes += padded(tensors[i].bytes);
  return bytes;
}

/* The bytes of what the kernels of the first `count` levels write in one case, as far as that
   is recorded. */
static uint64_t recorded_bytes(const golden_header *header, const bundle_entry *e, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (header->recorded_levels >> i & 1) bytes += kernel_bytes(bundle_tables.levels[i].codes + e->number);
  }
  return bytes;
}

static uint32_t level_number(const bundle_instance *s) { return (uint32_t)(s->level - bundle_tables.levels); }

static const char *section_problem(const bundle_entry *e, const unsigned char *data, uint64_t size) {
  const golden_header *header = (const golden_header *)data;
  static const unsigned char magic[9] = "DPGOLDEN";
  if (size < 64 || !same_bytes(data, magic, 8)) return "no file of golden cases, or a truncated one";
  if (header->version != 2 || header->interface != e->interface) return "those of another program";
  if (header->cases > 1024 || header->recorded_levels >> bundle_tables.level_count) return "damaged";
  uint64_t each = tensor_bytes(e->inputs, e->input_count) + tensor_bytes(e->outputs, e->output_count);
  each += recorded_bytes(header, e, bundle_tables.level_count);
  uint64_t whole = 64 + padded(e->output_count * sizeof(golden_bound)) + header->cases * each;
  return header->size != whole || size < whole ? "truncated" : NULL;
}

/* Why bytes are not the golden cases of this program, a section for each entry; NULL if they
   are. */
static const char *golden_problem(const unsigned char *data, uint64_t size) {
  const bundle_program *p = &bundle_tables;
  if (!data || !is_aligned(data, 64)) return "NULL, or not aligned to 64 bytes";
  for (uint32_t i = 0; i < p->entry_count; i++) {
    const char *wrong = section_problem(p->entries[i], data, size);
    if (wrong) return wrong;
    size -= ((const golden_header *)data)->size;
    data += ((const golden_header *)data)->size;
  }
  return size ? "truncated, or longer than they are" : NULL;
}

typedef struct {
  const unsigned char *at; /* in the golden data */
  const golden_bound *bounds;
  const void **in;
  void **out;
  uint64_t before, recorded; /* bytes of what kernels write in a case: of the levels before, of all */
  int walk;
} golden_run;

/* Runs one case, and compares its outputs, or what each kernel writes. */
static int run_case(const bundle_entry *p, bundle_instance *s, golden_run *g, bundle_report *report) {
  for (uint32_t i = 0; i < p->input_count; i++) {
    g->in[i] = g->at;
    g->at += padded(p->inputs[i].bytes);
  }
  const unsigned char *expected = g->at;
  g->at += tensor_bytes(p->outputs, p->output_count);
  kernel_walk walk = {code_of(s, p), g->at + g->before, report, 1};
  int status = execute(p, s, g->in, g->out, g->walk ? look : NULL, &walk);
  g->at += g->recorded;
  if (status || !walk.ok) return status ? status : ERROR_MISMATCH;
  for (uint32_t i = 0; i < p->output_count; i++) {
    const bundle_tensor *t = p->outputs + i;
    uint64_t count = t->bytes / t->item_size;
    if (!agree(t->dtype, g->out[i], expected, count, count, &g->bounds[i], report)) {
      report->name = t->name;
      report->where = "output";
      return ERROR_MISMATCH;
    }
    expected += padded(t->bytes);
  }
  return OK;
}

/* Runs the cases of an entry; the states begin with their first values. */
static int run_cases(const bundle_entry *p, bundle_instance *s, const unsigned char *data, unsigned char *scratch,
                     int walk, bundle_report *report) {
  const golden_header *header = (const golden_header *)data;
  golden_run g = {data + 64 + padded(p->output_count * sizeof(golden_bound)), (const golden_bound *)(data + 64),
                  (const void **)scratch, (void **)scratch + p->input_count,
                  recorded_bytes(header, p, level_number(s)), recorded_bytes(header, p, bundle_tables.level_count), walk};
  unsigned char *at = scratch + padded(sizeof(void *) * (p->input_count + p->output_count));
  for (uint32_t i = 0; i < p->output_count; i++) {
    g.out[i] = at;
    at += padded(p->outputs[i].bytes);
  }
  int status = reset(s);
  for (uint32_t i = 0; !status && i < header->cases; i++) {
    report->failed_case = i;
    status = run_case(p, s, &g, report);
  }
  int after = reset(s);
  return status ? status : after;
}

static void say_mismatch(bundle_instance *s, const bundle_entry *e, const bundle_report *report) {
  bundle_text text = message_for(s->message, MESSAGE_SIZE, ERROR_MISMATCH);
  if (*e->name) {
    bundle_add(&text, ": entry '");
    bundle_add(&text, e->name);
    bundle_add(&text, "'");
  }
  bundle_add(&text, ": case ");
  bundle_add_number(&text, report->failed_case);
  bundle_add(&text, ", ");
  bundle_add(&text, report->where);
  bundle_add(&text, " '");
  bundle_add(&text, report->name);
  bundle_add(&text, "', element ");
  bundle_add_number(&text, report->element);
}

/* Runs the cases of all entries, up to the first one that is off. */
static int run_sections(bundle_instance *s, const unsigned char *data, unsigned char *scratch, int walk,
                        bundle_report *report) {
  const bundle_program *p = &bundle_tables;
  int status = OK;
  for (uint32_t i = 0; !status && i < p->entry_count; i++) {
    status = run_cases(p->entries[i], s, data, scratch, walk, report);
    if (status == ERROR_MISMATCH) say_mismatch(s, p->entries[i], report);
    data += ((const golden_header *)data)->size;
  }
  return status;
}

uint64_t bundle_api_selftest_memory_size(void) {
  const bundle_program *p = &bundle_tables;
  uint64_t largest = 0;
  for (uint32_t i = 0; i < p->entry_count; i++) {
    const bundle_entry *e = p->entries[i];
    uint64_t size = padded(sizeof(void *) * (e->input_count + e->output_count));
    size += tensor_bytes(e->outputs, e->output_count) + 64;
    if (size > largest) largest = size;
  }
  return largest;
}

/* Why the kernels of this instance cannot be compared; NULL if they can. */
static const char *walk_problem(const bundle_instance *s, const unsigned char *golden) {
  uint32_t levels = ((const golden_header *)golden)->recorded_levels;
  if (!levels) return "they have no values of kernels";
  return levels >> level_number(s) & 1 ? NULL : "they have no values of the kernels for this cpu";
}

static int selftest(bundle_instance *s, const void *golden, uint64_t size, void *memory, bundle_report *report, int walk) {
  bundle_report own = {0};
  int status = enter(s);
  if (status) return status;
  if (report && report->struct_size != sizeof *report) return leave(s, fail(s, ERROR_STRUCT_SIZE, "the report", NULL));
  const char *wrong = golden_problem(golden, size);
  if (!wrong && walk) wrong = walk_problem(s, golden);
  if (wrong) return leave(s, fail(s, ERROR_GOLDEN, wrong, NULL));
  if (memory && !is_aligned(memory, 64)) return leave(s, fail(s, ERROR_ALIGNMENT, "memory of the self-test", NULL));
  unsigned char *scratch = memory ? memory : bundle_allocate(bundle_api_selftest_memory_size());
  if (!scratch) return leave(s, fail(s, ERROR_OUT_OF_MEMORY, "for the outputs of the self-test", NULL));
  if (!report) report = &own;
  *report = (bundle_report){sizeof *report, 0, "", "", 0, 0, 0, 0};
  status = run_sections(s, golden, scratch, walk, report);
  if (!memory) bundle_free(scratch);
  return leave(s, status);
}

int bundle_api_selftest(bundle_instance *s, const void *golden, uint64_t size, void *memory, bundle_report *report) {
  return selftest(s, golden, size, memory, report, 0);
}

int bundle_api_selftest_ops(bundle_instance *s, const void *golden, uint64_t size, void *memory, bundle_report *report) {
  return selftest(s, golden, size, memory, report, 1);
}
