"""Batch splitting: `@main` is called once for each part of the batch.

From stage `placed` on, the attribute `dev.parts` of `@main` is the number of parts of a
call. The function then works on one part: an equal share of the first dimension of each
input and output, in order.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.func import FuncOp

PARTS = "dev.parts"


def part_count(main: FuncOp) -> int:
    """The number of calls of `@main` in one call of the program; 1 if it is not split."""
    parts = main.attributes.get(PARTS)
    return parts.value.data if isinstance(parts, IntegerAttr) else 1


def set_part_count(main: FuncOp, parts: int) -> None:
    """Sets the number of parts that `@main` is called for."""
    main.attributes[PARTS] = IntegerAttr(parts, i64)
