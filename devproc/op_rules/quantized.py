"""Rules of the conversions of quantized numbers."""

from __future__ import annotations

from devproc.dialects.nn.quantized import (
    DequantizeOp,
    QuantizeGroupsOp,
    QuantizeOp,
    RescaleOp,
)
from devproc.op_rules.base import batches, images, reasons, slices
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

CONVERSIONS = (DequantizeOp, QuantizeOp, RescaleOp)
"""The elementwise ops."""

PREPARED = {QuantizeGroupsOp: reasons.PREPARED}

SLICING = dict.fromkeys(CONVERSIONS, slices.elementwise) | PREPARED
BATCH = dict.fromkeys(CONVERSIONS, batches.aligned) | PREPARED
CHANNELS_LAST = dict.fromkeys(CONVERSIONS, images.elementwise) | PREPARED
COST = {
    DequantizeOp: Cost(per_element=3),
    QuantizeGroupsOp: reasons.PREPARED,
    QuantizeOp: Cost(per_element=6),
    RescaleOp: Cost(per_element=8),
}
TOLERANCE = dict.fromkeys(CONVERSIONS, Tolerance.EXACT) | PREPARED
