"""No ATen operator is imported as an op on boxes."""

from __future__ import annotations

from xdsl.ir import Operation

from devproc.dialects.nn.detection import NmsOp
from devproc.frontends.torch_export.graph.builder import ImportRule

IMPORTS: dict[str, ImportRule] = {}
"""ATen overload -> import rule."""

NO_IMPORT: dict[type[Operation], str] = {
    NmsOp: "`torchvision::nms` has a result of unknown size; the DSL's `nms` bounds it",
}
"""op class -> why no ATen operator is imported as it."""
