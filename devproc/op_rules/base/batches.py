"""Batch splitting: what an op needs of its operands so that its results split.

A value *splits* where it is the values of the batch's parts, concatenated along the first
dimension. A rule says for each operand whether it has to split (True) or is used whole
(False) so that the results split; None where they never do. A value may do both: zeros, or
an expanded row, are the same for every part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Operation

from devproc.dialects.nn.base import int_of, normalize_axis
from devproc.ir.types import tensor_of

Splits: TypeAlias = Sequence[bool] | None
"""For each operand whether it has to split; None where the results never do."""

BatchRule: TypeAlias = Callable[[Operation], Splits]


def shapes_of(op: Operation) -> list[tuple[int, ...]]:
    """The shapes of the operands."""
    return [tensor_of(value).get_shape() for value in op.operands]


def aligned(op: Operation) -> Splits:
    """Operands that have the result's first dimension split; others are repeated."""
    result = tensor_of(op.results[0]).get_shape()
    return [
        len(shape) == len(result) and shape[0] == result[0] for shape in shapes_of(op)
    ]


def first(op: Operation) -> Splits:
    """The first operand splits: the others are weights, tables, or one number."""
    return [True, *(False for _ in op.operands[1:])]


def other_axis(op: Operation) -> Splits:
    """Along any axis but the first, all operands that have it split."""
    axis = int_of(op.properties["axis"])
    is_first = normalize_axis(axis, len(shapes_of(op)[0])) == 0
    return None if is_first else [True for _ in op.operands]


def rows(op: Operation) -> Splits:
    """Rows of the last dimension, which split where there are several dimensions."""
    return [True for _ in op.operands] if len(shapes_of(op)[0]) > 1 else None
