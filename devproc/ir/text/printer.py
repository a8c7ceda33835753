"""The printer of all IR text: xDSL's, made faster.

A module with source locations consists mostly of strings, which xDSL prints byte by byte,
and of repeated types and locations. Where xDSL 0.74 cannot read what it prints, another
form is printed, so that its tools read our text:

- the types of several results of a `linalg.generic` (see `linalg_stand_ins.py`): such an
  op has the generic form;
- hexadecimal floats in dense constants, read back as integers: finite numbers are
  decimal, a constant with others is printed as its bytes, `dense<"0x0000807F">`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, cast

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

_PLAIN = re.compile(rb"[ !#-\[\]-~]*")


@dataclass(eq=False, repr=False)
class DevProcPrinter(Printer):
    """xDSL's printer, with a fast path for strings and a cache of attributes."""

    _texts: dict[tuple[int, bool], tuple[Attribute, str]] = field(
        default_factory=dict[tuple[int, bool], tuple[Attribute, str]], init=False
    )

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """A string literal, printed as a whole if it needs no escapes."""
        if _PLAIN.fullmatch(bytestring):
            self.print_string(f'"{bytestring.decode()}"')
        else:
            super().print_bytes_literal(bytestring)

    def print_op(self, op: Operation) -> None:
        """An op; a `linalg.generic` with several results in the generic form."""
        if isinstance(op, GenericOp) and len(op.results) > 1:
            self._print_results(op)
            self.print_string(f'"{op.name}"')
            self.print_op_with_default_format(op)
        else:
            super().print_op(op)

    def print_float(self, value: float, type: AnyFloat) -> None:
        """A number: in decimal if it is finite, otherwise as its bits."""
        text = self._captured(super().print_float, value, type)
        is_bits = text.startswith("0x") and isfinite(value)
        self.print_string(repr(value) if is_bits else text)

    def print_attribute(self, attribute: Attribute) -> None:
        """An attribute, whose text is cached."""
        # A nested location has another form.
        key = (id(attribute), self.printing_location)
        if key not in self._texts:
            # Keeping the attribute ensures that its address is not reused.
            self._texts[key] = (attribute, self._text_of(attribute))
        self.print_string(self._texts[key][1])

    def _text_of(self, attribute: Attribute) -> str:
        bits = _bits_of(attribute)
        if bits is not None:
            return f'dense<"0x{bits[0]}"> : {self._text_of(bits[1])}'
        return self._captured(super().print_attribute, attribute)

    def _captured(self, print_it: Callable[..., None], *args: Any) -> str:
        """The text that a method prints."""
        stream, column = self.stream, self._current_column
        self.stream = captured = io.StringIO()
        print_it(*args)
        self.stream, self._current_column = stream, column
        return captured.getvalue()


def _bits_of(attribute: Attribute) -> tuple[str, Attribute] | None:
    """The bytes and the type of a dense constant with an infinity or a NaN; else None."""
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        return None
    dense = cast("DenseIntOrFPElementsAttr[Any]", attribute)
    element, data = dense.get_element_type(), dense.data.data
    numbers = cast("Iterator[float]", dense.iter_values())
    if not isinstance(element, AnyFloat) or all(map(isfinite, numbers)):
        return None
    size = element.compile_time_size if dense.is_splat() else len(data)
    return data[:size].hex().upper(), cast(Attribute, dense.type)
