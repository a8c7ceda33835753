"""Properties of steps from the arguments that a user gave, by the kind of argument.

Each function takes the step's name and arguments by property name, refuses what is not of
the kind, and returns the properties.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import FloatAttr, StringAttr, f64
from xdsl.ir import Attribute

from devproc.dialects.nn.base import int_array, int_attr
from devproc.frontends.user_input import integer, integers, number, text

Properties = Mapping[str, Attribute]


def of_texts(step: str, **given: object) -> Properties:
    """Strings that are not empty."""
    return {name: StringAttr(text(step, name, v)) for name, v in given.items()}


def of_integers(step: str, **given: object) -> Properties:
    """Integers."""
    return {name: int_attr(integer(step, name, v)) for name, v in given.items()}


def of_sizes(step: str, **given: object) -> Properties:
    """Tuples of integers."""
    return {name: int_array(integers(step, name, v)) for name, v in given.items()}


def of_numbers(step: str, **given: object) -> Properties:
    """Numbers, as float64."""
    return {name: FloatAttr(number(step, name, v), f64) for name, v in given.items()}
