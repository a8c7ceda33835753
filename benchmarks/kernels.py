"""Kernels beside the machine's peak and PyTorch: products, convolutions, experts, attention.

    python benchmarks/kernels.py [gemm conv gemv bf16 experts attention] [--precision fast] [--write]

One thread. The peak is a loop of fused multiply-adds on registers, measured in turns with
each kernel: the clock comes and goes, so a kernel's share of the peak is the median of the
turns' shares. A kernel is the generated code alone; beside PyTorch it is the whole call.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

import torch
from results import write_section

import devproc
from devproc.targets.cpu.jit import compile_object
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.native_library import NativeLibrary

GEMM = (
    (64, 768, 768),
    (128, 768, 768),
    (128, 3072, 768),
    (128, 768, 3072),
    (197, 3072, 768),
    (384, 3072, 1024),
    (784, 128, 512),
    (128, 896, 4864),
    (128, 2048, 5632),
    (1576, 768, 3072),
    (4096, 768, 768),
    (512, 512, 512),
)
"""Rows, columns, terms."""

CONVOLUTIONS = (
    (64, 64, 56),
    (64, 256, 56),
    (256, 64, 56),
    (256, 128, 56),
    (128, 512, 28),
    (512, 128, 28),
    (256, 1024, 14),
    (1024, 256, 14),
    (512, 2048, 7),
    (2048, 512, 7),
)
"""Channels in, channels out, side of the image: the 1x1 convolutions of ResNet-50."""

GEMV = (
    (1, 512, 784),
    (1, 768, 768),
    (1, 1024, 1024),
    (1, 3072, 768),
    (4, 1024, 1024),
    (8, 1024, 1024),
)

EXPERTS = (
    (256, 8, 1024, 512),
    (256, 8, 2048, 1024),
    (1024, 64, 1024, 512),
    (1024, 64, 512, 1024),
)
"""Rows, experts, columns, terms."""

ATTENTION = (
    (12, 128, 128, 64, False),
    (12, 197, 197, 64, False),
    (12, 512, 512, 64, False),
    (12, 64, 64, 64, True),
    (12, 512, 512, 64, True),
    (12, 1, 512, 64, False),
)
"""Heads, queries, keys, size of a head, whether causal."""


@dataclass(frozen=True)
class Case:
    """A kernel: its name, floating-point operations, and a module with its inputs."""

    name: str
    work: int
    module: torch.nn.Module
    inputs: tuple[torch.Tensor, ...]


class Pixels(torch.nn.Module):
    """A 1x1 convolution and a ReLU on pixels that lie channel by channel (NHWC)."""

    def __init__(self, channels: int, outputs: int):
        super().__init__()
        self.convolution = torch.nn.Conv2d(channels, outputs, 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        made = self.convolution(image.permute(0, 3, 1, 2)).relu()
        return made.permute(0, 2, 3, 1)


class Experts(torch.nn.Module):
    """Rows, sorted by expert, each times the matrix of its expert, as transformers calls
    it in float32."""

    def __init__(self, experts: int, columns: int, terms: int):
        super().__init__()
        self.matrices = torch.nn.Parameter(torch.randn(experts, columns, terms))

    def forward(self, rows: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        transposed = self.matrices.transpose(1, 2)
        return torch.ops.transformers.grouped_mm_fallback(rows, transposed, ends)


class Attention(torch.nn.Module):
    """Scaled dot-product attention on (batch, heads, rows, size)."""

    def __init__(self, causal: bool):
        super().__init__()
        self.causal = causal

    def forward(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=self.causal
        )


def cases(kind: str) -> Iterator[Case]:
    """All cases of a kind."""
    if kind in ("gemm", "gemv", "bf16"):
        dtype = torch.bfloat16 if kind == "bf16" else torch.float32
        for m, n, k in {"gemm": GEMM, "gemv": GEMV, "bf16": (*GEMM, *GEMV)}[kind]:
            name = f"{m} x {n} x {k}{', bf16' if kind == 'bf16' else ''}"
            linear = torch.nn.Linear(k, n).to(dtype)
            yield Case(name, 2 * m * n * k, linear, (torch.randn(m, k).to(dtype),))
    elif kind == "conv":
        for c, k, side in CONVOLUTIONS:
            name, work = f"{c} to {k} at {side} x {side}", 2 * side**2 * c * k
            yield Case(name, work, Pixels(c, k), (torch.randn(1, side, side, c),))
    elif kind == "experts":
        # Registers the operator.
        import_module("transformers.integrations.moe")
        for m, count, n, k in EXPERTS:
            name = f"{m} rows, {count} experts of {n} x {k}"
            expert = torch.randint(0, count, (m,))
            ends = expert.bincount(minlength=count).cumsum(0).to(torch.int32)
            inputs = (torch.randn(m, k), ends)
            yield Case(name, 2 * m * n * k, Experts(count, n, k), inputs)
    else:
        for heads, s, t, size, causal in ATTENTION:
            shapes = ((s, size), (t, size), (t, size))
            inputs = tuple(torch.randn(1, heads, *shape) for shape in shapes)
            name = f"{heads} heads, {s} x {t} x {size}{', causal' if causal else ''}"
            # Half of the scores of a causal one are hidden.
            work = 4 * heads * s * t * size // (1 + causal)
            yield Case(name, work, Attention(causal), inputs)


PEAK_STEPS = 270_000
CHAINS = 12
"""As many as two units with a latency of five need, and few enough for 16 registers."""


def peak_ir(lanes: int) -> str:
    """A loop of fused multiply-adds on independent accumulators, as LLVM IR."""
    vector = f"<{lanes} x float>"
    lines = [
        f"declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})",
        "define void @peak(ptr %out) {",
        "entry:",
        f"  %a = load volatile {vector}, ptr %out",
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [0, %entry], [%next, %loop]",
    ]
    chains = range(CHAINS)
    lines += [f"  %x{c} = phi {vector} [%a, %entry], [%y{c}, %loop]" for c in chains]
    lines += [
        f"  %y{c} = call {vector} @llvm.fma.v{lanes}f32({vector} %a, {vector} %a, "
        f"{vector} %x{c})"
        for c in chains
    ]
    lines += [
        "  %next = add i64 %i, 1",
        f"  %more = icmp ult i64 %next, {PEAK_STEPS}",
        "  br i1 %more, label %loop, label %end",
        "end:",
    ]
    lines += [f"  store volatile {vector} %y{c}, ptr %out" for c in chains]
    return "\n".join([*lines, "  ret void", "}"])


def peak_loop(lanes: int) -> tuple[int, Callable[[], None]]:
    """The operations of the loop and what runs it."""
    code = compile_object(peak_ir(lanes), CPUTarget.host())
    function = NativeLibrary([code]).function("peak")
    room = torch.zeros(64 + lanes)
    start = room.data_ptr() + -room.data_ptr() % 64
    return 2 * PEAK_STEPS * CHAINS * lanes, lambda: (function(start), room)[0]


def cpu_time(function: Callable[[], object]) -> float:
    """The CPU time of one call."""
    start = time.thread_time()
    function()
    return time.thread_time() - start


def code_time(program: devproc.Program, inputs: tuple[torch.Tensor, ...]) -> float:
    """The time that one call spends in generated code."""
    spans: list[float] = []
    program.run_flat(inputs, lambda _, begin, end: spans.append(end - begin))
    return sum(spans)


def times_in_turns(
    timed: list[Callable[[], float]], seconds: float
) -> list[list[float]]:
    """The times of each: in every turn the least of three."""
    times: list[list[float]] = [[] for _ in timed]
    for measured in timed:
        measured()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for measured, found in zip(timed, times, strict=True):
            found.append(min(measured() for _ in range(3)))
    return times


def measure(case: Case, precision: str, seconds: float) -> str:
    """The row of a case: its least time, and medians of the turns' shares and ratios."""
    module, inputs = case.module.eval(), case.inputs
    exported = torch.export.export(module, inputs)
    program = devproc.compile(exported, threads=1, precision=precision)
    peak_work, peak = peak_loop(CPUTarget.host().vector_bits // 32)
    with torch.no_grad():
        timed = [
            lambda: code_time(program, inputs),
            lambda: cpu_time(lambda: program(*inputs)),
            lambda: cpu_time(lambda: module(*inputs)),
            lambda: cpu_time(peak),
        ]
        code, ours, other, top = times_in_turns(timed, seconds)
    speed = case.work / min(code) / 1e9
    share, ratio = (
        statistics.median(a / b for a, b in zip(x, y, strict=True))
        for x, y in ((top, code), (ours, other))
    )
    share *= case.work / peak_work
    return f"| {case.name} | {min(code) * 1e6:.1f} | {speed:.1f} | {share:.0%} | {ratio:.2f} |"


def main() -> None:
    """Measure, print, and write the section where asked."""
    kinds = ["gemm", "conv", "gemv", "bf16", "experts", "attention"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=kinds)
    parser.add_argument("--precision", default="default")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    lines = [
        "| kernel | us | GFLOP/s | of peak | time / PyTorch |",
        "|---|---|---|---|---|",
    ]
    for kind in args.kinds:
        for case in cases(kind):
            lines.append(measure(case, args.precision, args.seconds))
            print(lines[-1], flush=True)
    if args.write:
        command = f"python benchmarks/kernels.py {' '.join(args.kinds)}"
        write_section("Kernels on one thread", command, lines)


if __name__ == "__main__":
    main()
