"""Batch splitting: the operands that must split for the results of an op to split.

A value *splits* if it is the concatenation of the values of the batch's parts along the
first dimension. A rule returns for each operand whether it must split (True) or is used
whole (False) for the results to split; None if they never do. A value may do both:
zeros or an expanded row are the same for every part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Operation

from devproc.dialects.nn.base import int_of, normalize_axis
from devproc.ir.types import tensor_of

Splits: TypeAlias = Sequence[bool] | None
"""Returns for each operand whether it must split; None if the results never split."""

BatchRule: TypeAlias = Callable[[Operation], Splits]


def shapes_of(op: Operation) -> list[tuple[int, ...]]:
    """The shapes of the operands."""
    return [tensor_of(value).get_shape() for value in op.operands]


def aligned(op: Operation) -> Splits:
    """Operands with the result's first dimension split; others are broadcast."""
    result = tensor_of(op.results[0]).get_shape()
    return [
        len(shape) == len(result) and shape[0] == result[0] for shape in shapes_of(op)
    ]


def first(op: Operation) -> Splits:
    """The first operand splits; the others are weights, tables or scalars."""
    return [True, *(False for _ in op.operands[1:])]


def other_axis(op: Operation) -> Splits:
    """For an op along any axis but the first, all operands split."""
    axis = int_of(op.properties["axis"])
    is_first = normalize_axis(axis, len(shapes_of(op)[0])) == 0
    return None if is_first else [True for _ in op.operands]


def rows(op: Operation) -> Splits:
    """Rows along the last dimension split if the operand has several dimensions."""
    return [True for _ in op.operands] if len(shapes_of(op)[0]) > 1 else None
