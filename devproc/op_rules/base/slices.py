"""Slicing: the parts of its operands that an op needs for a part of its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

from devproc.ir.subset import Span, Subset
from devproc.ir.types import tensor_of


@dataclass(frozen=True)
class Parts:
    """The operands of the smaller op, each a part of a value, and its changed
    properties."""

    parts: Sequence[tuple[SSAValue, Subset]]
    changed: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])


SliceRule: TypeAlias = Callable[..., Parts | None]
"""Maps an op and a part of its result; None if the part costs as much as the whole."""


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor."""
    return tensor_of(value).get_shape()


def aligned(value: SSAValue, subset: Subset) -> tuple[SSAValue, Subset]:
    """The part of a value that broadcasts to this subset."""
    shape = shape_of(value)
    spans = subset[len(subset) - len(shape) :]
    return value, tuple(
        Span(0, 1) if size == 1 else span
        for size, span in zip(shape, spans, strict=True)
    )


def elementwise(op: Operation, subset: Subset) -> Parts:
    """The part of every operand at the same indices."""
    return Parts([aligned(value, subset) for value in op.operands])


def matrix_part(
    value: SSAValue, batch: Subset, rows: Span | None, columns: Span | None
) -> tuple[SSAValue, Subset]:
    """A part of the matrices in a batch; None: all their rows or columns."""
    *_, row_count, column_count = shape_of(value)
    rows, columns = rows or Span(0, row_count), columns or Span(0, column_count)
    return aligned(value, (*batch, rows, columns))
