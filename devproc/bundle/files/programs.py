"""selftest.c and main.c: how a C program calls the bundle."""

from __future__ import annotations

from string import Template

from devproc.bundle.code.plan import Plan
from devproc.bundle.interface.tensors import C_TYPES, EntryTensors, Tensor

_READ = """\
/* The content of a file, aligned to 64 bytes; NULL if it cannot be read. */
static void *read_file(const char *path, uint64_t *size) {
  FILE *file = fopen(path, "rb");
  void *data = NULL;
  if (!file) return NULL;
  if (!fseek(file, 0, SEEK_END)) {
    long length = ftell(file);
    *size = (uint64_t)length;
    rewind(file);
    if (length > 0) data = aligned_alloc(64, ((size_t)length + 63) / 64 * 64);
    if (data && fread(data, 1, (size_t)length, file) != (size_t)length) data = NULL;
  }
  fclose(file);
  return data;
}
"""

_SELFTEST = Template("""\
/* Runs the golden cases of $name:  ./selftest [$name.golden [$name.weights]]
   With -D${NAME}_TRACE each kernel is compared. Written by `devproc bundle`. */
#include <stdio.h>
#include <stdlib.h>

#include "$name.h"

$read
int main(int count, char **arguments) {
  const char *golden_path = count > 1 ? arguments[1] : "$name.golden";
  ${name}_options options = ${NAME}_OPTIONS;
  ${name}_report report = {sizeof report, 0, "", "", 0, 0, 0, 0};
  char message[320] = "";
  ${name} *instance = NULL;
  uint64_t size = 0;
  void *golden = read_file(golden_path, &size);
  if (!golden) return fprintf(stderr, "cannot read %s\\n", golden_path), 2;
$weights
  options.check_weights = 1;
  options.message = message;
  options.message_size = sizeof message;
  ${name}_status status = ${name}_create(&options, &instance);
  if (status) return fprintf(stderr, "create: %s\\n", message[0] ? message : ${name}_error_text(status)), 1;
#ifdef ${NAME}_TRACE
  status = ${name}_selftest_ops(instance, golden, size, NULL, &report);
#else
  status = ${name}_selftest(instance, golden, size, NULL, &report);
#endif
  if (status) {
    fprintf(stderr, "selftest: %s\\n", ${name}_last_error(instance));
    if (status == ${NAME}_ERROR_MISMATCH)
      fprintf(stderr, "found %.9g, expected %.9g\\n", report.found, report.expected);
    return 1;
  }
  printf("$name: all golden cases pass, the largest distance is %g\\n", report.worst);
  status = ${name}_destroy(instance);
  free(golden);
$release
  return status != ${NAME}_OK;
}
""")

_WEIGHTS = Template("""\
  const char *weights_path = count > 2 ? arguments[2] : "$name.weights";
  void *weights = read_file(weights_path, &options.weights_size);
  options.weights = weights;
  if (!weights) return fprintf(stderr, "cannot read %s\\n", weights_path), 2;""")

_MAIN = Template("""\
/* $what of $name:  ./main [$name.weights] <inputs >outputs
   Inputs are read, and outputs written, as raw bytes in the order of the header. */
#include <stdio.h>
#include <stdlib.h>

#include "$name.h"

$read
$arrays

int main(int count, char **arguments) {
  ${name}_options options = ${NAME}_OPTIONS;
  char message[320] = "";
  ${name} *instance = NULL;
  (void)count, (void)arguments, (void)read_file;
$weights
  options.message = message;
  options.message_size = sizeof message;
  ${name}_status status = ${name}_create(&options, &instance);
  if (status) return fprintf(stderr, "create: %s\\n", message[0] ? message : ${name}_error_text(status)), 1;
$calls
  status = ${name}_destroy(instance);
$release
  return status != ${NAME}_OK;
}
""")


_CALL = Template("""\
$reads
  ${prefix}_inputs ${own}inputs = {$inputs};
  ${prefix}_outputs ${own}outputs = {$outputs};
  status = ${prefix}_run(instance, &${own}inputs, &${own}outputs);
  if (status) return fprintf(stderr, "run: %s\\n", ${name}_last_error(instance)), 1;
$writes""")


def _weights(name: str, weights: str, argument: int) -> str:
    if weights == "embed":
        return "  /* The weights are in the library. */"
    text = _WEIGHTS.substitute(name=name)
    return text.replace("count > 2", f"count > {argument}").replace(
        "arguments[2]", f"arguments[{argument}]"
    )


def _release(weights: str) -> str:
    return "  /* Nothing else to free. */" if weights == "embed" else "  free(weights);"


def selftest_program(name: str, weights: str) -> str:
    """The text of selftest.c."""
    return _SELFTEST.substitute(
        name=name,
        NAME=name.upper(),
        read=_READ,
        weights=_weights(name, weights, 2),
        release=_release(weights),
    )


def main_program(plan: Plan) -> str:
    """The text of main.c."""
    name, entries = plan.name, plan.description.entries
    arrays = [
        f"static {C_TYPES[t.dtype]} {_variable(e, t)}"
        f"[{e.prefix(name).upper()}_{t.member.upper()}_COUNT + 1];"
        for e in entries
        for t in (*e.inputs, *e.outputs)
    ]
    return _MAIN.substitute(
        name=name,
        NAME=name.upper(),
        what="One inference" if len(entries) == 1 else "One call of each entry",
        read=_READ,
        arrays="\n".join(arrays),
        weights=_weights(name, plan.weights, 1),
        calls="\n".join(_call(name, entry) for entry in entries),
        release=_release(plan.weights),
    )


def _variable(entry: EntryTensors, tensor: Tensor) -> str:
    """An array of main.c; none has the name of another variable there."""
    member = f"{tensor.member}_data"
    return f"{entry.name}_{member}" if entry.name else member


def _call(name: str, entry: EntryTensors) -> str:
    """Reads the inputs of an entry, runs it, and writes its outputs."""
    inputs = [(_variable(entry, t), t.byte_count) for t in entry.inputs]
    outputs = [(_variable(entry, t), t.byte_count) for t in entry.outputs]
    reads = [
        f"  if (fread({variable}, 1, {count}, stdin) != {count}) "
        f'return fputs("{variable}: {count} bytes expected\\n", stderr), 2;'
        for variable, count in inputs
    ]
    writes = [
        f"  fwrite({variable}, 1, {count}, stdout);" for variable, count in outputs
    ]
    return _CALL.substitute(
        name=name,
        prefix=entry.prefix(name),
        own=f"{entry.name}_" if entry.name else "",
        reads="\n".join(reads),
        inputs=", ".join(variable for variable, _ in inputs) or "0",
        outputs=", ".join(variable for variable, _ in outputs) or "0",
        writes="\n".join(writes),
    )
