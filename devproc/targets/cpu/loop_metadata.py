"""What LLVM is told about innermost loops: where they start and how far to unroll them.

A processor fetches decoded instructions by the line of the cache that they came from, and
a core that two threads share gives each of them half of that. A loop then waits for its
lines: a register tile of 150 bytes takes a quarter more time over four lines than over
three. Unrolled, several iterations share a line's end and the counting, which saves a
twentieth more. (Zen 3, another thread on the core: 61 GFLOP/s, aligned 76, unrolled by four
80; with the core for itself 95 in all three.)
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation

LINE_BYTES = 64
"""Of instructions, too."""

MULTIPLY_ADDS = range(9, 17)
"""Vector multiply-adds of a loop that is unrolled. Fewer are sums that wait for memory; more
hide the counting by themselves."""

MOST_UNROLLED = 48
"""Multiply-adds of what it becomes."""


def unroll_count(body: Block) -> int:
    """How many iterations become one: 1, 2 or 4."""
    count = sum(_is_multiply_add(op) for op in body.ops)
    if count not in MULTIPLY_ADDS:
        return 1
    return next(n for n in (4, 2) if n * count <= MOST_UNROLLED)


def _is_multiply_add(op: Operation) -> bool:
    return isinstance(op, llvm.FMAOp) and isinstance(op.results[0].type, VectorType)


class LoopMetadata:
    """The metadata of the loops of one module."""

    def __init__(self) -> None:
        self._counts: list[int] = []

    def attach(self, branch: Operation) -> str:
        """What stands behind a branch: nothing, unless its block is a loop by itself."""
        body = branch.parent
        if body is None or body not in branch.successors:
            return ""
        self._counts.append(unroll_count(body))
        return f", !llvm.loop !{len(self._counts)}"

    def lines(self) -> list[str]:
        """The nodes: each loop has its own, which names itself first."""
        if not self._counts:
            return []
        lines = [f'!0 = !{{!"llvm.loop.align", i32 {LINE_BYTES}}}']
        for number, count in enumerate(self._counts, 1):
            nodes = f"!{number}, !0"
            if count > 1:
                nodes += f', !{{!"llvm.loop.unroll.count", i32 {count}}}'
            lines.append(f"!{number} = distinct !{{{nodes}}}")
        return lines
