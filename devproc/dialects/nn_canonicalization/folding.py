"""Helpers that read and create the constants of folding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.ir import SSAValue

from devproc.dialects.nn.constant import ConstantOp
from devproc.ir.dtypes import element_count
from devproc.ir.types import AnyTensor, dtype_name, tensor_of

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def constant_array(value: SSAValue) -> Array | None:
    """The elements of an `nn.constant`; None for other values, and for bfloat16."""
    owner = value.owner
    if not isinstance(owner, ConstantOp):
        return None
    type_ = tensor_of(owner.result)
    name = dtype_name(type_.element_type)
    if name == "bfloat16":
        return None
    values = cast(Sequence[float], owner.value.get_values())
    if name == "bool":
        values = [bool(v) for v in values]
    return np.array(values, name).reshape(type_.get_shape())


def constant_of(array: Array, type_: AnyTensor) -> ConstantOp | None:
    """The constant of this type; None if it would be too large for an `nn.constant`."""
    if element_count(type_.get_shape()) > ConstantOp.LIMIT:
        return None
    return ConstantOp.of(type_, cast(Sequence[float], array.ravel().tolist()))


def is_filled(value: SSAValue, number: float) -> bool:
    """Whether the value is a splat constant of this number; 0.0 and -0.0 differ."""
    array = constant_array(value)
    return (
        array is not None
        and array.size > 0
        and bool(np.all(array == number))
        and bool(np.all(np.signbit(array) == np.signbit(number)))
    )
