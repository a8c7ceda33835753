"""The kinds of schedule fields: their values, constraints, parsing and printing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from io import StringIO
from math import isfinite
from typing import Any, TypeAlias, cast

from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from devproc.errors import did_you_mean

Value: TypeAlias = "int | float | str | Attribute | tuple[Value, ...] | None"
"""The value of a field: number, keyword, flag, attribute, list of these, or None."""

NONE = "none"


@dataclass(eq=False)
class Field:
    """One field of a schedule. `meaning`: its description, with the unit.

    `digits`: whether another value may change the last digits of results, so that a
    tuner must keep it. `optional`: whether `none` is a value.
    """

    meaning: str
    _: KW_ONLY
    digits: bool = False
    optional: bool = False

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def description(self) -> str:
        """The meaning of the field, and whether a tuner keeps it."""
        return self.meaning + " Changes digits: a tuner keeps it." * self.digits

    def problem(self, value: Value) -> str | None:
        """Why the field cannot have a value; None if it can."""
        if self.optional if value is None else self.allows(value):
            return None
        return f"'{self.name}' must be {self.wanted_or_none}, not {self.text(value)}"

    def text(self, value: Value) -> str:
        """A value as it prints."""
        stream = StringIO()
        if self.allows(value):
            self.print(Printer(stream), value)
        else:
            stream.write(NONE if value is None else str(value))
        return stream.getvalue()

    @property
    def wanted_or_none(self) -> str:
        """The values that the field accepts, in words."""
        return self.wanted + (f", or {NONE}" if self.optional else "")

    @property
    def wanted(self) -> str:
        """The values that the field accepts other than `none`, in words."""
        raise NotImplementedError

    def neighbours(self, value: Value) -> list[Value]:
        """Neighbouring values of one, for a tuner to try; empty for most kinds."""
        return []

    def allows(self, value: Value) -> bool:
        """Whether a value other than `none` is one of the field's."""
        raise NotImplementedError

    def parse(self, parser: AttrParser) -> Value:
        """Parse the value after `name =`."""
        if self.optional and parser.parse_optional_keyword(NONE) is not None:
            return None
        return self.parse_value(parser)

    def parse_value(self, parser: AttrParser) -> Value:
        """Parse a value other than `none`."""
        raise NotImplementedError

    def print(self, printer: Printer, value: Value) -> None:
        """Print a value, including `none`."""
        if value is None:
            printer.print_string(NONE)
        else:
            self.print_value(printer, value)

    def print_value(self, printer: Printer, value: Value) -> None:
        """Print a value other than `none`."""
        printer.print_string(str(value))

    def refuse(self, parser: AttrParser) -> Any:
        """Raise the parse error of a value that the field does not accept."""
        parser.raise_error(f"the field '{self.name}' must be {self.wanted_or_none}")


@dataclass(eq=False)
class Count(Field):
    """An integer from `least` to `most`; with `power`, a power of two."""

    _: KW_ONLY
    least: int = 1
    most: int | None = None
    power: bool = False

    @property
    def wanted(self) -> str:
        if self.least == self.most:
            return str(self.least)
        kind = "a power of two" if self.power else "a number"
        return f"{kind}, {span(self.least, self.most)}"

    def allows(self, value: Value) -> bool:
        # bool is a subclass of int.
        if type(value) is not int or value < self.least:
            return False
        if self.most is not None and value > self.most:
            return False
        return not (self.power and value & (value - 1))

    def neighbours(self, value: Value) -> list[Value]:
        if not isinstance(value, int):
            return []
        near = (value // 2, value - 1, value + 1, 2 * value)
        return [v for v in dict.fromkeys(near) if v != value and self.allows(v)]

    def parse_value(self, parser: AttrParser) -> Value:
        number = parser.parse_optional_integer(allow_boolean=False)
        return self.refuse(parser) if number is None else number


@dataclass(eq=False)
class Word(Field):
    """One of a fixed set of keywords."""

    words: Sequence[str] = ()

    @property
    def wanted(self) -> str:
        return one_of(self.words)

    def allows(self, value: Value) -> bool:
        return value in self.words

    def neighbours(self, value: Value) -> list[Value]:
        return [word for word in self.words if word != value]

    def parse_value(self, parser: AttrParser) -> Value:
        start = parser.pos
        word = parser.parse_optional_identifier()
        if word is None:
            return self.refuse(parser)
        if word not in self.words:
            problem = f"the field '{self.name}' must be {self.wanted_or_none}"
            close = did_you_mean(word, self.words)
            parser.raise_error(problem + close, start, parser.pos)
        return word


@dataclass(eq=False)
class Flag(Field):
    """`yes` or `no`: True or False in Python."""

    @property
    def wanted(self) -> str:
        return "yes or no"

    def allows(self, value: Value) -> bool:
        return isinstance(value, bool)

    def neighbours(self, value: Value) -> list[Value]:
        return [not value]

    def parse_value(self, parser: AttrParser) -> Value:
        word = parser.parse_optional_keyword_in(("yes", "no"))
        return self.refuse(parser) if word is None else word == "yes"

    def print_value(self, printer: Printer, value: Value) -> None:
        printer.print_string("yes" if value else "no")


@dataclass(eq=False)
class Time(Field):
    """A time in microseconds, above zero."""

    @property
    def wanted(self) -> str:
        return "a finite time above zero, in microseconds"

    def allows(self, value: Value) -> bool:
        return (
            type(value) in (int, float) and isfinite(v := cast(float, value)) and v > 0
        )

    def parse_value(self, parser: AttrParser) -> Value:
        number = parser.parse_optional_number(allow_boolean=False)
        return self.refuse(parser) if number is None else float(number)

    def print_value(self, printer: Printer, value: Value) -> None:
        printer.print_string(float_text(cast(float, value)))


def float_text(value: float) -> str:
    """A float as the parser reads it: with a decimal point even before an exponent."""
    mantissa, mark, exponent = repr(float(value)).partition("e")
    return mantissa if not mark else f"{float(mantissa)}e{exponent}"


@dataclass(eq=False)
class Nested(Field):
    """An attribute of one of several classes."""

    classes: tuple[type[Attribute], ...] = ()

    @property
    def wanted(self) -> str:
        names = [vars(class_).get("name") for class_ in self.classes]
        return one_of([f"#{name}" if name else "a schedule" for name in names])

    def allows(self, value: Value) -> bool:
        return isinstance(value, self.classes)

    def parse_value(self, parser: AttrParser) -> Value:
        found = parser.parse_optional_attribute()
        return self.refuse(parser) if found is None else found

    def print_value(self, printer: Printer, value: Value) -> None:
        printer.print_attribute(cast(Attribute, value))


@dataclass(eq=False)
class ListOf(Field):
    """A list of `least` to `most` values of one kind."""

    item: Field
    _: KW_ONLY
    least: int = 0
    most: int | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        self.item.__set_name__(owner, name)

    @property
    def wanted(self) -> str:
        size = span(self.least, self.most)
        return f"a list of {size}, each {self.item.wanted_or_none}"

    def allows(self, value: Value) -> bool:
        return (
            isinstance(value, tuple)
            and self.least <= len(value)
            and (self.most is None or len(value) <= self.most)
            and not any(self.item.problem(item) for item in value)
        )

    def text(self, value: Value) -> str:
        if not isinstance(value, tuple):
            return super().text(value)
        return f"[{', '.join(map(self.item.text, value))}]"

    def parse_value(self, parser: AttrParser) -> Value:
        found = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: self.item.parse(parser)
        )
        return self.refuse(parser) if found is None else tuple(found)

    def print_value(self, printer: Printer, value: Value) -> None:
        with printer.in_square_brackets():
            printer.print_list(
                cast("tuple[Value, ...]", value),
                lambda item: self.item.print(printer, item),
            )


def span(least: int, most: int | None) -> str:
    """`1 or more`, `1 to 4`, `2`."""
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def one_of(names: Sequence[str]) -> str:
    """`a, b or c`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def count(
    meaning: str,
    *,
    least: int = 1,
    most: int | None = None,
    digits: bool = False,
    optional: bool = False,
) -> Any:
    """A field that is an integer."""
    return Count(meaning, least=least, most=most, digits=digits, optional=optional)


def power(
    meaning: str, *, least: int = 1, most: int | None = None, digits: bool = False
) -> Any:
    """A field that is a power of two."""
    return Count(meaning, least=least, most=most, power=True, digits=digits)


def counts(
    meaning: str,
    *,
    least: int = 1,
    length: tuple[int, int | None] = (0, None),
    digits: bool = False,
    optional: bool = False,
) -> Any:
    """A field that is a list of integers; `length`: the smallest and largest length."""
    item = Count(meaning, least=least)
    fewest, most = length
    return ListOf(
        meaning, item, least=fewest, most=most, digits=digits, optional=optional
    )


def word(
    meaning: str, *words: str, digits: bool = False, optional: bool = False
) -> Any:
    """A field that is one of several keywords."""
    return Word(meaning, words, digits=digits, optional=optional)


def flag(meaning: str, *, digits: bool = False) -> Any:
    """A field that is yes or no."""
    return Flag(meaning, digits=digits)


def time(meaning: str) -> Any:
    """A field that is a time in microseconds, or none."""
    return Time(meaning, optional=True)


def nested(
    meaning: str,
    *classes: type[Attribute],
    digits: bool = False,
    optional: bool = False,
) -> Any:
    """A field that is an attribute of one of these classes."""
    return Nested(meaning, classes, digits=digits, optional=optional)


def nested_list(meaning: str, *classes: type[Attribute]) -> Any:
    """A field that is a list of one or more attributes of these classes."""
    return ListOf(meaning, Nested(meaning, classes), least=1)
