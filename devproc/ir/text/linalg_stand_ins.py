"""Replacements for two ops of xDSL's `linalg`, where it parses or creates them.

xDSL 0.74 prints the result types of a `linalg.generic` with several results in
parentheses, as MLIR does, and parses them only without: it takes
`-> (tensor<2xf32>, tensor<2xi64>)` for a function type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser

from devproc.dialects.linalg_ext.generic import SizedGenericOp


def _parse(kind: type[GenericOp], parser: Parser) -> Any:
    """An op of this kind, also with the types of several results in parentheses."""
    parse_list = parser.parse_comma_separated_list

    def parse_types(delimiter: Any, parse: Any, *rest: Any) -> list[Any]:
        # The result types are the only list that xDSL reads as attributes.
        is_types = parse == parser.parse_attribute
        if is_types and parser.parse_optional_punctuation("("):
            types = parse_list(delimiter, parse, *rest)
            parser.parse_punctuation(")")
            return types
        return parse_list(delimiter, parse, *rest)

    setattr(parser, parse_list.__name__, parse_types)
    try:
        return kind.parse(parser)
    finally:
        delattr(parser, parse_list.__name__)


class ReadableGenericOp(GenericOp):
    """Replaces `linalg.generic` in the parser; creates xDSL's op."""

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        return _parse(GenericOp, parser)


class ReadableSizedGenericOp(SizedGenericOp):
    """The same for `linalg_ext.generic`."""

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        return _parse(SizedGenericOp, parser)


class PlainFillOp(FillOp):
    """Replaces `linalg.fill`, also where passes create one.

    xDSL creates its hidden region with an implicit builder, which temporarily patches a
    method of all operations: two threads that compile at once, or a process forked
    meanwhile, could be left with the patched method.
    """

    @classmethod
    def get_hidden_region(
        cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> Region:
        """A block that yields the number."""
        block = Block(arg_types=cls.body_arg_types((*inputs, *outputs)))
        block.add_op(YieldOp(block.args[0]))
        return Region(block)


STAND_INS: Mapping[type[Operation], type[Operation]] = {
    GenericOp: ReadableGenericOp,
    SizedGenericOp: ReadableSizedGenericOp,
    FillOp: PlainFillOp,
}
"""xDSL's op -> the class by which our parser creates it."""
