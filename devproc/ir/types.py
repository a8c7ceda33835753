"""Element types and tensor types: the table of dtype names and IR types."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    MemRefType,
    NoneAttr,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue

from devproc.ir.dtypes import ITEM_SIZES

AnyTensor: TypeAlias = TensorType[Attribute]
AnyMemRef: TypeAlias = MemRefType[Attribute]

DTYPES: dict[str, Attribute] = {
    "float64": Float64Type(),
    "float32": Float32Type(),
    "float16": Float16Type(),
    "bfloat16": BFloat16Type(),
    "int64": IntegerType(64),
    "int32": IntegerType(32),
    "int16": IntegerType(16),
    "int8": IntegerType(8),
    "uint16": IntegerType(16, Signedness.UNSIGNED),
    "uint8": IntegerType(8, Signedness.UNSIGNED),
    "bool": IntegerType(1),
}
"""dtype name (PyTorch's and NumPy's) -> element type. Signless integers are signed."""

HOST_DTYPES: dict[str, Attribute] = {
    "complex64": ComplexType(Float32Type()),
    "complex128": ComplexType(Float64Type()),
}
"""Dtypes that only PyTorch computes with, between the calls of host regions."""

_NO_ENCODING = NoneAttr()

_NAMES = {element: name for name, element in DTYPES.items()}

_ALL_NAMES = _NAMES | {element: name for name, element in HOST_DTYPES.items()}

_UNSIGNED = {DTYPES["uint8"]: IntegerType(8), DTYPES["uint16"]: IntegerType(16)}
"""Unsigned element type -> the signless one of its width."""


def dtype_name(element: Attribute) -> str:
    """The dtype name of an element type; raises KeyError for an unknown type."""
    return _NAMES[element]


def memory_dtype_name(element: Attribute) -> str:
    """The dtype name of an element type, including host dtypes."""
    return _ALL_NAMES[element]


def is_known_dtype(element: Attribute) -> bool:
    """Whether the element type is one that DevProc computes with."""
    return element in _NAMES


def item_size(element: Attribute) -> int:
    """Bytes of one element in memory (a bool is one byte)."""
    return ITEM_SIZES[_ALL_NAMES[element]]


def is_host_dtype(element: Attribute) -> bool:
    """Whether the element type is one that only PyTorch computes with."""
    return element in HOST_DTYPES.values()


def is_float(element: Attribute) -> bool:
    """Whether the element type is a floating-point type."""
    return isinstance(element, Float16Type | BFloat16Type | Float32Type | Float64Type)


def is_bool(element: Attribute) -> bool:
    """Whether the element type is bool, a one-bit integer."""
    return element == DTYPES["bool"]


def is_unsigned(element: Attribute) -> bool:
    """Whether the element type is read as unsigned: uint8, uint16 and bool."""
    return is_bool(element) or element in _UNSIGNED


def product_type(element: Attribute) -> Attribute:
    """The element type of sums of products: int32 for int8, else that of the factors."""
    return DTYPES["int32"] if element == DTYPES["int8"] else element


@cache
def lowest(element: Attribute) -> float:
    """The identity of max: minus infinity, or the smallest integer of the type."""
    if is_float(element):
        return -math.inf
    return 0 if is_unsigned(element) else -(1 << (8 * item_size(element) - 1))


def highest(element: Attribute) -> float:
    """The identity of min: infinity, or the largest integer of the type."""
    if is_float(element):
        return math.inf
    return (1 << (8 * item_size(element) - (not is_unsigned(element)))) - 1


def signless(element: Attribute) -> Attribute:
    """The element type for `arith`: uint8 becomes i8, others stay."""
    return _UNSIGNED.get(element, element)


def with_unsigned(element: Attribute) -> Attribute:
    """The unsigned element type of the same width as a signless one."""
    return next(unsigned for unsigned, bare in _UNSIGNED.items() if bare == element)


def tensor(
    element: Attribute | str,
    shape: Iterable[int],
    encoding: Attribute | None = None,
) -> AnyTensor:
    """A ranked tensor type; `element` is a type or a dtype name."""
    if isinstance(element, str):
        element = DTYPES[element]
    return _tensor(element, tuple(shape), encoding or _NO_ENCODING)


@cache
def _tensor(
    element: Attribute, shape: tuple[int, ...], encoding: Attribute
) -> AnyTensor:
    """Cached: creating a type costs as much as creating an op."""
    return TensorType(element, shape, encoding)


def tensor_of(value: SSAValue) -> AnyTensor:
    """The type of a value that is known to be a tensor."""
    return cast(AnyTensor, value.type)


def with_encoding(type_: AnyTensor, encoding: Attribute | None) -> AnyTensor:
    """The same tensor type with another encoding (None removes it)."""
    return tensor(type_.element_type, type_.get_shape(), encoding)
