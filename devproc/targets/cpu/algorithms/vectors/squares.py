"""Squares of inputs that are contiguous along another loop than the vectorised one.

A vector of such an operand would be a gather with each lane in another cache line.
Instead, a square of vectors is loaded along the other loop and transposed in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from devproc.targets.cpu.algorithms.vectors.transposed_reads import strided_inputs
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import lanes_of
from devproc.targets.cpu.transforms.loops.transpose import BLOCK_BITS, transpose_blocks
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import Part
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


class Squares:
    """Emits the vectors of one nest along `loop`, square by square along `other`."""

    def __init__(
        self, nest: Nest, loop: int, other: int, emitter: Emitter, point: list[SSAValue]
    ):
        self.nest, self.loop, self.other = nest, loop, other
        self.emitter, self.point = emitter, point
        self.operands = strided_inputs(nest, loop, other)

    def emit(
        self,
        parts: Sequence[Part],
        row: Callable[[Part, dict[Operand, SSAValue]], None],
        repeats: bool,
    ) -> None:
        """Emit `row` for each iteration of the other loop and each part, with the
        operands as vectors; `repeats`: whether some iterations may be repeated."""
        lanes, size = parts[0].body.lanes, self.nest.sizes[self.other]
        whole, emitter = size // lanes * lanes, self.emitter

        def square(part: Part, first: SSAValue, count: int) -> None:
            lines = {o: self._turned(o, part, first, count) for o in self.operands}
            for number in range(count):
                self.point[self.other] = emitter.offset(first, number)
                row(part, {operand: lines[operand][number] for operand in lines})

        def step(first: SSAValue) -> None:
            for part in parts:
                square(part, first, lanes)

        emitter.loop_between(emitter.index(0), emitter.index(whole), step, lanes)
        if whole < size:
            start = size - lanes if repeats and whole else whole
            for part in parts:
                square(part, emitter.index(start), size - start)

    def _turned(
        self, operand: Operand, part: Part, first: SSAValue, count: int
    ) -> list[SSAValue]:
        """`count` vectors along the vectorised loop, from `first` on."""
        lanes, emitter = part.body.lanes, self.emitter
        element = memref_of(operand.value).element_type
        size = min(lanes, lanes_of(element, BLOCK_BITS))
        # Reversed: the last iteration is first in memory.
        is_reversed = operand.stride(self.other) == -1
        turned: list[SSAValue] = []
        for begin in range(0, count, size):
            left = count - begin
            along = VectorBody(emitter, size, left if left < size else 0)
            at = left - 1 if is_reversed else begin
            self.point[self.other] = emitter.offset(first, at)
            rows: list[SSAValue] = []
            for lane in range(part.body.active or lanes):
                self.point[self.loop] = emitter.offset(part.start, lane)
                indices = apply_map(emitter, operand.map, self.point)
                rows.append(along.load(operand.value, indices))
            none = along.neutral(vector_type(element, size))
            rows += [none] * (lanes - len(rows))
            turned += transpose_blocks(emitter, rows, size)[:left]
        return turned[::-1] if is_reversed else turned
