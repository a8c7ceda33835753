"""When a weight is stored in block floating point."""

from __future__ import annotations

from math import inf

from xdsl.dialects.linalg.ops import GenericOp

from devproc.dialects.dev import BlockFloatAttr, TargetAttr
from devproc.ir.layouts.block_float import QUARTERS, WORD_BYTES, block_terms
from devproc.ir.program.structured import linear_sizes
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.machine.processors import CACHED_BYTES

FEW_ROWS = 1
"""Most rows of a product that is bound by reading its weight."""

LEAST_ROWS = 24
"""Fewest rows that amortise widening a panel of a weight in fewer bits, which takes as long as
computing eight."""


def block_float_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> BlockFloatAttr | None:
    """The layout of the weight of a linear layer that is bound by memory: it has few
    rows, and the weight does not fit a core's private cache.

    With `weights = "float24"` the same for any number of rows, so that programs with few
    and many share the weight; many ones need a processor for `#sched.widened_panels`.

    None with `precision = "strict"`, and with vectors of less than 512 bits, where
    unpacking costs more than the memory traffic it saves.
    """
    sizes = linear_sizes(generic) if index == 1 else None
    if (
        sizes is None
        or family != "contraction"
        or target.precision.data == "strict"
        or machine_of(target).vector_bits.data < 512
    ):
        return None
    rows, outputs, inputs = sizes
    terms = block_terms(inputs)
    # One vector per quarter. Less than a panel would load as many words as numbers.
    width = QUARTERS * machine_of(target).vector_bits.data // (8 * WORD_BYTES)
    if (
        rows > _most_rows(target)
        or outputs < width
        or WORD_BYTES * outputs * inputs <= CACHED_BYTES
        or terms is None
    ):
        return None
    return BlockFloatAttr.get(width, terms)


def _most_rows(target: TargetAttr) -> float:
    """Most rows of a product for which its weight is stored so."""
    if not target.shares_exponents:
        return FEW_ROWS
    return inf if machine_of(target).has_separate_adders else LEAST_ROWS - 1


def refuse_layout(generic: GenericOp, index: int, layout: BlockFloatAttr) -> str | None:
    """Why the weight cannot have a block floating-point layout of its shape."""
    if index == 1 and linear_sizes(generic) is not None:
        return None
    return "it is no linear layer in float32 with its weight on the right"
