"""The parser of every text that DevProc reads: xDSL's, with one reading corrected.

In a dense constant, xDSL prints a float without a short decimal form as the hexadecimal
of its bits (`dense<0x7F800000>` is infinity, `dense<0x4B400000>` is 12582912.0) and
reads it back as an integer, 2139095040.0. A stage's text must give the same program.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

import re
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.parser import Parser
from xdsl.parser.attribute_parser import AttrParser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer

from devproc.errors import CompileError


class _Element(AttrParser._TensorLiteralElement):
    """One element of a dense literal, converted once its type is known."""

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        text = self.span.text
        if not isinstance(type, AnyFloat) or text[:2].lower() != "0x":
            return super().to_type(parser, type)
        digits = 2 * type.compile_time_size
        if len(text) > 2 + digits:
            parser.raise_error(f"{type} has {digits} hexadecimal digits", self.span)
        bits = bytes.fromhex(text[2:].zfill(digits))
        return type.unpack(bits[::-1], 1)[0]


class _Lexer(MLIRLexer):
    """xDSL's lexer; a string that does not end is refused in linear time.

    Theirs tries all ways of dividing its characters into runs: one line takes hours.
    """

    _unescaped_characters_regex = re.compile(
        r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"'
    )


class DevProcParser(Parser):
    """xDSL's parser; hexadecimal floats in dense constants are bits, as in MLIR."""

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, "", name)
        self._parser_state = ParserState(_Lexer(Input(text, name)))

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        return _Element(element.is_negative, element.value, element.span)


def parse_text(
    text: str | bytes, context: Context, name: str, implicit_module: bool = True
) -> ModuleOp:
    """The module of a text; raises ParseError with the place of whatever is wrong.

    VerifyException for an attribute that parses and is refused, with the place as a note.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise CompileError(f"{name} is no text in UTF-8: {error}") from None
    parser = DevProcParser(context, text, name)
    try:
        return parser.parse_module(implicit_module)
    except ParseError:
        raise
    except VerifyException as error:
        place = parser._current_token.span
        error.add_note(place.print_with_context("refused before this place"))
        raise
    # xDSL's parser lets pass what its parts raise of malformed text.
    except Exception as error:
        why = f"{type(error).__name__} {error}".strip()
        place = parser._current_token.span
        raise ParseError(place, f"cannot be read here ({why})") from error
