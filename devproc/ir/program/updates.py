"""Updates in place: a launch that writes a result into the memory of an operand.

`dev.updates` of a launch has a number for each result: of the operand whose memory the result
takes, or -1 for memory of its own. No op may read the operand's value after such a launch. A
kernel has the attribute if it needs that: it writes only some elements of the result, and the
others are there already. On memory the launch names the buffer twice, as input and as output.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Operation, OpResult, SSAValue

UPDATES = "dev.updates"


def updates_of(op: Operation) -> dict[int, int]:
    """Result -> operand, both by number, of what an op updates in place."""
    found = op.attributes.get(UPDATES)
    if not isinstance(found, DenseArrayBase):
        return {}
    numbers = enumerate(map(int, found.get_values()))
    return {result: operand for result, operand in numbers if operand >= 0}


def updated_by(value: SSAValue) -> SSAValue | None:
    """The operand of a launch whose memory a result takes; None for other values."""
    if not isinstance(value, OpResult):
        return None
    operand = updates_of(value.owner).get(value.index)
    return None if operand is None else value.owner.operands[operand]


def set_updates(op: Operation, updates: Mapping[int, int], results: int) -> None:
    """Records what an op with this number of results updates in place."""
    numbers = [updates.get(result, -1) for result in range(results)]
    op.attributes[UPDATES] = DenseArrayBase.from_list(i64, numbers)
