"""The roles in a contraction: rows, columns and reductions, and the packed factor.

out[b..., m, n] += lhs[b..., m, k...] * rhs[b..., k..., n], with vectors along n. The
rhs is read in vectors: from packed panels (`#dev.layout` with one tile, on n), or
row-major where n is contiguous. The lhs is read one number at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from devproc.algorithms.base import KernelOps
from devproc.dialects.dev import Layout, LayoutAttr, stored_as
from devproc.targets.cpu.algorithms.register_tile.layout import FAMILIES
from devproc.targets.cpu.transforms.loops.access import layout_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import (
    is_vector,
    vector_lanes,
    vector_type,
)
from devproc.targets.cpu.transforms.nests.groups import nests_of
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    can_vectorize_nest,
    lanes_along,
    vector_loop,
)
from devproc.targets.cpu.transforms.nests.vector_forms import CASTS
from devproc.targets.cpu.transforms.nests.vectorize_body import MAX_STRIDE, VectorBody

PanelWidth: TypeAlias = Callable[[Operand, int], int | None]
"""From a packed operand and the loop over columns to the columns of a panel; None if
the columns are not in panels."""

WIDENING = (arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp, arith.SIToFPOp, arith.UIToFPOp)


@dataclass
class Factor:
    """One input of the product and the conversions applied to it."""

    operand: Operand
    conversions: Sequence[Operation]

    def convert(self, value: SSAValue, body: VectorBody) -> SSAValue:
        """The value (scalar or vector) in the type of the accumulator."""
        for op in self.conversions:
            element = op.results[0].type
            if is_vector(value):
                class_: type[Operation] = CASTS.get(type(op), type(op))
                result: Attribute = vector_type(element, body.lanes)
            else:
                class_, result = type(op), element
            value = body.emitter.value(class_, (value,), result, op.properties)
        return value


def factors_of(nest: Nest) -> list[Factor] | None:
    """The two inputs if the body is `out + a * b`, apart from conversions; else
    None."""
    anchor = nest.anchor
    block = anchor.body.block
    last = block.last_op
    assert last is not None
    if len(anchor.inputs) != 2 or len(anchor.outputs) != 1:
        return None
    add = last.operands[0].owner
    if not isinstance(add, arith.AddfOp | arith.AddiOp):
        return None
    terms = [term for term in add.operands if term is not block.args[-1]]
    if len(terms) != 1 or not isinstance(terms[0].owner, arith.MulfOp | arith.MuliOp):
        return None
    found: list[Factor] = []
    for factor in terms[0].owner.operands:
        conversions: list[Operation] = []
        while isinstance(factor.owner, WIDENING):
            conversions.insert(0, factor.owner)
            factor = factor.owner.input
        if not isinstance(factor, BlockArgument) or factor.owner is not block:
            return None
        found.append(Factor(nest.inputs[factor.index], conversions))
    return found if found[0].operand is not found[1].operand else None


@dataclass
class Roles:
    """The parts of a contraction after its loops were simplified.

    `row`: the loop whose iterations are the rows of a tile, `outer`: the parallel loops
    around the tiles. `panel`: columns of a packed panel of the rhs; None if n is
    contiguous in memory. `together`: adjacent terms of a column in it.
    """

    nest: Nest
    lhs: Factor
    rhs: Factor
    row: int | None
    column: int
    outer: Sequence[int]
    panel: int | None
    together: int = 1
    _lanes: dict[int, int] = field(default_factory=dict[int, int])

    @property
    def ops(self) -> Sequence[Operation]:
        """The ops of the nest."""
        return self.nest.ops

    @property
    def rows(self) -> int:
        """Iterations of the loop over rows."""
        return 1 if self.row is None else self.nest.sizes[self.row]

    @property
    def columns(self) -> int:
        """Iterations of the loop over columns."""
        return self.nest.sizes[self.column]

    @property
    def weight(self) -> Layout | None:
        """The layout of the factor that is packed."""
        factors = (self.rhs.operand, self.lhs.operand)
        return next((stored_as(f.value, Layout) for f in factors if f.is_packed), None)

    @property
    def packed_rows(self) -> int | None:
        """Rows of a panel of the lhs; None if it is not packed along its rows."""
        operand = self.lhs.operand
        if self.row is None or not operand.is_packed:
            return None
        return panel_width(operand, self.row)

    def lanes(self, vector_bits: int) -> int:
        """Columns of a vector."""
        if vector_bits not in self._lanes:
            found = lanes_along(self.nest, self.column, vector_bits)
            self._lanes[vector_bits] = found
        return self._lanes[vector_bits]


def match(kernel: KernelOps) -> Iterator[Roles]:
    """The contractions of a kernel whose factors are row-major or in panels."""
    if kernel.family not in FAMILIES:
        return
    for nest in nests_of(kernel):
        nest.simplify()
        roles = contraction_of(nest)
        if roles is not None and reads_layouts(nest):
            yield roles


def reads_layouts(nest: Nest) -> bool:
    """Whether the inputs are row-major or in `#dev.layout`, rather than in the layout
    of another algorithm."""
    memories = (o.value for o in nest.inputs if o.is_memref)
    layouts = (stored_as(memory, Layout) for memory in memories)
    return all(layout is None or isinstance(layout, LayoutAttr) for layout in layouts)


def panel_width(operand: Operand, column: int) -> int | None:
    """The tile of a packed operand if it tiles `column` only, else None."""
    layout = layout_of(operand.value)
    if layout is None:
        return None
    tiled = [d for d, tile in enumerate(layout.tile_sizes) if tile > 1]
    if len(tiled) != 1 or operand.map.results[tiled[0]] != AffineDimExpr(column):
        return None
    return layout.tile_sizes[tiled[0]]


def contraction_of(
    nest: Nest, fixed: Collection[int | None] = (), width: PanelWidth = panel_width
) -> Roles | None:
    """The roles of the loops of a simplified nest, with a vectorised epilogue; None if
    it is no such contraction.

    `fixed`: loops whose index the caller fixes; no loops are emitted for them. `width`:
    the columns of a panel of a packed rhs.
    """
    column = vector_loop(nest)
    roles = match_contraction(nest, column, fixed, width)
    # `factor_readers.py` handles loads of the factors.
    others = [operand for operand in nest.operands if operand not in nest.inputs]
    if roles is None or not can_vectorize_nest(nest, roles.column, others):
        return None
    return roles


def match_contraction(
    nest: Nest,
    column: int | None,
    fixed: Collection[int | None] = (),
    width: PanelWidth = panel_width,
) -> Roles | None:
    """The roles of the loops, vectorised along `column`; None if they do not fit."""
    factors = factors_of(nest)
    if factors is None or column is None or not nest.reductions:
        return None
    moving = [column in f.operand.map.used_dims() for f in factors]
    if sum(moving) != 1:
        return None
    rhs, lhs = factors if moving[0] else reversed(factors)
    panel = None
    if rhs.operand.is_packed:
        panel = width(rhs.operand, column)
        if panel is None:
            return None
    elif (stride := rhs.operand.stride(column)) is None or stride > MAX_STRIDE:
        return None
    parallel = [d for d, p in enumerate(nest.parallel) if p and d != column]
    used = rhs.operand.map.used_dims()
    rows = [d for d in parallel if d not in used]
    row = rows[-1] if rows else None
    outer = [d for d in parallel if d != row and d not in fixed]
    row = None if row in fixed else row
    return Roles(nest, lhs, rhs, row, column, outer, panel)


def multiply_add(emitter: Emitter, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    """`a * b + c` on vectors; fused where the type is f32 or f64."""
    lanewise = Lanewise(emitter, c.type)
    if lanewise.is_float:
        return lanewise.fma(a, b, c)
    product = emitter.value(arith.MuliOp, (a, b))
    return emitter.value(arith.AddiOp, (c, product))


def outer_product(
    emitter: Emitter,
    numbers: Iterable[SSAValue],
    vectors: Sequence[SSAValue],
    sums: Sequence[SSAValue],
) -> list[SSAValue]:
    """The sums of a register tile after one more term: an outer product is added."""
    done: list[SSAValue] = []
    for number in numbers:
        left = emitter.broadcast(number, vector_lanes(vectors[0]))
        for vector in vectors:
            done.append(multiply_add(emitter, left, vector, sums[len(done)]))
    return done
