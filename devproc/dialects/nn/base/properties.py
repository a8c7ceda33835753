"""Conversion of op properties from and to Python values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base.requirements import require, require_one_of

Properties = Mapping[str, Attribute]


def ints(attribute: Attribute) -> tuple[int, ...]:
    """The integers of an `array<i64: ...>` property."""
    array = cast(DenseArrayBase[IntegerType], attribute)
    if array.elt_type != i64:
        raise VerifyException(f"expected an i64 array, got {array}")
    return tuple(array.get_values())


def floats(attribute: Attribute) -> tuple[float, ...]:
    """The numbers of an `array<f64: ...>` property."""
    return tuple(cast(DenseArrayBase[Float64Type], attribute).get_values())


def int_of(attribute: Attribute) -> int:
    """The value of an i64 property."""
    number = cast(IntegerAttr, attribute)
    if number.type != i64:
        raise VerifyException(f"expected an i64 number, got {number}")
    return number.value.data


def flag_of(name: str, attribute: Attribute) -> bool:
    """The value of an integer property that is 0 or 1."""
    value = int_of(attribute)
    require(value in (0, 1), f"{name} must be 0 or 1, got {value}")
    return bool(value)


def positive(name: str, attribute: Attribute) -> int:
    """The value of an integer property that is at least 1."""
    value = int_of(attribute)
    require(value >= 1, f"{name} must be positive, got {value}")
    return value


def float_of(attribute: Attribute) -> float:
    """The value of a floating-point property."""
    return cast(FloatAttr, attribute).value.data


def text_of(name: str, attribute: Attribute, known: Collection[str]) -> str:
    """The value of a string property that is one of `known`."""
    value = cast(StringAttr, attribute).data
    require_one_of(f"unknown {name} '{value}'", value, known)
    return value


def int_array(values: Sequence[int]) -> DenseArrayBase:
    """An `array<i64: ...>` property."""
    return _int_array(tuple(values))


@cache
def _int_array(values: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, values)


def int_attr(value: int) -> IntegerAttr:
    """An i64 property."""
    return IntegerAttr(value, i64)
