"""Malformed elementary functions."""

from devproc.dialects.nn.elementary import UNARY
from tests.malformed.cases import Bad

CASES = (
    *(
        Bad(f"{op.name} %0", (f"2x{t}",), (f"2x{t}",), "takes a floating-point operand")
        for op in UNARY
        for t in ("i1", "ui8", "i32")
    ),
    *(
        Bad("nn.atan2 %0, %1", (f"2x{t}",) * 2, (f"2x{t}",), "cast integers first")
        for t in ("i1", "i8", "ui8", "i16", "i32", "i64")
    ),
    *(
        Bad(f"{op} %0, %1", ("2xf16", "2xf32"), ("2xf32",), "must have one dtype")
        for op in ("nn.pow", "nn.atan2")
    ),
    Bad("nn.pow %0, %1", ("2xi1", "2xi1"), ("2xi1",), "nn.pow does not take bool"),
    Bad("nn.pow %0, %1", ("2xf32", "3xf32"), ("2xf32",), "do not broadcast"),
)
