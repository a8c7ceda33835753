"""What a core can do at most: a loop of nothing but multiply-adds, timed."""

from __future__ import annotations

import timeit

import numpy as np

from devproc.targets.cpu.jit import compile_object
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.native_code import NativeLibrary

SUMS = 12
"""Independent sums: more than the latency of a multiply-add times those in a cycle."""
STEPS = 1_000_000


def peak_of_core(host: CPUTarget, lanes: int) -> float:
    """Floating-point operations per second that this core reaches now, in float32 vectors.

    A multiply-add counts as two operations.
    """
    library = NativeLibrary([compile_object(_loop(lanes), host)])
    call, room = library.function("peak"), np.zeros(64, np.float32)
    address = room.ctypes.data
    seconds = min(timeit.repeat(lambda: call(address), number=1, repeat=5))
    return 2 * STEPS * SUMS * lanes / seconds


def _loop(lanes: int) -> str:
    """LLVM IR of `void peak(float *)`, which keeps all sums in registers."""
    v, fma = f"<{lanes} x float>", f"@llvm.fma.v{lanes}f32"
    sums = range(SUMS)
    phis = [
        f"%a{i} = phi {v} [ zeroinitializer, %entry ], [ %b{i}, %loop ]" for i in sums
    ]
    fmas = [f"%b{i} = call {v} {fma}({v} %x, {v} %x, {v} %a{i})" for i in sums]
    stores = [f"store volatile {v} %b{i}, ptr %p, align 4" for i in sums]
    lines = [
        f"declare {v} {fma}({v}, {v}, {v})",
        "define void @peak(ptr %p) {",
        "entry:",
        f"%x = load {v}, ptr %p, align 4",
        "br label %loop",
        "loop:",
        "%n = phi i64 [ 0, %entry ], [ %m, %loop ]",
        *phis,
        *fmas,
        "%m = add i64 %n, 1",
        f"%more = icmp ult i64 %m, {STEPS}",
        "br i1 %more, label %loop, label %end",
        "end:",
        *stores,
        "ret void",
        "}",
    ]
    return "\n".join(lines)
