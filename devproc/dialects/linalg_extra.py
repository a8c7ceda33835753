"""xDSL's `linalg` dialect, able to read back its own text, with the ops that have an order.

xDSL 0.74 prints the result types of a `linalg.generic` with several results in
parentheses, as MLIR does, and parses them only without: it takes
`-> (tensor<2xf32>, tensor<2xi64>)` for a function type. A stage's text must parse.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects import linalg
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Dialect
from xdsl.parser import Parser

from devproc.dialects.linalg_order import FirstPlacesOp, KthValueOp, SortOp
from devproc.dialects.linalg_scan import ScanOp
from devproc.dialects.linalg_sequential import NmsOp, ScatterOp


class ReadableGenericOp(GenericOp):
    """Stands in for `linalg.generic` in the parser; what it makes is xDSL's op."""

    @classmethod
    def parse(cls, parser: Parser) -> Any:
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
            return GenericOp.parse(parser)
        finally:
            delattr(parser, parse_list.__name__)


OPERATIONS = linalg.Linalg.operations

LINALG = Dialect(
    "linalg",
    [
        *(ReadableGenericOp if op is GenericOp else op for op in OPERATIONS),
        *(FirstPlacesOp, KthValueOp, NmsOp, ScanOp, ScatterOp, SortOp),
    ],
    list(linalg.Linalg.attributes),
)
