"""Packing of weights into the layouts of the algorithms."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from devproc.dialects.dev import (
    BlockFloatAttr,
    InnerProductAttr,
    Layout,
    LayoutAttr,
    StrassenAttr,
    WeightOnlyAttr,
    WinogradAttr,
    WinogradLineAttr,
)
from devproc.reference.conversion.packing import block_float as block_float
from devproc.reference.conversion.packing import inner_product as inner_product
from devproc.reference.conversion.packing import register_tile as register_tile
from devproc.reference.conversion.packing import strassen as strassen
from devproc.reference.conversion.packing import weight_only as weight_only
from devproc.reference.conversion.packing import winograd as winograd
from devproc.reference.conversion.packing import winograd_line as winograd_line

PACKERS: dict[type[Layout], Callable[..., Tensor]] = {
    BlockFloatAttr: block_float.pack,
    InnerProductAttr: inner_product.pack,
    LayoutAttr: register_tile.pack,
    StrassenAttr: strassen.pack,
    WeightOnlyAttr: weight_only.pack,
    WinogradAttr: winograd.pack,
    WinogradLineAttr: winograd_line.pack,
}
"""Layout -> its packing in PyTorch, a function of the layout and of what `nn.pack` takes."""
