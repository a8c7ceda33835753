"""Conversions between PyTorch tensors and the arrays of weights; loads no xDSL."""

from __future__ import annotations

import numpy as np
import torch

from devproc.ir.dtypes import DTYPE_NAMES
from devproc.ir.weights.aligned import new_aligned_copy
from devproc.ir.weights.table import Array

TORCH_DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name) for name in DTYPE_NAMES
}
"""dtype name -> PyTorch's dtype."""

NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}
"""PyTorch's dtype -> dtype name."""


def name_of(dtype: torch.dtype) -> str | None:
    """The dtype name of PyTorch's dtype; None for one that the compiler lacks."""
    return NAMES.get(dtype)


def memory_of(value: torch.Tensor) -> object:
    """A key that is equal for two tensors over the same memory."""
    return (
        value.untyped_storage().data_ptr(),
        value.storage_offset(),
        value.shape,
        value.stride(),
        value.dtype,
    )


class _Borrowed:
    """A read-only array presented as writable memory."""

    def __init__(self, array: Array) -> None:
        self.owner = array
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def to_torch(array: Array, name: str, borrow: bool = False) -> torch.Tensor:
    """The tensor of a weight's array (bfloat16 is stored as the uint16 view).

    With `borrow` it shares the array's memory, and the caller must not write to it.
    """
    # PyTorch has no read-only tensors; the arrays of a weight table are read-only.
    if borrow and array.size:
        array = np.asarray(_Borrowed(array))
    array = np.array(array, order="C", copy=None if array.flags.writeable else True)
    if name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)  # pyright: ignore[reportUnknownMemberType]
    return torch.from_numpy(array)  # pyright: ignore[reportUnknownMemberType]


def to_numpy(value: torch.Tensor) -> Array:
    """The array of a tensor as a weight table keeps it, without a copy if possible."""
    array = _array_of(value)
    return array if array.flags.c_contiguous else new_aligned_copy(array)


def copy_of(value: torch.Tensor) -> torch.Tensor:
    """A copy in its own memory; NumPy allocates pages three times as fast as PyTorch."""
    return to_torch(new_aligned_copy(_array_of(value)), NAMES[value.dtype])


def _array_of(value: torch.Tensor) -> Array:
    """The array that shares a tensor's memory, strides included."""
    value = value.detach().resolve_neg()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(np.uint16)
    return value.numpy()
