"""Runs a program made for AArch64: linked with a small C main, under qemu."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import devproc
from devproc.targets.cpu.jit import compile_object
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.thread_pool import thread_pool_ir
from tests.repository import cpu_code

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"

MAIN = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void devproc_thread_pool_reset(void);
void devproc_set_num_threads(int64_t);
{declarations}
static const long sizes[] = {{{sizes}}};
int main(int count, char **arguments) {{
  char *memory[{regions}];
  FILE *in = fopen(arguments[1], "rb"), *out = fopen(arguments[2], "wb");
  devproc_thread_pool_reset();
  devproc_set_num_threads({threads});
  for (int i = 0; i < {regions}; i++) {{
    memory[i] = aligned_alloc(64, (sizes[i] / 64 + 1) * 64);
    if (fread(memory[i], 1, sizes[i], in) != sizes[i]) return 2;
  }}
  {calls}
  for (int i = 0; i < {regions}; i++)
    if (fwrite(memory[i], 1, sizes[i], out) != sizes[i]) return 3;
  return fclose(out);
}}
"""


def why_not() -> str | None:
    """What is missing for running AArch64 code here."""
    missing = [name for name in (COMPILER, EMULATOR) if shutil.which(name) is None]
    return f"no {' and no '.join(missing)}" if missing else None


@cache
def _thread_pool() -> Path:
    target = CPUTarget.get("aarch64")
    path = Path(mkdtemp()) / "pool.o"
    path.write_bytes(compile_object(thread_pool_ir(target.triple), target))
    return path


def run(
    program: devproc.Program, inputs: Sequence[np.ndarray], folder: Path
) -> list[np.ndarray]:
    """The outputs of one inference, under the emulator."""
    host, interface = program.artifact.host, program.interface
    assert host.parts == 1
    outputs = [np.zeros(s.shape, s.dtype) for s in interface.outputs]
    arena = np.zeros(host.arenas.get("cpu", 0), np.uint8)
    keys = sorted({slot.key for slot in host.slots if slot.kind == "weight"})
    weights = [program.weights.array(key) for key in keys]
    memory = [arena, *inputs, *weights, *outputs]
    first = {"input": 1, "weight": 1 + len(inputs)}
    first["output"] = len(memory) - len(outputs)

    def address(number: int) -> str:
        slot = host.slots[number]
        if slot.kind == "buffer":
            return f"memory[0] + {slot.offset}"
        index = keys.index(slot.key) if slot.kind == "weight" else slot.index
        return f"memory[{first[slot.kind] + index}]"

    declarations, calls = "", ""
    for step in host.steps:
        assert (step.kind, step.device) == ("launch", "cpu")
        declarations += f"void {step.symbol}_entry(void **);\n"
        operands = ", ".join(address(number) for number in step.slots)
        calls += f"{{ void *table[] = {{{operands}}}; {step.symbol}_entry(table); }}\n"
    text = MAIN.format(
        declarations=declarations,
        calls=calls,
        sizes=", ".join(str(array.nbytes) for array in memory),
        regions=len(memory),
        threads=program.artifact.threads,
    )
    _link_and_run(program, text, memory, folder)
    found = (folder / "after").read_bytes()
    start = len(found) - sum(output.nbytes for output in outputs)
    for output in outputs:
        data = found[start : start + output.nbytes]
        output[...] = np.frombuffer(data, output.dtype).reshape(output.shape)
        start += output.nbytes
    return outputs


def _link_and_run(
    program: devproc.Program, text: str, memory: Sequence[np.ndarray], folder: Path
) -> None:
    (folder / "main.c").write_text(text)
    files: list[str] = []
    for number, code in enumerate(cpu_code(program).objects):
        files.append(f"code{number}.o")
        (folder / files[-1]).write_bytes(code)
    (folder / "before").write_bytes(b"".join(array.tobytes() for array in memory))
    objects = ["main.c", *files, str(_thread_pool()), "-o", "main"]
    flags = ["-static", "-pthread", "-lm"]
    for command in (
        [COMPILER, *objects, *flags],
        [EMULATOR, "main", "before", "after"],
    ):
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
