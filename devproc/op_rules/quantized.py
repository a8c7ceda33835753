"""Rules of the conversions of quantized numbers."""

from __future__ import annotations

from devproc.dialects.nn.quantized import OPS, DequantizeOp, QuantizeOp, RescaleOp
from devproc.op_rules.base import batches, images, slices
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, slices.elementwise)
BATCH = dict.fromkeys(OPS, batches.aligned)
CHANNELS_LAST = dict.fromkeys(OPS, images.elementwise)
COST = {
    DequantizeOp: Cost(per_element=3),
    QuantizeOp: Cost(per_element=6),
    RescaleOp: Cost(per_element=8),
}
TOLERANCE = dict.fromkeys(OPS, Tolerance.EXACT)
