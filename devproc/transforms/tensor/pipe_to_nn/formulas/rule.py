"""What a row of a family's table is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions

Rule: TypeAlias = Callable[[Any, Expressions], Sequence[SSAValue]]
"""From a step and the place in front of it to the values of the step's results."""
