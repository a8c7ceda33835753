"""When a weight is stored as sums of blocks for Strassen's algorithm."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp

from devproc.dialects.dev import StrassenAttr, TargetAttr
from devproc.ir.layouts.strassen import SIDE, slice_depths
from devproc.ir.program.structured import linear_sizes
from devproc.targets.cpu.machine.attribute import machine_of

LEAST_ROWS = 64
"""Fewest rows of a product for which 7/8 of the work outweigh 7/4 of the weight."""

LEAST_OUTPUTS, LEAST_NUMBERS = 256, 512 * 512
"""Fewest outputs and elements of a weight with sufficiently large blocks."""


def strassen_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> StrassenAttr | None:
    """The layout of the weight of a linear layer that Strassen's algorithm computes.

    Only with `precision = "fast"`: errors are relative to all rows of a block, and a
    value that is not finite affects all of them. It needs whole panels in every block,
    and pays if blocks are large.
    """
    sizes = linear_sizes(generic) if index == 1 else None
    if sizes is None or target.precision.data != "fast":
        return None
    rows, outputs, inputs = sizes
    lanes = machine_of(target).vector_bits.data // 32
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
    """Why the weight cannot have a layout of its shape for this algorithm."""
    if index == 1 and linear_sizes(generic) is not None:
        return None
    return "it is no linear layer in float32 with its weight on the right"
