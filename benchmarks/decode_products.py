"""Products of one to eight rows with a weight from memory, beside a bare read of memory.

    python benchmarks/decode_products.py [--rows 1,4] [--weights int8,int4] [--shapes 4096x4096]

Each product is a program of several layers over weights of their own, more than any cache
holds; its rate is the bytes of the weights, scales included, over the time of a call. The
bare reader adds up as many bytes. All take turns; printed are the rate of the fastest call,
of the median one, and the share of the reader's fastest.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import llvmlite.binding as llvm
import numpy as np
import torch

import devproc
from devproc.ir.weights.aligned import aligned_bytes
from devproc.targets.cpu.machine.cpu_target import CPUTarget

TOTAL_BYTES = 96 * 1024 * 1024
"""Bytes of the weights of a program: three times a large L3 cache."""

READER = """
define i32 @read(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  LOADS
  %next = add i64 %i, 512
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  SUM
  ret i32 %r
}
declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)
"""


def reader() -> Callable[[int, int], int]:
    """A function of an address and a number of bytes that reads them all."""
    lines, last = list[str](), list[str]()
    for k in range(8):
        lines += [f"%s{k} = phi <16 x i32> [zeroinitializer, %entry], [%t{k}, %loop]"]
    for k in range(8):
        lines += [
            f"%o{k} = add i64 %i, {64 * k}",
            f"%a{k} = getelementptr i8, ptr %p, i64 %o{k}",
            f"%v{k} = load <16 x i32>, ptr %a{k}, align 64",
            f"%t{k} = add <16 x i32> %s{k}, %v{k}",
        ]
    total = "%t0"
    for k in range(1, 8):
        last.append(f"%u{k} = xor <16 x i32> {total}, %t{k}")
        total = f"%u{k}"
    last.append(f"%r = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> {total})")
    text = READER.replace("LOADS", "\n  ".join(lines)).replace("SUM", "\n  ".join(last))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    host = CPUTarget.host()
    machine = llvm.Target.from_triple(host.triple).create_target_machine(
        cpu=host.cpu, features=host.features, opt=3
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    address = engine.get_function_address("read")
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)(
        address
    )
    function.engine = engine  # type: ignore[attr-defined]
    return function


@dataclass
class Candidate:
    """Something that reads `size` bytes, and the times of its calls."""

    name: str
    size: int
    call: Callable[[], object]
    times: list[float] = field(default_factory=list[float])

    def rate(self, quantile: float) -> float:
        """Bytes per second."""
        return self.size / float(np.quantile(self.times, quantile))


class Layers(torch.nn.Module):
    """Layers of one input, each with a weight of its own."""

    def __init__(self, count: int, outputs: int, inputs: int, dtype: torch.dtype):
        super().__init__()
        layers = [
            torch.nn.Linear(inputs, outputs, bias=False, dtype=dtype)
            for _ in range(count)
        ]
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        return [layer(x) for layer in self.layers]


def product(
    outputs: int, inputs: int, rows: int, weights: str, options: dict[str, object]
) -> Candidate:
    """The layers with weights of a format: `float32`, a dtype of the model with `model:`
    before it, or one of `devproc.compile`."""
    dtype, stored = torch.float32, weights
    if weights.startswith("model:") or weights == "float32":
        dtype, stored = getattr(torch, weights.removeprefix("model:")), "original"
    bits = {"int8": 8.5, "int4": 4.5, "int8:64": 8.25, "int4:64": 4.25}
    size = bits.get(stored, 16 if "16" in weights else 32) / 8 * outputs * inputs
    count = max(1, round(TOTAL_BYTES / size))
    with torch.no_grad():
        model = Layers(count, outputs, inputs, dtype).eval()
        x = torch.randn(rows, inputs, dtype=dtype)
        exported = torch.export.export(model, (x,))
    program = devproc.compile(exported, weights=stored, cache=False, **options)
    del model, exported
    made = Candidate(f"{weights} M={rows}", round(count * size), lambda: program(x))
    made.program = program
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", default="4096x4096,896x4864,32000x2048")
    parser.add_argument("--rows", default="1")
    parser.add_argument(
        "--weights", default="float32,model:bfloat16,bfloat16,float16,int8,int4"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--precision", default="default")
    given = parser.parse_args()
    memory, read = aligned_bytes(TOTAL_BYTES), reader()
    memory[:] = 1
    options = {"threads": given.threads, "precision": given.precision}
    for shape in given.shapes.split(","):
        outputs, inputs = map(int, shape.split("x"))
        bare = Candidate(
            "bare read", memory.nbytes, lambda: read(memory.ctypes.data, memory.nbytes)
        )
        found = [bare] + [
            product(outputs, inputs, int(rows), weights, options)
            for weights in given.weights.split(",")
            for rows in given.rows.split(",")
        ]
        # On a busy machine, the time of one thread leaves out what others take.
        clock = time.thread_time if given.threads == 1 else time.perf_counter
        for _ in range(given.rounds):
            for each in found:
                started = clock()
                each.call()
                each.times.append(clock() - started)
        print(f"{outputs} x {inputs}, {given.threads} threads: GB/s")
        for each in found:
            best, median = each.rate(0) / 1e9, each.rate(0.5) / 1e9
            share = each.rate(0) / bare.rate(0)
            print(
                f"  {each.name:20s} best {best:5.1f} ({share:4.0%}), median {median:5.1f}"
            )


if __name__ == "__main__":
    main()
