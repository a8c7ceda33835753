"""A program that runs part by part: `@main` is called once for each part of the batch.

From stage `placed` on, `dev.parts` on `@main` says how many parts a call of the program
has. The function then takes and gives one part: of each input and output an equal share of
the first dimension, in order.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.func import FuncOp

PARTS = "dev.parts"


def part_count(main: FuncOp) -> int:
    """How often one call of the program calls `@main`: 1 where it is not split."""
    parts = main.attributes.get(PARTS)
    return parts.value.data if isinstance(parts, IntegerAttr) else 1


def set_part_count(main: FuncOp, parts: int) -> None:
    """Say that `@main` works on one of so many parts."""
    main.attributes[PARTS] = IntegerAttr(parts, i64)
