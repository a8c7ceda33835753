"""PyTorch tensors as inputs and outputs of a program: checks and conversions."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from numpy import generic
from numpy.typing import NDArray

from devproc.ir.dtypes import ITEM_SIZES, format_shape
from devproc.runtime.calls.interface import (
    TensorSpec,
    check_array,
    check_tensor,
    require_all,
)

TORCH_DTYPES: dict[str, torch.dtype] = {n: getattr(torch, n) for n in ITEM_SIZES}
"""dtype name -> PyTorch's dtype."""

TORCH_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}
"""PyTorch's dtype -> dtype name."""


def as_torch(array: NDArray[generic], dtype: str) -> torch.Tensor:
    """A tensor over the memory of an array, which holds bfloat16 as uint16."""
    with warnings.catch_warnings():
        # Weights mapped from a file are read-only; nothing here writes to them.
        warnings.simplefilter("ignore", UserWarning)
        tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if dtype == "bfloat16" else tensor


def to_numpy(tensor: torch.Tensor) -> NDArray[generic]:
    """The tensor as an array; bfloat16, which NumPy lacks, becomes float32."""
    if tensor.dtype == torch.bfloat16:
        return tensor.float().numpy()
    return tensor.numpy()


def empty_outputs(specs: Sequence[TensorSpec]) -> list[torch.Tensor]:
    """Uninitialised tensors for the outputs of a call."""
    return [torch.empty(s.shape, dtype=TORCH_DTYPES[s.dtype]) for s in specs]


Keeps = Callable[[int, torch.Tensor], bool]
"""Whether the input of this number may stay on the device where the tensor is."""


def never(*_: object) -> bool:
    """That nothing stays on a device."""
    return False


def check_tensors(
    specs: Sequence[TensorSpec],
    given: Sequence[Any],
    keeps: Keeps = never,
) -> list[torch.Tensor]:
    """Contiguous tensors of the declared dtypes and shapes, from tensors or arrays: those
    that `keeps` refuses, in memory of the host.

    Raises InputError with all problems.
    """
    pairs = zip(specs, given, strict=True)
    return require_all(
        check_value(spec, value, partial(keeps, index))
        for index, (spec, value) in enumerate(pairs)
    )


def check_value(
    spec: TensorSpec,
    value: object,
    keeps: Callable[[torch.Tensor], bool] = never,
) -> torch.Tensor | str:
    """A contiguous tensor that fits `spec`, or the problem with the given value.

    Copies tensors of other devices, unless `keeps` holds; nothing is recorded by autograd.
    """
    if not isinstance(value, torch.Tensor):
        array = check_array(spec, value)
        return array if isinstance(array, str) else as_torch(array, spec.dtype)
    problem = _problem(spec, value)
    if problem is not None:
        return problem
    try:
        tensor = value.detach().resolve_neg()
        tensor = (tensor if keeps(tensor) else tensor.to("cpu")).contiguous()
        in_memory = tensor.data_ptr() or not tensor.numel()
    except (RuntimeError, NotImplementedError):
        in_memory = tensor = None
    if tensor is None or not in_memory:
        return (
            f"input '{spec.name}' must be {spec.dtype} {format_shape(spec.shape)} in "
            f"memory, got a {type(value).__name__} on '{value.device}' without numbers"
        )
    return tensor


def _problem(spec: TensorSpec, tensor: torch.Tensor) -> str | None:
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_nested:
        kind = "nested" if tensor.is_nested else str(tensor.layout)
        kind = "quantized" if tensor.is_quantized else kind
        return (
            f"input '{spec.name}' must be {spec.dtype} {format_shape(spec.shape)} in a "
            f"dense tensor, got a {kind} one"
        )
    dtype = TORCH_NAMES.get(tensor.dtype, str(tensor.dtype))
    return check_tensor(spec, dtype, tensor.shape)
