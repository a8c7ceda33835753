"""Resampling along an axis with the tap tables of `interpolate`."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import numpy as np
import torch
from xdsl.ir import Attribute, SSAValue

from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.resampling.resample import ResampleOp
from devproc.frontends.torch_export.graph.builder import GraphBuilder
from devproc.ir.types import DTYPES, tensor_of
from devproc.ir.weights.table import Array
from devproc.reference.taps.torch_taps import fixed_point


def resampled(
    b: GraphBuilder, x: SSAValue, axis: int, first: Array, taps: Array
) -> SSAValue:
    """The weighted sums along an axis, in fixed point for uint8."""
    more: dict[str, Attribute] = {}
    if tensor_of(x).element_type == DTYPES["uint8"]:
        taps, bits = fixed_point(taps)
        more["fraction_bits"] = int_attr(bits)
    name = f"constant.{b.node_name}.{axis}"
    starts = b.constant(torch.from_numpy(first.astype(np.int32)), f"{name}.first")
    weights = b.constant(torch.from_numpy(taps), f"{name}.taps")
    return b.emit(ResampleOp.along(x, starts, weights, axis, more=more))
