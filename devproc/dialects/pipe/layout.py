"""What the axes of an image mean: the encoding of tensors in the user's program."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import describe
from devproc.ir.types import AnyTensor, with_encoding

LETTERS = {"N": "batch", "H": "height", "W": "width", "C": "channels"}
"""What the letters of a layout mean."""


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


def layout_problem(layout: str) -> str | None:
    """Why this string is not a layout; None where it is one."""
    if not layout or any(letter not in LETTERS for letter in layout):
        return f"layout '{layout}' may only have the letters {', '.join(LETTERS)}"
    if len(set(layout)) != len(layout):
        return f"layout '{layout}' names an axis twice"
    return None


def layout_of(type_: Attribute) -> str | None:
    """The letters of a tensor's axes; None where it has plain axes."""
    encoding = getattr(type_, "encoding", None)
    return encoding.letters.data if isinstance(encoding, AxesAttr) else None


def with_layout(type_: AnyTensor, layout: str | None) -> AnyTensor:
    """The same tensor type with axes of this meaning."""
    return with_encoding(type_, AxesAttr.get(layout) if layout else None)


def describe_value(type_: AnyTensor) -> str:
    """A type in a message: `uint8 (480, 640, 3) HWC`."""
    layout = layout_of(type_)
    return describe(type_) + (f" {layout}" if layout else "")
