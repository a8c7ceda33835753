"""LLVM metadata of innermost loops: their alignment and unroll count.

A processor fetches decoded instructions by cache line, and two threads on one core share
that bandwidth. A loop then waits for its lines: a register tile of 150 bytes takes a quarter
more time over four lines than over three. Unrolling lets several iterations share the last
line and the loop counter, which saves a twentieth more. (Zen 3 with another thread on the
core: 61 GFLOP/s, aligned 76, unrolled by four 80; alone on the core 95 in all three.)

A loop of dot products of bytes reads a weight as fast as memory gives it. Unrolled, its
prefetches come in bursts, and it waits for them (int4 at 0.82 instead of 0.93 of the rate).
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation

LINE_BYTES = 64
"""A cache line, of instructions as well."""

MULTIPLY_ADDS = range(9, 17)
"""Vector multiply-adds of a loop that is unrolled: with fewer it waits for memory, with more
the loop counter costs nothing."""

DOT_PRODUCT = "vpdpbusd"
"""In the names of intrinsics that multiply bytes."""

MOST_UNROLLED = 48
"""Most multiply-adds of the unrolled loop."""


def unroll_count(body: Block) -> int:
    """The number of iterations that become one: 1, 2 or 4."""
    count = sum(_is_multiply_add(op) for op in body.ops)
    if count not in MULTIPLY_ADDS:
        return 1
    return next(n for n in (4, 2) if n * count <= MOST_UNROLLED)


def stays_rolled(body: Block) -> bool:
    """Whether LLVM must not unroll a loop: it has dot products of bytes."""
    return any(
        isinstance(op, llvm.CallIntrinsicOp) and DOT_PRODUCT in op.intrin.data
        for op in body.ops
    )


def _is_multiply_add(op: Operation) -> bool:
    return isinstance(op, llvm.FMAOp) and isinstance(op.results[0].type, VectorType)


class LoopMetadata:
    """The metadata of the loops of one module."""

    def __init__(self) -> None:
        self._counts: list[int] = []
        """Iterations that become one; 0: LLVM must not unroll the loop."""

    def attach(self, branch: Operation) -> str:
        """The suffix of a branch: empty, unless its block is a loop by itself."""
        body = branch.parent
        if body is None or body not in branch.successors:
            return ""
        self._counts.append(0 if stays_rolled(body) else unroll_count(body))
        return f", !llvm.loop !{len(self._counts)}"

    def lines(self) -> list[str]:
        """The nodes: each loop has its own, which names itself first."""
        if not self._counts:
            return []
        lines = [f'!0 = !{{!"llvm.loop.align", i32 {LINE_BYTES}}}']
        for number, count in enumerate(self._counts, 1):
            nodes = f"!{number}, !0"
            if not count:
                nodes += ', !{!"llvm.loop.unroll.disable"}'
            elif count > 1:
                nodes += f', !{{!"llvm.loop.unroll.count", i32 {count}}}'
            lines.append(f"!{number} = distinct !{{{nodes}}}")
        return lines
