"""Programs of reductions: several rows, each as one block.

Positions past the end of a row hold the neutral element of each reduction.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockRowsSchedule
from devproc.ir.types import is_float
from devproc.targets.triton.algorithms.block_rows.argmax import (
    ArgExtreme,
    match_arg_extreme,
)
from devproc.targets.triton.algorithms.block_rows.combiners import (
    NAN_OPS,
    UNSIGNED_OPS,
    Combiner,
    combiners,
)
from devproc.targets.triton.algorithms.block_rows.plan import rows_of
from devproc.targets.triton.dialect import element_of, shape_of
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest, schedule: BlockRowsSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: rows along the grid, a row in a block."""
    found = rows_of(nest)
    assert not isinstance(found, Refusal), found.why
    b, anchor, height = program.builder, found.anchor, schedule.rows
    rows, _ = found.sizes
    program.grid, program.num_warps = (ceil_div(rows, height), 1, 1), schedule.warps
    start = b.mul(b.program_id(0, "pid"), height) if height < rows else 0
    rank = 1 if height == 1 else 2
    row_axis = program.block_axis(
        anchor, anchor.parallels, start, height, 0, 0 if rank == 1 else 2, "row"
    )
    column_axis = program.block_axis(
        anchor, anchor.reductions, 0, schedule.width, rank - 1, rank, "column"
    )
    space = Space(b, [row_axis, column_axis])

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        values = reduce_rows(program, step.generic, site, space)
        return Site(program.kernel, Space(b, [row_axis]), site.dims), values

    program.run(found.steps, space, reduce)


def reduce_rows(
    program: Program, generic: Generic, site: Site, space: Space
) -> list[SSAValue]:
    """One reduced value per row for each output."""
    axis = 0 if len(shape_of(program.builder.ssa(space.axes[1].index).type)) == 1 else 1
    extreme = match_arg_extreme(generic)
    if extreme is not None:
        return reduce_argument(program, generic, extreme, site, space, axis)
    found = combiners(generic)
    assert not isinstance(found, Refusal), found.why
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
    """A value broadcast to one column for each element of a row."""
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
    """The neutral element of a reduction."""
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
    """The extreme value and its first position; NaN takes precedence over all numbers.

    The position is the least index among the elements equal to the extreme. The initial
    accumulators are those of an empty row, and are not read.
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
