"""PyTorch tensors from and to the arrays of weights; loads no xDSL."""

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
    """What is the same for two tensors that are one."""
    return (
        value.untyped_storage().data_ptr(),
        value.storage_offset(),
        value.shape,
        value.stride(),
        value.dtype,
    )


class _Borrowed:
    """The memory of a read-only array, offered as memory that can be written."""

    def __init__(self, array: Array) -> None:
        self.owner = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {
            **array.__array_interface__,
            "data": (address, False),
        }


def to_torch(array: Array, name: str, borrow: bool = False) -> torch.Tensor:
    """The tensor of a weight's array (bfloat16 is stored as the uint16 view).

    `borrow`: it shares the array's memory, and the caller promises not to write to it.
    """
    # PyTorch knows no read-only memory, and the arrays of a weight table are that.
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
    """A copy in memory of its own; NumPy's pages are three times as fast to come by."""
    return to_torch(new_aligned_copy(_array_of(value)), NAMES[value.dtype])


def _array_of(value: torch.Tensor) -> Array:
    """The array that shares a tensor's memory, strides included."""
    value = value.detach().resolve_neg()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(np.uint16)
    return value.numpy()
