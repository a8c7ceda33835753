"""Conversions between PyTorch tensors and the types and constants of the IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute

from devproc.ir.types import HOST_DTYPES, AnyTensor, dtype_name, tensor
from devproc.reference.conversion.arrays import NAMES, TORCH_DTYPES

_HOST_DTYPES = {element: getattr(torch, name) for name, element in HOST_DTYPES.items()}


def torch_dtype(element: Attribute) -> torch.dtype:
    """PyTorch's dtype of an element type."""
    if element in _HOST_DTYPES:
        return _HOST_DTYPES[element]
    return TORCH_DTYPES[dtype_name(element)]


def type_of(value: torch.Tensor) -> AnyTensor:
    """The IR type of a tensor; raises KeyError for a dtype that the compiler lacks."""
    return tensor(NAMES[value.dtype], value.shape)


def constant_to_torch(value: DenseIntOrFPElementsAttr) -> torch.Tensor:
    """The tensor of a dense constant."""
    type_ = cast(AnyTensor, value.type)
    dtype = torch_dtype(type_.element_type)
    numbers = cast(Sequence[float], value.get_values())
    if dtype == torch.bool:
        numbers = [bool(n) for n in numbers]
    return torch.tensor(numbers, dtype=dtype).reshape(type_.get_shape())


def torch_to_constant(value: torch.Tensor) -> DenseIntOrFPElementsAttr:
    """The dense constant of a (small) tensor."""
    numbers: list[float] = value.detach().flatten().tolist()  # pyright: ignore
    return DenseIntOrFPElementsAttr.from_list(type_of(value), numbers)  # pyright: ignore
