"""The type of the lowerings in a family's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions

Rule: TypeAlias = Callable[[Any, Expressions], Sequence[SSAValue]]
"""Builds the lowering of a step before it, and returns the values of its results."""
