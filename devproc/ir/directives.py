"""Custom directives of the declarative formats: plain numbers and lists of them.

xDSL prints an integer array property as `array<i64: 1, 1>`; `custom<Ints>($stride)`
prints it as `[1, 1]`.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


class Plain(CustomDirective):
    """The text of one property, after a space."""

    value: AttributeVariable

    def read(self, parser: Parser) -> Attribute:
        """Parses the property."""
        raise NotImplementedError

    def write(self, printer: Printer, property: Any) -> None:
        """Prints the property."""
        raise NotImplementedError

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.value.set(state, self.read(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        self.write(printer, self.value.get(op))


@irdl_custom_directive
class Ints(Plain):
    """An i64 array property as `[1, -2]`."""

    value: AttributeVariable

    def read(self, parser: Parser) -> Attribute:
        square = parser.Delimiter.SQUARE
        values = parser.parse_comma_separated_list(square, parser.parse_integer)
        return DenseArrayBase.from_list(i64, values)

    def write(self, printer: Printer, property: Any) -> None:
        printer.print_string(str(list(property.get_values())))


@irdl_custom_directive
class Floats(Plain):
    """An f64 array property as `[0.5, 1.0]`, with enough digits to round-trip."""

    value: AttributeVariable

    def read(self, parser: Parser) -> Attribute:
        square = parser.Delimiter.SQUARE
        values = parser.parse_comma_separated_list(square, parser.parse_number)
        return DenseArrayBase.from_list(f64, [float(value) for value in values])

    def write(self, printer: Printer, property: Any) -> None:
        texts = map(_float_literal, property.get_values())
        printer.print_string(f"[{', '.join(texts)}]")


@irdl_custom_directive
class Int(Plain):
    """An i64 property as `3`."""

    value: AttributeVariable

    def read(self, parser: Parser) -> Attribute:
        return IntegerAttr(parser.parse_integer(), i64)

    def write(self, printer: Printer, property: Any) -> None:
        printer.print_string(str(property.value.data))


@irdl_custom_directive
class Dense(Plain):
    """The elements of a constant, as `dense<[0.5, 1.0]> : tensor<2xf32>`.

    xDSL prints an infinity or NaN as `0x7f800000` and reads that back as 2.1e+09: such
    elements are printed as bytes, `dense<"0x0000807F"> : tensor<f32>`.
    """

    value: AttributeVariable

    def read(self, parser: Parser) -> Attribute:
        return parser.parse_attribute()

    def write(self, printer: Printer, property: Any) -> None:
        value = cast(DenseIntOrFPElementsAttr, property)
        if all(isfinite(cast(float, element)) for element in value.get_values()):
            printer.print_attribute(value)
            return
        printer.print_string(f'dense<"0x{value.data.data.hex().upper()}"> : ')
        printer.print_attribute(value.type)


@irdl_custom_directive
class Text(Plain):
    """A string property as `"pillow"`."""

    value: AttributeVariable

    def read(self, parser: Parser) -> Attribute:
        return StringAttr(parser.parse_str_literal())

    def write(self, printer: Printer, property: Any) -> None:
        printer.print_string_literal(property.data)


def _float_literal(value: float) -> str:
    """`repr` with the point that the parser requires: 1e-05 becomes 1.0e-05."""
    text = repr(value)
    if "e" in text and "." not in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa}.0e{exponent}"
    return text
