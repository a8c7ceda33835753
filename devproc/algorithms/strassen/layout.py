"""When a weight is stored as the sums of blocks of Strassen's products."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp

from devproc.dialects.dev import StrassenAttr, TargetAttr
from devproc.ir.layouts.strassen import SIDE, slice_depths
from devproc.ir.program.structured import linear_sizes

LEAST_ROWS = 64
"""Rows of a product that is worth reading 7/4 of its weight for 7/8 of the work."""

LEAST_OUTPUTS, LEAST_NUMBERS = 256, 512 * 512
"""Outputs and numbers of a weight whose blocks are large enough."""


def strassen_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> StrassenAttr | None:
    """The layout of the weight of a linear layer that Strassen's algorithm takes.

    With `precision = "fast"` alone: a result's error is relative to all rows of a block,
    and so is what is not finite. It needs whole panels of every block, and pays where
    blocks are large.
    """
    sizes = linear_sizes(generic) if index == 1 else None
    if sizes is None or target.precision.data != "fast":
        return None
    rows, outputs, inputs = sizes
    lanes = target.vector_bits.data // 32
    is_small = outputs < LEAST_OUTPUTS or outputs * inputs < LEAST_NUMBERS
    if rows < LEAST_ROWS or is_small:
        return None
    # A second level gains little for 3 times the weight and 1.4 times the error; see
    # docs/schedules/strassen.md.
    widths = [v * lanes for v in (3, 2) if outputs % (SIDE * v * lanes) == 0]
    if not widths or inputs % SIDE or not slice_depths(inputs // SIDE, lanes):
        return None
    return StrassenAttr.get(widths[0])


def refuse_layout(generic: GenericOp, index: int, layout: StrassenAttr) -> str | None:
    """Why the weight cannot lie in a layout that fits its shape."""
    if index == 1 and linear_sizes(generic) is not None:
        return None
    return "it is no linear layer in float32 with its weight on the right"
