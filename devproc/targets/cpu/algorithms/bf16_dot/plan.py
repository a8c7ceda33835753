"""Plans a product of pairs: rows of a tile, the instruction, the loops around tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects.arith import ExtFOp
from xdsl.dialects.builtin import bf16, f32
from xdsl.ir.affine import AffineDimExpr

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import LayoutAttr, TargetAttr
from devproc.dialects.sched import RegisterTileSchedule
from devproc.dialects.sched.contraction import MOST_VECTORS, Bf16DotSchedule
from devproc.targets.cpu.algorithms.bf16_dot.layout import PAIR
from devproc.targets.cpu.algorithms.register_tile.plan import (
    ACCUMULATORS,
    BLOCK,
    most_rows,
    reason,
    with_loops,
)
from devproc.targets.cpu.algorithms.register_tile.plan import refuse as refuse_tiles
from devproc.targets.cpu.algorithms.register_tile.roles import (
    Factor,
    Roles,
    contraction_of,
)
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.access import layout_of
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.groups import without_epilogue
from devproc.targets.cpu.transforms.nests.linear_loops import products_with, weight_of
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import lanes_along, vector_loop
from devproc.targets.cpu.transforms.nests.prefetch import large_results

EXTENSION = "avx512bf16"
"""The processor feature that provides the instruction, for 128, 256 and 512 bits."""

WIDENING_REGISTERS = 3
"""Registers for a pair of a row, one of its terms, and the widening mask."""


def match(kernel: KernelOps) -> Iterator[Nest]:
    """The products of a kernel whose weight is stored in pairs, each with its epilogue
    if that is vectorised with as many lanes as the sums."""
    for nest in products_with(
        kernel, LayoutAttr, lambda found: PAIR in found.tile_sizes
    ):
        alone = without_epilogue(nest)
        for candidate in (nest, alone):
            candidate.simplify()
        column = vector_loop(nest)
        is_wide = column is not None and lanes_along(nest, column, 32) == 1
        yield nest if is_wide else alone


def panel_width(operand: Operand, column: int) -> int | None:
    """Columns of a panel of pairs; None if its terms or columns are different ones."""
    layout = layout_of(operand.value)
    if layout is None:
        return None
    tiled = [d for d, tile in enumerate(layout.tile_sizes) if tile > 1]
    axes = [d for d in tiled if operand.map.results[d] == AffineDimExpr(column)]
    pairs = [d for d in tiled if d not in axes and layout.tile_sizes[d] == PAIR]
    if len(axes) != 1 or len(pairs) != 1 or len(tiled) != 2:
        return None
    return layout.tile_sizes[axes[0]]


def roles_of(nest: Nest, target: TargetAttr) -> Roles | Refusal:
    """The roles of the loops, or why the weight cannot be read in pairs."""
    roles = contraction_of(nest, width=panel_width)
    if roles is None or roles.panel is None:
        return Refusal("there are no vectors along the outputs of this product")
    if not all(map(is_bf16, (roles.lhs, roles.rhs))):
        return Refusal("its factors are not bf16, widened to f32")
    if roles.lhs.operand.stride(nest.reductions[-1]) != 1:
        return Refusal("the pairs of a row are not contiguous")
    lanes = roles.lanes(machine_of(target).vector_bits.data)
    if roles.panel % lanes or roles.panel > MOST_VECTORS * lanes:
        return Refusal(
            f"its panels of {roles.panel} columns are not 1 to {MOST_VECTORS} vectors of"
            f" {lanes}"
        )
    return replace(roles, together=PAIR)


def is_bf16(factor: Factor) -> bool:
    """Whether a factor is read as bf16 and only widened to f32."""
    (*others, widening) = factor.conversions or (None,)
    return (
        memref_of(factor.operand.value).element_type == bf16
        and not others
        and isinstance(widening, ExtFOp)
        and widening.result.type == f32
    )


def plan(nest: Nest, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, or why its weight cannot be read."""
    roles = roles_of(nest, target)
    if isinstance(roles, Refusal):
        return roles
    assert roles.panel is not None
    vectors = roles.panel // roles.lanes(machine_of(target).vector_bits.data)
    instruction = why_not_instruction(target) is None
    schedule = Bf16DotSchedule(
        weight=weight_of(nest, LayoutAttr),
        instruction=instruction,
        rows=tile_height(roles, vectors, instruction, target),
        cut=None,
        block=BLOCK,
        accumulators=ACCUMULATORS,
        prefetch_panel=False,
        prefetch_results=() if roles.row is None else large_results(nest),
        spread=0,
        grain=None,
    )
    tiles = with_loops(roles, as_register_tile(roles, schedule, target), target)
    schedule = schedule.replace(
        cut=tiles.cut,
        prefetch_panel=tiles.prefetch_panel,
        spread=tiles.spread,
        grain=tiles.grain,
    )
    how = "multiplied by vdpbf16ps" if instruction else "widened"
    return Choice(
        schedule, f"{reason(roles, tiles.rows, vectors, target)}; pairs {how}"
    )


def why_not_instruction(target: TargetAttr) -> str | None:
    """Why the instruction cannot be used; None if it can."""
    if not machine_of(target).has_extension(EXTENSION):
        return f"'instruction' needs a processor with {EXTENSION}"
    if target.precision.data == "strict":
        return "'instruction': it takes denormals for zero, which is not strict"
    return None


def tile_height(
    roles: Roles, vectors: int, instruction: bool, target: TargetAttr
) -> int:
    """Rows of a tile such that sums, panel and widening temporaries fit the
    registers."""
    most = most_rows(roles, vectors, target)
    if not instruction:
        free = (
            machine_of(target).vector_registers.data
            - PAIR * vectors
            - WIDENING_REGISTERS
        )
        most = max(1, min(most, free // vectors))
    return RowSplit.balanced(roles.rows, most, vectors).height


def as_register_tile(
    roles: Roles, schedule: Bf16DotSchedule, target: TargetAttr
) -> RegisterTileSchedule:
    """The loops around a tile, as those of any contraction."""
    assert roles.panel is not None
    return RegisterTileSchedule(
        weight=schedule.weight,
        rows=schedule.rows,
        vectors=roles.panel // roles.lanes(machine_of(target).vector_bits.data),
        order="panels",
        cut=schedule.cut,
        block=schedule.block,
        accumulators=schedule.accumulators,
        prefetch_panel=schedule.prefetch_panel,
        prefetch_results=schedule.prefetch_results,
        spread=schedule.spread,
        grain=schedule.grain,
    )


def refuse(nest: Nest, schedule: Bf16DotSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a product."""
    roles = roles_of(nest, target)
    if isinstance(roles, Refusal):
        return roles.why
    problem = why_not_instruction(target) if schedule.instruction else None
    tiles = as_register_tile(roles, schedule, target)
    return problem or refuse_tiles(roles, tiles, target)
