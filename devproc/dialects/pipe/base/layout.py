"""The meaning of axes: the encoding of tensors in the user's program."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import describe, require
from devproc.ir.types import (
    AnyTensor,
    is_bool,
    is_float,
    is_unsigned,
    item_size,
    with_encoding,
)

LETTERS = {"N": "batch", "H": "height", "W": "width", "C": "channels"}
"""The meaning of the letters of a layout."""


@irdl_attr_definition
class AxesAttr(ParametrizedAttribute):
    """The meaning of each axis of a tensor, outermost first: `#pipe.axes<"HWC">`."""

    name = "pipe.axes"

    letters: StringAttr = param_def()

    @staticmethod
    def get(letters: str) -> AxesAttr:
        """The attribute for this string of letters."""
        return AxesAttr(StringAttr(letters))

    def verify(self) -> None:
        message = layout_problem(self.letters.data)
        if message is not None:
            raise VerifyException(message)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (StringAttr(parser.parse_str_literal()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.letters.data)


@irdl_attr_definition
class BoundedAttr(ParametrizedAttribute):
    """Marks a tensor with an accompanying count, the number of valid rows along one
    axis: `#pipe.bounded<0>`, with layout `#pipe.bounded<1, "NHWC">`.

    The axes before the bounded one are those of the count. Rows from the count on are
    padding: 0, or -1 if the values are classes or indices.
    """

    name = "pipe.bounded"

    axis: IntAttr = param_def()
    letters: StringAttr = param_def()

    @staticmethod
    def get(axis: int, letters: str = "") -> BoundedAttr:
        """The attribute for this axis and, where the axes have one, this meaning."""
        return BoundedAttr(IntAttr(axis), StringAttr(letters))

    def verify(self) -> None:
        message = layout_problem(self.letters.data) if self.letters.data else None
        if message is not None or self.axis.data < 0:
            raise VerifyException(message or "a bounded axis is counted from the front")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            axis = parser.parse_integer()
            has_letters = parser.parse_optional_punctuation(",") is not None
            letters = parser.parse_str_literal() if has_letters else ""
        return (IntAttr(axis), StringAttr(letters))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.axis.data))
            if self.letters.data:
                printer.print_string(", ")
                printer.print_string_literal(self.letters.data)


def layout_problem(layout: str) -> str | None:
    """Why this string is not a layout; None if it is one."""
    if not layout or any(letter not in LETTERS for letter in layout):
        return f"layout '{layout}' may only have the letters {', '.join(LETTERS)}"
    if len(set(layout)) != len(layout):
        return f"layout '{layout}' names an axis twice"
    return None


def layout_of(type_: Attribute) -> str | None:
    """The letters of a tensor's axes; None if it has plain axes."""
    encoding = getattr(type_, "encoding", None)
    if isinstance(encoding, AxesAttr | BoundedAttr):
        return encoding.letters.data or None
    return None


def bounded_axis(type_: Attribute) -> int | None:
    """The bounded axis; None if the tensor is not bounded."""
    encoding = getattr(type_, "encoding", None)
    return encoding.axis.data if isinstance(encoding, BoundedAttr) else None


def image_axes(step: str, type_: AnyTensor) -> tuple[int, int]:
    """The numbers of the axes H and W; raises VerifyException without them."""
    layout = layout_of(type_) or ""
    require(
        "H" in layout and "W" in layout,
        f"{step} needs axes H and W, got {describe_value(type_)}",
    )
    return layout.index("H"), layout.index("W")


def image_size(step: str, type_: AnyTensor) -> tuple[int, int]:
    """Height and width of an image; raises VerifyException for other values."""
    height, width = image_axes(step, type_)
    return type_.get_shape()[height], type_.get_shape()[width]


def with_layout(type_: AnyTensor, layout: str | None) -> AnyTensor:
    """The same tensor type with axes of this meaning."""
    return with_encoding(type_, AxesAttr.get(layout) if layout else None)


def with_bound(type_: AnyTensor, axis: int | None) -> AnyTensor:
    """The same tensor type and layout, bounded along an axis."""
    if axis is None:
        return with_layout(type_, layout_of(type_))
    return with_encoding(type_, BoundedAttr.get(axis, layout_of(type_) or ""))


def describe_value(type_: AnyTensor) -> str:
    """A type in a message: `uint8 (480, 640, 3) HWC`."""
    layout, axis = layout_of(type_), bounded_axis(type_)
    bound = "" if axis is None else f" bounded along axis {axis}"
    return describe(type_) + (f" {layout}" if layout else "") + bound


def require_value(step: str, type_: AnyTensor, value: float) -> None:
    """Require that the dtype can represent a number."""
    element = type_.element_type
    if is_float(element):
        return
    bits = 1 if is_bool(element) else 8 * item_size(element)
    low = 0 if is_unsigned(element) or is_bool(element) else -(2 ** (bits - 1))
    require(
        isfinite(value) and value == int(value) and low <= value < low + 2**bits,
        f"{step} of {describe_value(type_)} with {value:g}, which its dtype does not have",
    )
