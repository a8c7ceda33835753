"""Options in text: `<arch = "sm_90", interpret = 0>`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer


class OptionsAttr(ParametrizedAttribute):
    """The base of a device's options in `dev.target`: parameters by name.

    Each is a string, a number or a list of strings. Text gives them in any order, and
    leaves out those that are as usual.
    """

    @classmethod
    def fields(cls) -> list[str]:
        """The parameters, in the order in which they are defined."""
        return [name for name, _ in cls.get_irdl_definition().parameters]

    @classmethod
    def usual(cls, given: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """The values of what text may leave out, which may depend on what it gives."""
        return {}

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        fields, given = cls.fields(), dict[str, Attribute]()

        def parse_field() -> None:
            name = parser.parse_identifier()
            if name in given or name not in fields:
                problem = "is given twice" if name in given else "does not exist"
                parser.raise_error(f"the option '{name}' of #{cls.name} {problem}")
            parser.parse_punctuation("=")
            given[name] = parse_option(parser)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        values = {**cls.usual(given), **given}
        for name in fields:
            if name not in values:
                parser.raise_error(f"#{cls.name} needs the option '{name}'")
        return [values[name] for name in fields]

    def print_parameters(self, printer: Printer) -> None:
        values: dict[str, Attribute] = {n: getattr(self, n) for n in self.fields()}
        usual = self.usual(values)
        shown = [(n, value) for n, value in values.items() if value != usual.get(n)]
        with printer.in_angle_brackets():
            printer.print_list(shown, lambda pair: print_option(printer, *pair))


def parse_option(parser: AttrParser) -> Attribute:
    """The value of an option: a string, a list of strings, or a number."""
    if (text := parser.parse_optional_str_literal()) is not None:
        return StringAttr(text)
    names = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_str_literal
    )
    if names is not None:
        return ArrayAttr([StringAttr(name) for name in names])
    return IntAttr(parser.parse_integer())


def print_option(printer: Printer, name: str, value: Attribute) -> None:
    """Prints `name = value`."""
    printer.print_identifier_or_string_literal(name)
    printer.print_string(" = ")
    if isinstance(value, IntAttr):
        printer.print_string(str(cast("IntAttr[int]", value).data))
    else:
        printer.print_attribute(value)
