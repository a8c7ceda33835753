"""The parser of all IR text: xDSL's, with two corrections, and faster on types.

In a dense constant, xDSL prints a float without a short decimal form as the hexadecimal
of its bits (`dense<0x7F800000>` is infinity, `dense<0x4B400000>` is 12582912.0) and
reads it back as an integer, 2139095040.0. It also cannot read some ops that it prints, see
`linalg_stand_ins.py`. Text printed by xDSL or MLIR must give the same program; our own
printer avoids both forms.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

import re
from functools import cache
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    IndexType,
    IntegerType,
    ModuleOp,
    RankedStructure,
)
from xdsl.ir import Operation, TypeAttribute
from xdsl.irdl import AttrConstraint, base
from xdsl.parser import Parser
from xdsl.parser.attribute_parser import AttrParser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer

from devproc.errors import CompileError
from devproc.ir.text.linalg_stand_ins import STAND_INS


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
    """xDSL's lexer; an unterminated string is refused in linear time.

    xDSL's own regular expression backtracks exponentially: one line takes hours.
    """

    _unescaped_characters_regex = re.compile(
        r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"'
    )


_INSIDE = r'(?:[^<>"-]|->?|"(?:[^"\\]|\\.)*+"|{})*+'
_SHAPED = re.compile(
    "(?:memref|tensor|vector)<"
    + _INSIDE.format("<" + _INSIDE.format("<" + _INSIDE.format("(?!)") + ">") + ">")
    + ">"
)
"""The text of a type, with brackets three levels deep; `->` closes none."""
_ALIAS = re.compile(r"[#!][A-Za-z_]\w*+(?!\.)")


@cache
def _dense_type() -> AttrConstraint[Any]:
    return base(RankedStructure[IntegerType | IndexType | AnyFloat | ComplexType])


class DevProcParser(Parser):
    """xDSL's parser, where hexadecimal floats in dense constants are bits, as in MLIR.

    It also accepts the result types of a `linalg.generic` as MLIR prints them. A text that
    it has read as a type of a shape is the same type again: reading it anew, number by
    number, would be a third of the time.
    """

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, "", name)
        self._parser_state = ParserState(_Lexer(Input(text, name)))
        self._types: dict[str, TypeAttribute] = {}

    def _parse_optional_builtin_type(self) -> TypeAttribute | None:
        span = self._current_token.span
        match = _SHAPED.match(span.input.content, span.start)
        if match is None:
            return super()._parse_optional_builtin_type()
        text = match.group()
        if text in self._types:
            self._resume_from(match.end())
            return self._types[text]
        found = super()._parse_optional_builtin_type()
        read = span.input.content[span.start : self.pos].rstrip()
        if found is not None and read == text and not _ALIAS.search(text):
            self._types[text] = found
        return found

    def _parse_dense_literal_type(self) -> Any:
        """As xDSL does, which builds the constraint anew for each constant."""
        type_: Any = self.expect(self.parse_optional_type, "dense constant has no type")
        if not _dense_type().verifies(type_):
            self.raise_error(f"dense constant of type {type_}, which has no numbers")
        if DYNAMIC_INDEX in type_.get_shape():
            self.raise_error(f"dense constant of type {type_}, whose shape is dynamic")
        return type_

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        return _Element(element.is_negative, element.value, element.span)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        op_class = super()._get_op_by_name(name)
        return STAND_INS.get(op_class, op_class)


def parse_text(
    text: str | bytes, context: Context, name: str, implicit_module: bool = True
) -> ModuleOp:
    """The module of a text; raises ParseError with the location of an error.

    Raises VerifyException for an invalid attribute, with the location as a note.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise CompileError(f"{name} is not UTF-8 text: {error}") from None
    parser = DevProcParser(context, text, name)
    try:
        return parser.parse_module(implicit_module)
    except ParseError:
        raise
    except VerifyException as error:
        place = parser._current_token.span
        error.add_note(place.print_with_context("refused before this place"))
        raise
    # xDSL raises arbitrary exceptions for malformed text.
    except Exception as error:
        why = f"{type(error).__name__} {error}".strip()
        place = parser._current_token.span
        raise ParseError(place, f"cannot be read here ({why})") from error
