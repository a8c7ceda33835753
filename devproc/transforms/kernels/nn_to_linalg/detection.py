"""Non-maximum suppression: one op with sequential iterations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import StringAttr, f32, i64
from xdsl.ir import Operation, SSAValue

from devproc.dialects.linalg_ext.sequential import NmsOp
from devproc.dialects.nn import detection as nn
from devproc.dialects.nn.base import int_of
from devproc.ir.program.structured import FAMILY
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering

MOST_LANES = 16
"""Buffers of kept boxes are a multiple of this, so that whole vectors are read."""


def lower_nms(op: Operation, lowering: Lowering) -> Sequence[SSAValue]:
    """`linalg_ext.nms` with buffers for the candidates and kept boxes of each image."""
    assert isinstance(op, nn.NmsOp)
    images, n, c = tensor_of(op.scores).get_shape()
    most = int_of(op.max_n)
    padded = -(-most // MOST_LANES) * MOST_LANES
    room = [
        lowering.empty(shape, element)
        for shape, element in (
            ((images, most), i64),
            ((images,), i64),
            ((images, n * c), i64),
            ((images, 5, padded), f32),
            ((images, padded), i64),
        )
    ]
    overlap, least = nn.thresholds_of(op.properties)
    nms = NmsOp(
        [op.boxes, lowering.view(op.scores, (images, n * c))],
        op.classes and lowering.view(op.classes, (images, n * c)),
        room,
        (float_below(overlap), float(np.float32(least))),
        bool(int_of(op.agnostic)),
        op.iom,
    )
    nms.attributes[FAMILY] = StringAttr("nms")
    lowering.append(nms)
    return nms.results[:2]


def float_below(value: float) -> float:
    """The largest float32 <= value: a float32 exceeds one iff it exceeds the other."""
    nearest = np.float32(value)
    if float(nearest) <= value:
        return float(nearest)
    return float(np.nextafter(nearest, np.float32(-math.inf)))


LOWERINGS = {nn.NmsOp: lower_nms}

NO_LOWERING: Mapping[type[Operation], str] = {}
