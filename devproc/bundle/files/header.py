"""NAME.h: the C interface of a bundle, typed for its program."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from devproc.bundle.code.plan import Plan
from devproc.bundle.interface.tensors import C_TYPES, EntryTensors, Tensor
from devproc.ir.dtypes import element_count

STATUS = (
    ("OK", "no error"),
    ("ERROR_NULL", "a pointer is NULL"),
    ("ERROR_STRUCT_SIZE", "a struct of another size than the library's"),
    ("ERROR_VERSION", "a header of another ABI version"),
    ("ERROR_INTERFACE", "a header of another program"),
    ("ERROR_CPU", "the CPU lacks an instruction set"),
    ("ERROR_WEIGHTS", "weights of another program, truncated or damaged"),
    ("ERROR_MEMORY", "less memory than the program needs"),
    ("ERROR_ALIGNMENT", "a pointer is not aligned"),
    ("ERROR_OUT_OF_MEMORY", "the system has no memory left"),
    ("ERROR_THREADS", "the threads asked for are not to be had"),
    ("ERROR_BUSY", "the instance is in use by another call"),
    ("ERROR_OVERLAP", "an output overlaps an input or another output"),
    ("ERROR_STATE", "no state of this number or size"),
    ("ERROR_GOLDEN", "no golden cases of this program"),
    ("ERROR_MISMATCH", "a value is beyond its golden bound"),
    ("ERROR_HANDLE", "not an instance, or a destroyed one"),
    ("ERROR_GPU", "the GPU cannot be used, or has failed"),
)
"""The codes in the order of `runtime.h`."""

_HEADER = Template("""\
/* $name: an inference program, compiled by DevProc for $cpu.

   Create an instance, run it as often as you like, destroy it. Nothing prints, exits or
   throws; `run` allocates nothing. An instance serves one call at a time: give each thread
   one of its own. All pointers to weights, memory and golden cases are aligned to 64 bytes,
   as mmap's are. Written by `devproc bundle`; do not edit. */
#ifndef ${NAME}_H
#define ${NAME}_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ${NAME}_ABI_VERSION 1
#define ${NAME}_INTERFACE_ID UINT64_C($identity)
#define ${NAME}_WEIGHTS_SIZE UINT64_C($weights_size) /* bytes of $name.weights */
#define ${NAME}_MEMORY_SIZE UINT64_C($memory_size)  /* bytes of an instance, the arena included */
#define ${NAME}_MEMORY_ALIGNMENT 64

typedef enum ${name}_status {
$status
} ${name}_status;

typedef struct ${name} ${name}; /* an instance */

typedef struct ${name}_options {
  uint32_t struct_size;      /* sizeof(${name}_options) */
  uint32_t abi_version;      /* ${NAME}_ABI_VERSION */
  uint64_t interface_id;     /* ${NAME}_INTERFACE_ID */
  const void *weights;       /* $weights_comment */
  uint64_t weights_size;     /* ${NAME}_WEIGHTS_SIZE */
  void *memory;              /* ${NAME}_MEMORY_SIZE bytes; NULL: allocated */
  uint64_t memory_size;
  /* $loop_comment */
  void (*parallel_for)(void *user, void (*body)(void *context, int64_t chunk), void *context,
                       int64_t chunks);
  void *user;
  char *message;             /* where an error of create is explained; may be NULL */
  uint64_t message_size;
  const char *cpu;           /* $levels_comment */
  uint32_t threads;          /* $threads_comment */
  uint32_t check_weights;    /* 1: compare the SHA-256 of the weights, which reads them all */
} ${name}_options;

#define ${NAME}_OPTIONS \\
  {sizeof(${name}_options), ${NAME}_ABI_VERSION, ${NAME}_INTERFACE_ID, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

$structs/* What describe says of a tensor; strides are in elements. `bound`: the axis whose rows are
   valid up to a count, or -1. */
typedef struct ${name}_tensor {
  const char *name, *dtype, *layout, *meaning, *unit;
  const int64_t *shape, *strides;
  uint64_t bytes;
  uint32_t rank, dtype_number, item_size;
  int32_t bound;
  uint64_t reserved[4];
} ${name}_tensor;

typedef struct ${name}_description {
  uint32_t struct_size, abi_version; /* set struct_size before the call */
  uint64_t interface_id, memory_size, weights_size;
  const char *name, *cpu, *entry;    /* all processors; the entry, or empty for the only one */
  const ${name}_tensor *inputs, *outputs, *states;
  uint32_t input_count, output_count, state_count, entry_count;
} ${name}_description;

/* Where a self-test failed, and the largest distance that it saw. */
typedef struct ${name}_report {
  uint32_t struct_size, failed_case; /* set struct_size before the call */
  const char *name, *where;          /* the output, or the kernel and its source line */
  uint64_t element;
  double found, expected, worst;
} ${name}_report;

/* Fails with a code and options->message; *made is NULL then. */
${name}_status ${name}_create(const ${name}_options *options, ${name} **made);
$calls${name}_status ${name}_destroy(${name} *instance); /* NULL is no error */

/* States by number, in the order of describe: $states. */
${name}_status ${name}_reset(${name} *instance);
${name}_status ${name}_get_state(${name} *instance, uint32_t state, void *values, uint64_t bytes);
${name}_status ${name}_set_state(${name} *instance, uint32_t state, const void *values, uint64_t bytes);

/* Runs the golden cases of $name.golden, and resets all states. `memory`: that many bytes,
   aligned to 64; NULL: allocated. `report` may be NULL. selftest_ops compares what each kernel
   writes, and names the first that is off. */
uint64_t ${name}_selftest_memory_size(void);
${name}_status ${name}_selftest(${name} *instance, const void *golden, uint64_t size, void *memory,
    ${name}_report *report);
${name}_status ${name}_selftest_ops(${name} *instance, const void *golden, uint64_t size, void *memory,
    ${name}_report *report);

const char *${name}_cpu(const ${name} *instance); /* the processor whose code it runs */
uint64_t ${name}_memory_size(void);
const char *${name}_error_text(${name}_status status);   /* what it means, and what to do */
const char *${name}_last_error(const ${name} *instance); /* the instance's last error in detail */

#ifdef __cplusplus
}
#endif
#endif
""")

_STRUCTS = Template("""\
$sizes
typedef struct ${prefix}_inputs {
$inputs
} ${prefix}_inputs;

typedef struct ${prefix}_outputs {
$outputs
} ${prefix}_outputs;

""")

_CALLS = Template("""\
${name}_status ${prefix}_run(${name} *instance, const ${prefix}_inputs *inputs, const ${prefix}_outputs *outputs);
/* As run; calls `observe` after each kernel with its operands. */
${name}_status ${prefix}_trace(${name} *instance, const ${prefix}_inputs *inputs, const ${prefix}_outputs *outputs,
    void (*observe)(void *user, uint32_t kernel, const char *name, const char *where,
                    const void *const *operands),
    void *user);
${name}_status ${prefix}_describe(${name}_description *description);
""")

_REPEAT = Template("""\
/* Up to `count` calls in a row, until `$until` is true or `follow`, if it is given, returns 0.
   Each call overwrites the outputs; `follow` is called after it, with the number of calls so
   far, and may read the states. *made, if it is given, becomes the number of calls. */
${name}_status ${prefix}_repeat(${name} *instance, const ${prefix}_outputs *outputs, uint64_t count,
    int (*follow)(void *user, uint64_t made), void *user, uint64_t *made);
""")

LOOPS = {
    "none": "must be NULL: the bundle runs on the calling thread",
    "own": "must be NULL: the bundle has a pool of its own",
    "callback": "runs body(context, chunk) for all chunks, in any order, on any threads; NULL: "
    "the calling\n     thread does. The same for all instances",
}
"""Who runs parallel loops -> the comment on the caller's function."""

THREADS = {
    "none": "0 or 1",
    "own": "of the pool, which all instances share; 0: as compiled, or as in use",
    "callback": "not used",
}
"""Who runs parallel loops -> the comment on the number of threads."""


def header(plan: Plan) -> str:
    """The text of NAME.h."""
    name, described = plan.name, plan.description
    embedded = plan.weights == "embed"
    cpus = ", ".join(f'"{level.name}"' for level in plan.levels)
    return _HEADER.substitute(
        name=name,
        NAME=name.upper(),
        cpu=plan.cpu,
        identity=f"0x{described.identity:016x}",
        memory_size=plan.memory.byte_count,
        weights_size=len(plan.packed.data),
        weights_comment="NULL: those in the library"
        if embedded
        else f"the content of {name}.weights",
        levels_comment=f"NULL: the best that is here; or one of {cpus}",
        status=_status(name.upper()),
        loop_comment=LOOPS[plan.threading],
        threads_comment=THREADS[plan.threading],
        structs="".join(_structs(name, entry) for entry in described.entries),
        calls="".join(
            _calls(name, entry, until)
            for entry, until in zip(described.entries, plan.until, strict=True)
        ),
        states=", ".join(s.name for s in described.states) or "this program has none",
    )


def _structs(name: str, entry: EntryTensors) -> str:
    prefix = entry.prefix(name)
    return _STRUCTS.substitute(
        prefix=prefix,
        sizes=_sizes(prefix.upper(), entry),
        inputs=members(entry.inputs, "const "),
        outputs=members(entry.outputs, ""),
    )


def _calls(name: str, entry: EntryTensors, until: int | None) -> str:
    prefix = entry.prefix(name)
    calls = _CALLS.substitute(name=name, prefix=prefix)
    if until is None:
        return calls
    output = entry.outputs[until].member
    return calls + _REPEAT.substitute(name=name, prefix=prefix, until=output)


def _sizes(upper: str, entry: EntryTensors) -> str:
    lines = [
        f"#define {upper}_{tensor.member.upper()}_COUNT {element_count(tensor.shape)} "
        "/* elements */"
        for tensor in (*entry.inputs, *entry.outputs)
    ]
    return "\n".join(lines)


def _status(upper: str) -> str:
    return "\n".join(
        f"  {upper}_{code}{' = 0' if not number else ''}, /* {text} */"
        for number, (code, text) in enumerate(STATUS)
    )


def members(tensors: Sequence[Tensor], const: str) -> str:
    """The members of the struct of inputs or outputs."""
    lines = [
        f"  {const}{C_TYPES[t.dtype]} *{t.member}; /* {t.text} */" for t in tensors
    ]
    return "\n".join(lines or ["  const void *none; /* this program has none */"])
