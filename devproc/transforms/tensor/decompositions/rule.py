"""The type of decompositions, and helpers of their formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)

Decomposition: TypeAlias = Callable[[Any, Builder], Sequence[SSAValue] | None]
"""Builds the decomposition of an op and returns the values of its results, or None if
the op is kept for the target of its module."""


def formula(
    function: Callable[[Expression], Expression], operand: SSAValue, builder: Builder
) -> Sequence[SSAValue]:
    """The decomposition of an op by a function of one operand, of the same dtype.

    As in PyTorch, half precision is computed in float32 and rounded once, at the end.
    """
    x = Expressions(builder).of(operand)
    return [function(x.widened()).cast(x.dtype).ssa]
