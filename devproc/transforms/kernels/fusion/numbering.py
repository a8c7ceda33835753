"""Puts the ops of each group side by side, in an order of their dependences."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, Operation

from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.ir.program.structured import GROUP, Generic
from devproc.transforms.kernels.fusion.groups import reads


def in_order(
    units: Sequence[list[Operation]], position: dict[Operation, int]
) -> list[list[Operation]]:
    """The units in a topological order; otherwise in the order of the block."""
    unit_of = {op: unit for unit in units for op in unit}
    ordered: list[list[Operation]] = []
    done: set[int] = set()

    def visit(unit: list[Operation]) -> None:
        if id(unit) in done:
            return
        done.add(id(unit))
        for op in unit:
            for value in reads(op):
                owner = value.owner
                if isinstance(owner, Operation) and owner in unit_of:
                    visit(unit_of[owner])
        ordered.append(unit)

    last = len(position)
    for unit in sorted(units, key=lambda u: min(position.get(op, last) for op in u)):
        visit(unit)
    return ordered


def number_and_place(block: Block, units: Sequence[Sequence[Operation]]) -> None:
    """Number the groups and reorder the ops of the block accordingly."""
    end = block.last_op
    assert end is not None
    number = 0
    for unit in units:
        is_group = any(isinstance(op, Generic) for op in unit)
        for op in unit:
            is_numbered = isinstance(op, Generic | FillOp | tensor.PadOp)
            if is_numbered or (is_group and isinstance(op, ScatterOp)):
                op.attributes[GROUP] = IntegerAttr(number, i64)
            if op.parent is not None:
                op.detach()
            block.insert_op_before(op, end)
        number += is_group
