"""The type of a reference, and references that are a single call of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from torch import Tensor

Meaning: TypeAlias = Callable[..., tuple[Tensor, ...]]
"""A function of an op and its operands that returns the op's results."""


def plain(function: Callable[..., Tensor]) -> Meaning:
    """The reference of an op with one result that depends on the operands alone."""

    def run(_: Any, *operands: Tensor) -> tuple[Tensor, ...]:
        return (function(*operands),)

    return run


def unary(function: Callable[[Any, Tensor], Tensor]) -> Meaning:
    """The reference of an op with one operand and one result; `function` takes the op too."""

    def run(op: Any, operand: Tensor) -> tuple[Tensor, ...]:
        return (function(op, operand),)

    return run
