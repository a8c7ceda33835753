"""Plans a product in block floating point: tiles, prefetches and threads."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir.affine import AffineDimExpr

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import BlockFloatAttr, TargetAttr, stored_as
from devproc.dialects.sched import BlockFloatSchedule, RegisterTileSchedule
from devproc.ir.layouts.block_float import QUARTERS
from devproc.targets.cpu.algorithms.register_tile.axes import axes_of
from devproc.targets.cpu.algorithms.register_tile.plan import (
    ACCUMULATORS,
    reason,
    refuse_rows,
    refuse_spread,
    shares,
    tile_height,
)
from devproc.targets.cpu.algorithms.register_tile.roles import Roles, contraction_of
from devproc.targets.cpu.algorithms.widened_panels.plan import plan as plan_many_rows
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.nests.linear_loops import Product, products_with
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.prefetch import large_results


def match(kernel: KernelOps) -> Iterator[Nest]:
    """The products of a kernel whose weight is in block floating point."""
    for nest in products_with(kernel, BlockFloatAttr):
        nest.simplify()
        yield nest


def layout_of(nest: Nest) -> BlockFloatAttr:
    """The layout of the weight."""
    layout = stored_as(nest.inputs[1].value, BlockFloatAttr)
    assert layout is not None
    return layout


def panel_width(operand: Operand, column: int) -> int | None:
    """Columns of a panel; None if they are not the weight's outputs."""
    layout = stored_as(operand.value, BlockFloatAttr)
    is_along = operand.map.results[0] == AffineDimExpr(column)
    return layout.width.data if layout is not None and is_along else None


def roles_of(nest: Nest, target: TargetAttr) -> Roles | Refusal:
    """The roles of the loops, or why the weight cannot be read in quarters of a
    panel."""
    roles = contraction_of(nest, width=panel_width)
    if roles is None or roles.panel is None:
        return Refusal("there are no vectors along the outputs of this product")
    lanes = roles.lanes(machine_of(target).vector_bits.data)
    if roles.panel != QUARTERS * lanes:
        return Refusal(
            f"a panel of {roles.panel} outputs is not {QUARTERS} vectors of {lanes}"
        )
    if target.precision.data == "strict":
        return Refusal("24 bits of a number are not strict")
    return roles


def plan(nest: Nest, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, also that of `widened_panels` for many rows, or why its
    weight cannot be read."""
    roles = roles_of(nest, target)
    if isinstance(roles, Refusal):
        return roles
    many_rows = plan_many_rows(Product(nest), family, target)
    if isinstance(many_rows, Choice):
        return many_rows
    schedule = BlockFloatSchedule(
        weight=layout_of(nest),
        rows=tile_height(roles, QUARTERS, target),
        accumulators=ACCUMULATORS,
        prefetch_results=() if roles.row is None else large_results(nest),
        spread=0,
        grain=None,
    )
    lanes = roles.lanes(machine_of(target).vector_bits.data)
    axes = axes_of(roles, as_register_tile(schedule), lanes)
    spread, grain = shares(roles, axes, target.threads.data)
    schedule = schedule.replace(spread=spread, grain=grain)
    return Choice(schedule, reason(roles, schedule.rows, QUARTERS, target))


def as_register_tile(schedule: BlockFloatSchedule) -> RegisterTileSchedule:
    """The loops around a tile, as those of any contraction."""
    return RegisterTileSchedule(
        weight=None,
        rows=schedule.rows,
        vectors=QUARTERS,
        order="panels",
        cut=None,
        block=schedule.weight.terms.data,
        accumulators=schedule.accumulators,
        prefetch_panel=False,
        prefetch_results=schedule.prefetch_results,
        spread=schedule.spread,
        grain=schedule.grain,
    )


def refuse(nest: Nest, schedule: BlockFloatSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a product."""
    roles = roles_of(nest, target)
    if isinstance(roles, Refusal):
        return roles.why
    if schedule.weight != layout_of(nest):
        return f"'weight' must be that of its memory, {layout_of(nest)}"
    problem = refuse_rows(roles, schedule)
    if problem is not None:
        return problem
    lanes = roles.lanes(machine_of(target).vector_bits.data)
    return refuse_spread(schedule, axes_of(roles, as_register_tile(schedule), lanes))
