"""The nest of a bottleneck: three products, the memory between them, the padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import MemRefType, f32
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)

from devproc.algorithms.base import KernelOps
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.targets.cpu.transforms.loops.access import linear_form
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.groups import nests_of
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.transforms.buffers.memory import INSIDE

IMAGE, LINE = 0, 1
"""Loops of each product that are fixed while one line is computed."""


class Lines(NamedTuple):
    """The three products over the memory of a few lines, their loops simplified."""

    expansion: Nest
    window: Nest
    projection: Nest


class Bottleneck:
    """Three products; the second reads the image of the first, the third that of the
    second.

    `borders`: the fills of the padding of the expanded image, which has `padded` lines
    of `padded_width` pixels; the interior begins at `top` and `left` and has `inner`
    lines and pixels. `taps`, `stride`: the height of a window, and the lines from one
    to the next.
    """

    def __init__(self, kernel: KernelOps, nests: Sequence[Nest]):
        self.expansion, self.window, self.projection = self.nests = nests
        expanded = self.window.inputs[0]
        self.borders = [
            op
            for op in kernel.ops
            if isinstance(op, FillOp)
            and INSIDE in op.attributes
            and op.outputs[0] is expanded.origin
        ]
        taken = {*self.borders, *(op for nest in nests for op in nest.ops)}
        self.ops = [op for op in kernel.structured if op in taken]
        self.images, self.height, self.width, _, self.taps, *_ = self.window.sizes
        _, *line = memref_of(expanded.origin).get_shape()
        self.padded, self.padded_width, self.channels = line
        self.stride = (linear_form(expanded.map.results[LINE]) or {})[LINE]
        written = self.expansion.results[0].map
        _, self.top, self.left, _ = written.eval([0] * written.num_dims, [])
        self.inner = self.expansion.sizes[LINE], self.expansion.sizes[LINE + 1]

    @property
    def ring_shape(self) -> tuple[int, int, int]:
        """The type of the ring: as many lines of the expanded image as a window has."""
        return self.taps, self.padded_width, self.channels

    @property
    def scratch_shape(self) -> tuple[int, int]:
        """The type of a line of windows."""
        return self.width, self.channels

    @property
    def work(self) -> int:
        """Scalar operations of all three products."""
        return sum(nest.work for nest in self.nests)

    def lines(self, ring: SSAValue, scratch: SSAValue) -> Lines:
        """The products with the intermediate images in this memory."""
        nests = [Nest(n.anchor, n.starts, n.epilogue, n.ops) for n in self.nests]
        expansion, window, projection = nests
        for operand in (expansion.results[0], window.inputs[0]):
            _, line, *pixel = operand.map.results
            lines = AffineConstantExpr(self.taps)
            slot = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, line, lines)
            _redirect(operand, ring, (slot, *pixel))
        for operand in (window.results[0], projection.inputs[0]):
            _redirect(operand, scratch, operand.map.results[2:])
        for nest in nests:
            # The accumulators stay in registers; no buffer backs them.
            result, sums = nest.results[0], nest.outputs[0].origin
            for operand in nest.operands:
                if operand.origin is sums:
                    _redirect(operand, result.value, result.map.results)
            nest.pinned |= {IMAGE, LINE}
            nest.simplify()
        return Lines(*nests)

    @lazy_property
    def planned_lines(self) -> Lines:
        """The products for planning: placeholder values stand in for the memory."""
        shapes = (self.ring_shape, self.scratch_shape)
        return self.lines(*Block(arg_types=[MemRefType(f32, s) for s in shapes]).args)


def match(kernel: KernelOps) -> Iterator[Bottleneck]:
    """The products of a bottleneck as one nest."""
    if kernel.family != "bottleneck":
        return
    nests = list(nests_of(kernel))
    if len(nests) != 3:
        return
    read = [nest.inputs[0].origin for nest in nests[1:]]
    if read == [nest.results[0].origin for nest in nests[:2]]:
        yield Bottleneck(kernel, nests)


def _redirect(operand: Operand, value: SSAValue, indices: Sequence[AffineExpr]) -> None:
    """Move an operand to other memory; `origin` stays the operand of the op."""
    operand.value, operand.shape = value, memref_of(value).get_shape()
    operand.map = AffineMap(operand.map.num_dims, 0, tuple(indices))
