"""Custom directives of the declarative formats: plain numbers and lists of them.

xDSL prints an integer array property as `array<i64: 1, 1>`; `custom<Ints>($stride)`
prints it as `[1, 1]`, as a reader expects.
"""

from __future__ import annotations

from math import isfinite
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float64Type,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f64,
    i64,
)
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


@irdl_custom_directive
class Ints(CustomDirective):
    """An i64 array property as `[1, -2]`."""

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        values = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_integer
        )
        self.value.set(state, DenseArrayBase.from_list(i64, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        array = cast(DenseArrayBase[IntegerType], self.value.get(op))
        printer.print_string(str(list(array.get_values())))


@irdl_custom_directive
class Floats(CustomDirective):
    """An f64 array property as `[0.5, 1.0]`, digits enough to round-trip."""

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        values = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: float(parser.parse_number())
        )
        self.value.set(state, DenseArrayBase.from_list(f64, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        array = cast(DenseArrayBase[Float64Type], self.value.get(op))
        values = array.get_values()
        printer.print_string("[" + ", ".join(_float_literal(v) for v in values) + "]")


@irdl_custom_directive
class Int(CustomDirective):
    """An i64 property as `3`."""

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.value.set(state, IntegerAttr(parser.parse_integer(), i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(str(cast(IntegerAttr, self.value.get(op)).value.data))


@irdl_custom_directive
class Dense(CustomDirective):
    """The elements of a constant, as `dense<[0.5, 1.0]> : tensor<2xf32>`.

    xDSL prints an infinity or NaN as `0x7f800000` and reads that back as 2.1e+09: such
    elements are printed as bytes, `dense<"0x0000807F"> : tensor<f32>`.
    """

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.value.set(state, parser.parse_attribute())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        value = cast(DenseIntOrFPElementsAttr, self.value.get(op))
        if all(isfinite(cast(float, element)) for element in value.get_values()):
            printer.print_attribute(value)
            return
        printer.print_string(f'dense<"0x{value.data.data.hex().upper()}"> : ')
        printer.print_attribute(value.type)


@irdl_custom_directive
class Text(CustomDirective):
    """A string property as `"pillow"`."""

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.value.set(state, StringAttr(parser.parse_str_literal()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string_literal(cast(StringAttr, self.value.get(op)).data)


def _float_literal(value: float) -> str:
    """`repr` with the point that the parser wants: 1e-05 becomes 1.0e-05."""
    text = repr(value)
    if "e" in text and "." not in text:
        mantissa, exponent = text.split("e")
        return f"{mantissa}.0e{exponent}"
    return text
