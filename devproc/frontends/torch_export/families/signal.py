"""Complex numbers and Fourier transforms; tables of signal processing."""

from __future__ import annotations

from xdsl.ir import Operation

from devproc.dialects.nn.signal import OPS
from devproc.frontends.torch_export.complex.complex_numbers import ONLY_COMPLEX
from devproc.frontends.torch_export.graph.builder import ImportRule

IMPORTS: dict[str, ImportRule] = {**ONLY_COMPLEX}
"""ATen overload -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    op: "a table of the DSL's steps on sound" for op in OPS
}
"""op class -> why no ATen operator is imported as it."""
