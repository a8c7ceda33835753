"""Placeholder values of refused nodes, so that their users are still imported."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from xdsl.dialects.builtin import UnrealizedConversionCastOp

from devproc.frontends.torch_export.complex.complex_parts import is_complex, part_type
from devproc.frontends.torch_export.graph.builder import Complex
from devproc.frontends.torch_export.graph.problems import is_dynamic
from devproc.frontends.torch_export.host_calls import type_of_leaf

POISON = object()
"""The value of a refused node without a type: its users are skipped."""


def stand_in(value: Any) -> Any:
    """A placeholder of the type that the exporter recorded; `POISON` if the IR has no such
    type.
    """
    if isinstance(value, list | tuple):
        return tuple(stand_in(item) for item in value)
    if not isinstance(value, torch.Tensor) or is_dynamic(value.shape):
        return POISON
    type_ = type_of_leaf(value)
    if type_ is None:
        return POISON
    count = 2 if is_complex(type_) else 1
    found = UnrealizedConversionCastOp.get([], [part_type(type_)] * count).results
    return found[0] if count == 1 else Complex(*found)


def is_poisoned(values: Sequence[Any]) -> bool:
    """Whether an argument, or an item of a list, is `POISON`."""
    return any(
        value is POISON or (isinstance(value, list) and POISON in value)
        for value in values
    )
