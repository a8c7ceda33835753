"""The layout of a weight in fewer bits."""

from __future__ import annotations

from collections.abc import Sequence

from devproc.dialects.dev import TargetAttr, WeightOnlyAttr
from devproc.ir.layouts.weight_only import block_terms
from devproc.ir.weight_format import WeightFormat
from devproc.targets.cpu.machine.attribute import machine_of

VECTORS = 2
"""Vectors of columns of a panel: one and four are as fast or slower."""


def lanes_of(target: TargetAttr) -> int:
    """Columns of a vector."""
    return machine_of(target).vector_bits.data // 32


def stored_layout(
    stored: WeightFormat, shape: Sequence[int], target: TargetAttr
) -> WeightOnlyAttr | None:
    """The layout of a weight (N, K) that is stored in a format, for products of any
    number of rows; None if K is not made of whole blocks."""
    terms = block_terms(shape[1], stored)
    if not terms:
        return None
    return WeightOnlyAttr.get(stored.dtype, terms, VECTORS * lanes_of(target))
