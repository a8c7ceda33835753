"""Errors of outputs relative to a run of the model in float64, compared with PyTorch's.

An error is the norm of the difference divided by the norm of the exact result. The error of
a compiled program is at most twice that of PyTorch in the model's own dtype.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

FACTOR = 2.0
"""The tolerated error, as a multiple of PyTorch's."""

ROUNDING = 2.0**-23
"""One float32 rounding: on a small model PyTorch's error may be smaller by chance."""


class _Widened(TorchFunctionMode):
    """Replaces float32 by float64 in each call.

    Models compute norms, softmax and rotary embeddings explicitly in float32, whatever the
    dtype of their weights.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func is torch.Tensor.float:
            func = torch.Tensor.double
        args, kwargs = pytree.tree_map(_widened, (args, kwargs or {}))
        return func(*args, **kwargs)


def _widened(value: object) -> object:
    return torch.float64 if value is torch.float32 else value


def float64_outputs(
    module: torch.nn.Module,
    inputs: Sequence[Any],
    keywords: Mapping[str, Any] | None = None,
) -> list[torch.Tensor]:
    """The flattened outputs of a copy of `module` that computes in float64."""
    wide = copy.deepcopy(module).double()
    given, named = pytree.tree_map(_double, (tuple(inputs), dict(keywords or {})))
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad(), _Widened():
            return outputs_of(wide(*given, **named))
    finally:
        torch.set_default_dtype(default)


def _double(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    return value


def outputs_of(value: Any) -> list[torch.Tensor]:
    """The leaves of a model's result, as tensors."""
    return [torch.as_tensor(leaf) for leaf in pytree.tree_leaves(value)]


def relative_error(found: torch.Tensor, exact: torch.Tensor) -> float:
    """The norm of the difference divided by the norm of `exact`.

    Infinite if an element is finite in one tensor alone; elements that are finite in
    neither are ignored.
    """
    ours, theirs = found.double(), exact.double()
    finite = torch.isfinite(theirs)
    if not torch.equal(finite, torch.isfinite(ours)):
        return float("inf")
    far = float(torch.where(finite, ours - theirs, 0.0).norm())
    size = float(torch.where(finite, theirs, 0.0).norm())
    return far / size if size else far


def largest_error(
    found: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]
) -> float:
    """The largest relative error among the floating-point outputs."""
    pairs = zip(found, exact, strict=True)
    return max(
        (relative_error(f, e) for f, e in pairs if f.is_floating_point()), default=0.0
    )
