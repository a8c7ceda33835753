"""The layout of the weights of the products that make and project the wide image."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp

from devproc.algorithms.register_tile.layout import panel_layout
from devproc.dialects.dev import LayoutAttr, TargetAttr


def line_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> LayoutAttr | None:
    """The panels in which a register tile reads a weight, as in a window of its own."""
    if family != "bottleneck":
        return None
    return panel_layout(generic, index, "window", target)
