"""What the tables of decompositions hold, and what their formulas share."""

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
"""Builds what an op is made of; gives the values of its results, or None where the op
stays whole for the target of its module."""


def formula(
    function: Callable[[Expression], Expression], operand: SSAValue, builder: Builder
) -> Sequence[SSAValue]:
    """A function of one operand, whose dtype the result has.

    As in PyTorch, half precision is computed in float32 and rounded once, at the end.
    """
    x = Expressions(builder).of(operand)
    return [function(x.widened()).cast(x.dtype).ssa]
