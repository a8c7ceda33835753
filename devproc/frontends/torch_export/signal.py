"""Tables of signal processing: no ATen operator gives them."""

from __future__ import annotations

from xdsl.ir import Operation

from devproc.dialects.nn.signal import OPS

NO_IMPORT: dict[type[Operation], str] = {
    op: "a table of the DSL's steps on sound" for op in OPS
}
"""op class -> why no ATen operator becomes it."""
