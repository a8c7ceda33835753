"""Products of one to eight rows with a weight from memory, beside a bare read of it.

    python benchmarks/decode_products.py [--rows 1,4] [--weights int8,int4] [--shapes 4096x4096]

Each product is a program of several layers over weights of their own, more than a cache
holds; its rate is the bytes of the weights, scales included, over the time of a call. The
bare reader adds up the words of the same weights with one thread: the pages on which they
lie decide how fast they come. All take turns; printed are the rates of the fastest and of
the median calls, and their shares of the reader's.

Weights are formats of `devproc.compile(weights=...)`, `float32`, or `model:bfloat16` for a
model in that dtype.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import torch

import devproc
from devproc.targets.cpu.machine.cpu_target import CPUTarget

TOTAL_BYTES = 96 * 1024 * 1024
"""Bytes of the weights of a program: three times a large L3 cache."""

MOST_LAYERS = 200
"""Small weights stay in a cache, for the product and for the reader, rather than that a
program of thousands of layers is compiled."""

STEP, LINES = 512, 8
"""Bytes, and vectors of 16 words, that the reader adds up at a time."""

READER = """
define i32 @read(ptr %p, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  {loop}
  %next = add i64 %i, {step}
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  {end}
  %r = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %u{last})
  ret i32 %r
}}
declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)
"""


def reader() -> Callable[[int, int], int]:
    """A function of an address and a number of bytes that reads them all."""
    numbers = range(LINES)
    loop = [
        f"%s{k} = phi <16 x i32> [zeroinitializer, %entry], [%t{k}, %loop]"
        for k in numbers
    ]
    for k in numbers:
        loop += [
            f"%o{k} = add i64 %i, {STEP // LINES * k}",
            f"%a{k} = getelementptr i8, ptr %p, i64 %o{k}",
            f"%v{k} = load <16 x i32>, ptr %a{k}, align 64",
            f"%t{k} = add <16 x i32> %s{k}, %v{k}",
        ]
    end = ["%u0 = add <16 x i32> %t0, zeroinitializer"]
    end += [f"%u{k} = add <16 x i32> %u{k - 1}, %t{k}" for k in numbers[1:]]
    text = READER.format(
        loop="\n  ".join(loop), end="\n  ".join(end), step=STEP, last=LINES - 1
    )
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
    return lambda start, count: (engine, function(start, count))[1]


@dataclass
class Candidate:
    """Something that reads these arrays, and the times of its calls."""

    name: str
    arrays: Sequence[np.ndarray]
    call: Callable[[], object]
    times: list[float] = field(default_factory=list[float])

    def rate(self, quantile: float) -> float:
        """GB per second."""
        size = sum(array.nbytes for array in self.arrays)
        return size / float(np.quantile(self.times, quantile)) / 1e9


class Layers(torch.nn.Module):
    """Layers of one input, each with a weight of its own."""

    def __init__(self, count: int, outputs: int, inputs: int, dtype: torch.dtype):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            torch.nn.Linear(inputs, outputs, bias=False, dtype=dtype)
            for _ in range(count)
        )

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        return [layer(x) for layer in self.layers]


def product(
    outputs: int, inputs: int, rows: int, weights: str, **options: Any
) -> Candidate:
    """The layers, with as many weights as `TOTAL_BYTES` are."""
    dtype, stored = torch.float32, weights
    if weights.startswith("model:") or weights == "float32":
        dtype, stored = getattr(torch, weights.removeprefix("model:")), "original"
    bits = (
        8
        if "int8" in weights
        else 4
        if "int4" in weights
        else 16
        if "16" in weights
        else 32
    )
    count = round(TOTAL_BYTES / (bits / 8 * outputs * inputs))
    count = min(MOST_LAYERS, max(1, count))
    with torch.no_grad():
        model = Layers(count, outputs, inputs, dtype).eval()
        x = torch.randn(rows, inputs, dtype=dtype)
        exported = torch.export.export(model, (x,))
    program = devproc.compile(exported, weights=stored, cache=False, **options)
    arrays = [program.weights.array(name) for name in program.weights]
    return Candidate(f"{weights} M={rows}", arrays, lambda: program(x))


def bare_read(
    arrays: Sequence[np.ndarray], read: Callable[[int, int], int]
) -> Candidate:
    """A bare read of arrays, up to whole steps."""

    def call() -> None:
        for array in arrays:
            read(array.ctypes.data, array.nbytes // STEP * STEP)

    return Candidate("bare read", arrays, call)


def race(
    pairs: Sequence[tuple[Candidate, Candidate]], rounds: int, threads: int
) -> None:
    """Take turns. On a busy machine, the time of one thread leaves out what other
    programs take."""
    clock = time.thread_time if threads == 1 else time.perf_counter
    for _ in range(rounds):
        for each in (candidate for pair in pairs for candidate in pair):
            started = clock()
            each.call()
            each.times.append(clock() - started)


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
    read = reader()
    for shape in given.shapes.split(","):
        outputs, inputs = map(int, shape.split("x"))
        found = [
            product(
                outputs,
                inputs,
                int(rows),
                weights,
                threads=given.threads,
                precision=given.precision,
            )
            for weights in given.weights.split(",")
            for rows in given.rows.split(",")
        ]
        pairs = [(bare_read(each.arrays, read), each) for each in found]
        race(pairs, given.rounds, given.threads)
        print(f"{outputs} x {inputs}, {given.threads} threads: GB/s, best and median")
        for bare, each in pairs:
            cells = [f"{c.rate(0):6.1f} {c.rate(0.5):6.1f}" for c in (bare, each)]
            shares = " ".join(f"{each.rate(q) / bare.rate(q):5.2f}" for q in (0, 0.5))
            print(
                f"  {each.name:20s} bare {cells[0]}   product {cells[1]}   share {shares}"
            )


if __name__ == "__main__":
    main()
