"""Fast queries and constructors of vector and memref types."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import TypeGuard, cast

from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.ir import Attribute, SSAValue

from devproc.ir.types import AnyMemRef, item_size

INDEX = IndexType()
AnyVector = VectorType[Attribute]


@cache
def vector_type(element: Attribute, lanes: int) -> AnyVector:
    """The type of a vector with this element type and number of lanes."""
    return VectorType(element, (lanes,))


def memref_of(value: SSAValue) -> AnyMemRef:
    """The type of a value that is known to be a memref."""
    return cast(AnyMemRef, value.type)


def bytes_of(value: SSAValue) -> int:
    """Bytes of a memref's elements, without padding of its layout."""
    type_ = memref_of(value)
    return prod(type_.get_shape()) * item_size(type_.element_type)


def is_vector_type(type_: Attribute) -> TypeGuard[AnyVector]:
    """Whether the type is a vector's."""
    return isinstance(type_, VectorType)


def is_vector(value: SSAValue) -> bool:
    """Whether the value is a vector."""
    return is_vector_type(value.type)


def vector_lanes(value: SSAValue) -> int:
    """The lanes of a value that is known to be a vector."""
    return cast(AnyVector, value.type).get_shape()[0]
