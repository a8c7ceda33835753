"""Image ops come from the DSL: ATen has no operator that names its reference."""

from __future__ import annotations

from xdsl.ir import Operation

from devproc.dialects.nn.image import NormalizeOp, ResampleOp, ResampleTapsOp, ResizeOp
from devproc.frontends.torch_export.builder import ImportRule

IMPORTS: dict[str, ImportRule] = {}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {
    NormalizeOp: "a step of the DSL; the same in ATen arrives as sub and div",
    ResampleOp: "built by the decomposition of nn.resize",
    ResampleTapsOp: "built by the decomposition of nn.resize",
    ResizeOp: "a step of the DSL, which names the library it equals",
}
"""op class -> why no ATen operator becomes it."""
