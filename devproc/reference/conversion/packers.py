"""Packing of weights into the layouts of the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from devproc.algorithms.block_float import pack as block_float
from devproc.algorithms.inner_product import pack as inner_product
from devproc.algorithms.register_tile import pack as register_tile
from devproc.algorithms.strassen import pack as strassen
from devproc.algorithms.winograd import pack as winograd
from devproc.algorithms.winograd_line import pack as winograd_line
from devproc.dialects.dev import (
    BlockFloatAttr,
    InnerProductAttr,
    Layout,
    LayoutAttr,
    StrassenAttr,
    WinogradAttr,
    WinogradLineAttr,
)

PACKERS: dict[type[Layout], Callable[[Any, Tensor], Tensor]] = {
    BlockFloatAttr: block_float.pack,
    InnerProductAttr: inner_product.pack,
    LayoutAttr: register_tile.pack,
    StrassenAttr: strassen.pack,
    WinogradAttr: winograd.pack,
    WinogradLineAttr: winograd_line.pack,
}
"""Layout -> its packing in PyTorch, a function of the layout and the weight."""
