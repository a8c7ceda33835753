"""The printer of every text that DevProc writes: xDSL's, with short ways.

A module with its source locations is mostly strings, which xDSL prints byte by byte, and
the same types and locations again and again.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field

from xdsl.ir import Attribute
from xdsl.printer import Printer

_PLAIN = re.compile(rb"[ !#-\[\]-~]*")


@dataclass(eq=False, repr=False)
class DevProcPrinter(Printer):
    """xDSL's printer; a string without escapes is printed at once, an attribute once."""

    _texts: dict[tuple[int, bool], tuple[Attribute, str]] = field(
        default_factory=dict[tuple[int, bool], tuple[Attribute, str]], init=False
    )

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """A string literal: as it is where xDSL would escape nothing."""
        if _PLAIN.fullmatch(bytestring):
            self.print_string(f'"{bytestring.decode()}"')
        else:
            super().print_bytes_literal(bytestring)

    def print_attribute(self, attribute: Attribute) -> None:
        """An attribute: its text, where it has been printed before."""
        # A location within another has another form.
        key = (id(attribute), self.printing_location)
        if key not in self._texts:
            # The attribute is kept, so that its address stays its own.
            self._texts[key] = (attribute, self._text_of(attribute))
        self.print_string(self._texts[key][1])

    def _text_of(self, attribute: Attribute) -> str:
        stream, column = self.stream, self._current_column
        self.stream = captured = io.StringIO()
        super().print_attribute(attribute)
        self.stream, self._current_column = stream, column
        return captured.getvalue()
