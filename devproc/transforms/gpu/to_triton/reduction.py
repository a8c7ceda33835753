"""Row reductions: softmax, norms, sums, argmax; a whole row in registers.

One program holds some rows, each as one block padded to a power of two. All ops of the
kernel share the rows, so a softmax is one kernel that reads its input once. Positions
behind the end of a row count as the neutral element of each reduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1, i32, i64
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.triton import element_of, shape_of
from devproc.ir.types import is_float
from devproc.transforms.gpu.to_triton.argmax import ArgExtreme, match_arg_extreme
from devproc.transforms.gpu.to_triton.body import Body
from devproc.transforms.gpu.to_triton.builder import BlockBuilder
from devproc.transforms.gpu.to_triton.generic import Generic
from devproc.transforms.gpu.to_triton.kernel import NeedsSplit, Site
from devproc.transforms.gpu.to_triton.policy import ceil_div
from devproc.transforms.gpu.to_triton.schedule import Program
from devproc.transforms.gpu.to_triton.space import Space

COMBINERS: dict[type[Operation], str] = {
    arith.AddfOp: "sum",
    arith.AddiOp: "sum",
    arith.MaximumfOp: "max",
    arith.MaxnumfOp: "max",
    arith.MaxSIOp: "max",
    arith.MaxUIOp: "max",
    arith.OrIOp: "max",
    arith.MinimumfOp: "min",
    arith.MinnumfOp: "min",
    arith.MinSIOp: "min",
    arith.MinUIOp: "min",
    arith.AndIOp: "min",
}
"""The op that adds an element to an accumulator -> kind of `triton.reduce`."""

UNSIGNED_OPS = (arith.MaxUIOp, arith.MinUIOp)
"""Combiners of unsigned integers."""

NAN_OPS = (arith.MaximumfOp, arith.MinimumfOp)
"""Combiners for which one NaN makes the result NaN; the GPU's reductions skip them."""


@dataclass(frozen=True)
class Combiner:
    """How one output is reduced: `output = op(old, element)`."""

    op: Operation
    element: SSAValue

    @property
    def kind(self) -> str:
        """Kind of `triton.reduce`."""
        return COMBINERS[type(self.op)]


def combiners(generic: Generic) -> list[Combiner]:
    """The combiner of each output; NeedsSplit where the body has another form."""
    block, found = generic.block, list[Combiner]()
    last = block.last_op
    assert last is not None
    for index, value in enumerate(last.operands):
        old, op = block.args[len(generic.inputs) + index], value.owner
        if (
            not isinstance(op, Operation)
            or type(op) not in COMBINERS
            or old not in op.operands
            or len(list(old.uses)) != 1
            or (isinstance(op, arith.OrIOp | arith.AndIOp) and value.type != i1)
        ):
            raise NeedsSplit("the body is no reduction that Triton has")
        element = op.operands[1] if op.operands[0] is old else op.operands[0]
        found.append(Combiner(op, element))
    return found


def emit(program: Program) -> None:
    """The whole kernel: rows along the grid, a row in a block."""
    anchor = next((g for g in program.generics if g.reductions), None)
    if anchor is None:
        raise NeedsSplit("no op reduces")
    b, policy = program.builder, program.policy
    rows = prod(anchor.extents[d] for d in anchor.parallels)
    columns = prod(anchor.extents[d] for d in anchor.reductions)
    if not 0 < columns <= policy.longest_row():
        raise NeedsSplit(f"a row of {columns} elements does not fit one program")
    height, width, program.num_warps = policy.rows(rows, columns)
    program.grid = (ceil_div(rows, height), 1, 1)
    start = b.mul(b.program_id(0, "pid"), height) if height < rows else 0
    single = height == 1
    if single:
        row_axis = program.block_axis(anchor, anchor.parallels, start, 1, 0, 0, "row")
    else:
        row_axis = program.block_axis(
            anchor, anchor.parallels, start, height, 0, 2, "row"
        )
    position, rank = (0, 1) if single else (1, 2)
    column_axis = program.block_axis(
        anchor, anchor.reductions, 0, width, position, rank, "column"
    )
    space = Space(b, [row_axis, column_axis])
    for number, generic in enumerate(program.generics):
        if isinstance(generic.op, FillOp) and program.can_defer(number):
            program.kernel.hold(generic)
            continue
        site = (
            program.identity_site(generic, space)
            if generic.extents == anchor.extents
            else program.align(generic, anchor, space)
        )
        if not generic.reductions:
            program.finish(number, site, program.kernel.evaluate(generic, site))
            continue
        if generic.reductions != anchor.reductions or generic.extents != anchor.extents:
            raise NeedsSplit("two reductions walk different dimensions")
        values = reduce_rows(program, generic, site, space)
        row_site = Site(program.kernel, Space(b, [row_axis]), site.dims, site.extents)
        program.finish(number, row_site, values)


def reduce_rows(
    program: Program, generic: Generic, site: Site, space: Space
) -> list[SSAValue]:
    """One reduced value per row for each output."""
    axis = 0 if len(shape_of(program.builder.ssa(space.axes[1].index).type)) == 1 else 1
    extreme = match_arg_extreme(generic)
    if extreme is not None:
        return reduce_argument(program, generic, extreme, site, space, axis)
    found = combiners(generic)
    elements = contributions(program, generic, site, [c.element for c in found])
    olds = [
        program.kernel.read(value, map_, site)
        for value, map_ in zip(generic.outputs, generic.output_maps, strict=True)
    ]
    width = shape_of(program.builder.ssa(space.axes[1].index).type)
    return [
        combine(program.builder, c, old, element, space, width, axis)
        for c, old, element in zip(found, olds, elements, strict=True)
    ]


def contributions(
    program: Program, generic: Generic, site: Site, wanted: Sequence[SSAValue]
) -> list[SSAValue]:
    """Values of the body that do not depend on the accumulators."""
    body = Body(program.builder, site, program.kernel.strict)
    for index, value in enumerate(generic.inputs):
        argument = generic.block.args[index]
        if argument.uses:
            body.values[argument] = program.kernel.read(
                value, generic.maps[index], site
            )
    for value in wanted:
        body.need(value)
    return [body.get(value) for value in wanted]


def combine(
    b: BlockBuilder,
    combiner: Combiner,
    old: SSAValue,
    element: SSAValue,
    space: Space,
    width: tuple[int, ...],
    axis: int,
) -> SSAValue:
    """Reduce the row and add the accumulator's old value."""
    kind, stored = combiner.kind, element_of(element.type)
    if stored == i1 or isinstance(combiner.op, UNSIGNED_OPS):
        element = widen_unsigned(b, element)
    type_ = element_of(element.type)
    element = in_rows(b, element, width)
    neutral = b.constant(neutral_element(kind, type_), type_)
    inside = mask = space.axes[1].mask
    if isinstance(combiner.op, NAN_OPS):
        mask = b.both(inside, b.compare("ord", element, element))
    filled = element if mask is None else b.where(mask, element, neutral)
    result = b.reduce(kind, filled, axis)
    if isinstance(combiner.op, NAN_OPS):
        result = b.where(
            any_nan(b, element, inside, axis), b.constant(float("nan"), type_), result
        )
    if stored == i1:
        result = b.compare("ne", result, b.constant(0, i32))
    elif type_ != stored:
        result = b.cast("trunci", result, stored)
    if b.constant_value(old) == neutral_element(
        kind, stored, isinstance(combiner.op, UNSIGNED_OPS)
    ):
        return result
    return b.elementwise(type(combiner.op), old, result)


def in_rows(b: BlockBuilder, value: SSAValue, width: tuple[int, ...]) -> SSAValue:
    """A value with a column for each element of a row, also where it is a scalar."""
    own = shape_of(value.type) or width
    return b.to_shape(value, tuple(max(s) for s in zip(width, own, strict=True)))


def any_nan(
    b: BlockBuilder, element: SSAValue, inside: SSAValue | None, axis: int
) -> SSAValue:
    """Whether a row holds a NaN."""
    nans = b.both(inside, b.compare("uno", element, element))
    assert nans is not None
    count = b.reduce("max", b.cast("extui", nans, i32), axis)
    return b.compare("ne", count, b.constant(0, i32))


def widen_unsigned(b: BlockBuilder, value: SSAValue) -> SSAValue:
    """An unsigned value of up to 32 bits as a signed one that holds it."""
    element = element_of(value.type)
    assert isinstance(element, IntegerType)
    return b.cast("extui", value, i32 if element.bitwidth < 32 else i64)


def neutral_element(kind: str, type_: Attribute, unsigned: bool = False) -> float:
    """The number that changes nothing in a reduction."""
    if kind == "sum" or (unsigned and kind == "max"):
        return 0
    if unsigned:
        return -1
    if is_float(type_):
        return float("-inf") if kind == "max" else float("inf")
    assert isinstance(type_, IntegerType)
    if type_ == i1:
        return 0 if kind == "max" else 1
    top = 1 << (type_.bitwidth - 1)
    return -top if kind == "max" else top - 1


def reduce_argument(
    program: Program,
    generic: Generic,
    extreme: ArgExtreme,
    site: Site,
    space: Space,
    axis: int,
) -> list[SSAValue]:
    """The extreme value and the first position that has it; a NaN beats all numbers.

    Position = the least index among the elements equal to the extreme. The old values
    of the accumulators are those of an empty row, and are not read.
    """
    b = program.builder
    width = shape_of(b.ssa(space.axes[1].index).type)
    value, position = (
        in_rows(b, v, width)
        for v in contributions(
            program, generic, site, [extreme.value, extreme.position]
        )
    )
    stored = element_of(value.type)
    if extreme.unsigned:
        value = widen_unsigned(b, value)
    element, index_type = element_of(value.type), element_of(position.type)
    neutral = b.constant(neutral_element(extreme.kind, element), element)
    limit = b.constant(neutral_element("min", index_type), index_type)
    inside = space.axes[1].mask
    real = (
        b.both(inside, b.compare("ord", value, value)) if is_float(element) else inside
    )
    best = b.reduce(
        extreme.kind, value if real is None else b.where(real, value, neutral), axis
    )
    predicate = "oeq" if is_float(element) else "eq"
    hits = b.both(inside, b.compare(predicate, value, best))
    assert hits is not None
    first = b.reduce("min", b.where(hits, position, limit), axis)
    if not is_float(element):
        return [best if element == stored else b.cast("trunci", best, stored), first]
    nans = b.both(inside, b.compare("uno", value, value))
    assert nans is not None
    first_nan = b.reduce("min", b.where(nans, position, limit), axis)
    some = b.compare("ne", first_nan, limit)
    nan = b.constant(float("nan"), element)
    return [b.where(some, nan, best), b.where(some, first_nan, first)]
