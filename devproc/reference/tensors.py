"""PyTorch tensors from and to what the compiler holds: types, constants, weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute

from devproc.ir.aligned import new_aligned_copy
from devproc.ir.types import DTYPES, HOST_DTYPES, AnyTensor, dtype_name, tensor
from devproc.ir.weights import Array

TORCH_DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in DTYPES}
"""dtype name -> PyTorch's dtype."""

_HOST_DTYPES = {element: getattr(torch, name) for name, element in HOST_DTYPES.items()}

_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}


def torch_dtype(element: Attribute) -> torch.dtype:
    """PyTorch's dtype of an element type."""
    if element in _HOST_DTYPES:
        return _HOST_DTYPES[element]
    return TORCH_DTYPES[dtype_name(element)]


def name_of(dtype: torch.dtype) -> str | None:
    """The dtype name of PyTorch's dtype; None for one that the compiler lacks."""
    return _NAMES.get(dtype)


def type_of(value: torch.Tensor) -> AnyTensor:
    """The IR type of a tensor; raises KeyError for a dtype that the compiler lacks."""
    return tensor(_NAMES[value.dtype], value.shape)


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
    return to_torch(new_aligned_copy(_array_of(value)), _NAMES[value.dtype])


def _array_of(value: torch.Tensor) -> Array:
    """The array that shares a tensor's memory, strides included."""
    value = value.detach().resolve_neg()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(np.uint16)
    return value.numpy()


def constant_to_torch(value: DenseIntOrFPElementsAttr) -> torch.Tensor:
    """The tensor of a constant that stands in the text."""
    type_ = cast(AnyTensor, value.type)
    dtype = torch_dtype(type_.element_type)
    numbers = cast(Sequence[float], value.get_values())
    if dtype == torch.bool:
        numbers = [bool(n) for n in numbers]
    return torch.tensor(numbers, dtype=dtype).reshape(type_.get_shape())


def torch_to_constant(value: torch.Tensor) -> DenseIntOrFPElementsAttr:
    """The constant that stands in the text for a (small) tensor."""
    numbers: list[float] = value.detach().flatten().tolist()  # pyright: ignore
    return DenseIntOrFPElementsAttr.from_list(type_of(value), numbers)  # pyright: ignore
