"""The layout of the weights of the products that expand and project the image."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp

from devproc.dialects.dev import LayoutAttr, TargetAttr
from devproc.targets.cpu.algorithms.register_tile.layout import panel_layout


def line_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> LayoutAttr | None:
    """The panels of a register tile, as for a separate convolution."""
    if family != "bottleneck":
        return None
    return panel_layout(generic, index, "window", target)
