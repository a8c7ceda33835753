"""Matches ops with channels, and what each channel computes; creates no ops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import i1
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import KernelOps
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.targets.cpu.algorithms.vectors.match import parallel_ops
from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    is_parallel,
    lanes_of,
    loop_sizes,
    op_work,
)
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.loop_part import LoopPart, PartInput
from devproc.targets.cpu.transforms.nests.loop_space import LoopSpace, Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    is_index_or_bool,
    is_readable,
    vector_loop,
)
from devproc.targets.cpu.transforms.nests.vector_forms import has_vector_form
from devproc.targets.cpu.transforms.nests.vectorize_body import MAX_STRIDE


class Channel(LoopSpace):
    """One channel of an op, over simplified loops; the last loop is over pixels."""

    def __init__(self, part: LoopPart):
        super().__init__(part.sizes, [True] * part.count)
        self.part = part
        self.inputs = [Operand(i.value, i.map) for i in part.inputs]
        self.outputs = [Operand(o.value, o.map) for o in part.outputs]
        self.operands = [*self.inputs, *self.outputs]
        places = [part.place(op) for op in part.kept]
        self.pinned = {p.loop for p in places if p is not None and p.loop is not None}
        self.simplify()

    @property
    def pixels(self) -> int:
        """The loop over pixels."""
        return len(self.sizes) - 1

    @property
    def work(self) -> int:
        """Scalar operations of all pixels."""
        ops = sum(self._work_of(op) for op in self.part.kept)
        return prod(self.sizes) * max(1, ops)

    def _work_of(self, op: Operation) -> int:
        """Scalar operations, including those that compute affine indices."""
        place = self.part.place(op)
        if place is None:
            return op_work(op)
        if place.loop is None:
            return 1
        return 1 + 2 * (place.scale != 1) + 2 * (place.offset != 0)

    def fits(self, channels: int) -> bool:
        """Whether it can be vectorised along the pixels, whose stride is `channels`."""
        part, loop = self.part, self.pixels
        return (
            loop >= 0
            and all(result.stride(loop) == channels for result in self.outputs)
            and 0 not in self.sizes
            and all(has_vector_form(op) for op in part.kept if part.place(op) is None)
            and all(is_readable(operand, loop) for operand in self.operands)
        )

    def lanes(self, vector_bits: int) -> int:
        """Pixels of a vector: those of the widest type fill a register."""
        types = {value.type for value in self._varying()}
        return min(
            (lanes_of(t, vector_bits) for t in types if not is_index_or_bool(t)),
            default=vector_bits // 32,
        )

    def _varying(self) -> set[SSAValue]:
        """The values of the body that vary along the pixels; all if there are no
        loads."""
        part = self.part
        loads = any(isinstance(op, memref.LoadOp) for op in part.kept)
        read: list[PartInput] = [*part.inputs, *part.outputs]
        varying = {
            operand.old
            for operand, at in zip(read, self.operands, strict=True)
            if not loads or at.stride(self.pixels) != 0
        }
        for op in part.kept:
            place = part.place(op)
            if place is not None:
                varies = place.loop is not None and (
                    self.loops[place.loop] == self.pixels
                )
            else:
                varies = any(part.decided.of(v) in varying for v in op.operands)
            if varies or not loads:
                varying.add(op.results[0])
        return varying


@dataclass(frozen=True)
class Pixels:
    """An op with `count` channels; `around`: iterations of the enclosing loop."""

    op: GenericOp
    count: int
    around: int

    @property
    def ops(self) -> Sequence[StructuredOp]:
        """The op."""
        return [self.op]

    @lazy_property
    def channels(self) -> list[Channel]:
        """What each channel computes."""
        return [Channel(part) for part in self.parts]

    @lazy_property
    def parts(self) -> list[LoopPart]:
        """The iterations of each channel."""
        sizes = loop_sizes(self.op)
        box, last = {d: (0, size) for d, size in enumerate(sizes)}, len(sizes) - 1
        return [
            LoopPart(self.op, {**box, last: (channel, channel + 1)})
            for channel in range(self.count)
        ]


def match(kernel: KernelOps) -> Iterator[Pixels]:
    """The ops of a kernel with channels."""
    for op in parallel_ops(kernel):
        pixels = pixels_of(op)
        if pixels is not None:
            yield pixels


def pixels_of(op: StructuredOp) -> Pixels | None:
    """The channels of an op; None if there are none or pixels cannot be vectorised."""
    if not isinstance(op, GenericOp) or not all(is_parallel(op)):
        return None
    if any(argument.uses for argument in op.body.block.args[len(op.inputs) :]):
        return None
    count = next(reversed(loop_sizes(op)), 0)
    if not 0 < count <= MAX_STRIDE:
        return None
    nest = Nest(op)
    nest.simplify()
    loop = vector_loop(nest)
    if not loop or loop != nest.loops[-1] or nest.sizes[loop] != count:
        return None
    if not all(_has_pixels(result, loop - 1, count) for result in nest.results):
        return None
    pixels = Pixels(op, count, nest.sizes[loop - 1])
    sizes = pixels.channels[0].sizes
    fits = all(c.sizes == sizes and c.fits(count) for c in pixels.channels)
    return pixels if fits else None


def _has_pixels(result: Operand, around: int, count: int) -> bool:
    """Whether the channels of a pixel and of the next are contiguous in memory."""
    return (
        result.shape[-1] == count == result.stride(around)
        and memref_of(result.value).element_type != i1
    )
