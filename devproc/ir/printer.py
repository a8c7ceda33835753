"""The printer of every text that DevProc writes: xDSL's, with a short way for strings.

A module with its source locations is mostly strings, which xDSL prints byte by byte.
"""

from __future__ import annotations

import re

from xdsl.printer import Printer

_PLAIN = re.compile(rb"[ !#-\[\]-~]*")


class DevProcPrinter(Printer):
    """xDSL's printer; a string without escapes is printed at once."""

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """A string literal: as it is where xDSL would escape nothing."""
        if _PLAIN.fullmatch(bytestring):
            self.print_string(f'"{bytestring.decode()}"')
        else:
            super().print_bytes_literal(bytestring)
