"""The types of the `triton` dialect, and the checks its verifiers share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, i32
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import base, eq, irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

MAX_BLOCK_ELEMENTS = 1 << 20
"""Triton rejects larger blocks (TRITON_MAX_TENSOR_NUMEL)."""

BLOCK = base(TensorType)
I32 = IntegerAttr.constr(eq(i32))


@irdl_attr_definition
class PtrType(ParametrizedAttribute, TypeAttribute):
    """A pointer into device memory: `!triton.ptr<f32>`."""

    name = "triton.ptr"

    pointee: Attribute = param_def()


def shape_of(type_: Attribute) -> tuple[int, ...]:
    """The block shape of a type; empty for a scalar."""
    return type_.get_shape() if isinstance(type_, TensorType) else ()


def element_of(type_: Attribute) -> Attribute:
    """The element type of a block, the type itself of a scalar."""
    if isinstance(type_, TensorType):
        return cast(TensorType[Attribute], type_).element_type
    return type_


@cache
def block_of(element: Attribute, shape: tuple[int, ...]) -> Attribute:
    """The type of a block of this shape; a scalar for the empty shape."""
    return TensorType(element, shape) if shape else element


def verify_block(name: str, type_: Attribute) -> None:
    """Verify that dimensions are powers of two and the block is not too large."""
    shape = shape_of(type_)
    if any(size < 1 or size & (size - 1) for size in shape):
        raise VerifyException(
            f"{name} has shape {list(shape)}: block dimensions must be powers of two"
        )
    if prod(shape) > MAX_BLOCK_ELEMENTS:
        raise VerifyException(
            f"{name} holds {prod(shape)} elements, a block at most {MAX_BLOCK_ELEMENTS}"
        )


def verify_one_of(what: str, value: StringAttr, allowed: Sequence[str]) -> None:
    """Verify that a string is one of the allowed ones."""
    if value.data not in allowed:
        raise VerifyException(
            f"unknown {what} '{value.data}'; one of {', '.join(allowed)}"
        )


def verify_shape(what: str, type_: Attribute, wanted: Sequence[int]) -> None:
    """Verify that a type has this block shape."""
    if shape_of(type_) != tuple(wanted):
        raise VerifyException(
            f"{what} has shape {list(shape_of(type_))}, expected {list(wanted)}"
        )


def verify_element(what: str, type_: Attribute, wanted: Attribute) -> None:
    """Verify that a type has this element type."""
    if element_of(type_) != wanted:
        raise VerifyException(
            f"{what} has elements of type {element_of(type_)}, expected {wanted}"
        )
