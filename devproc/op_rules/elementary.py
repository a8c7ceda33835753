"""Rules of the elementary functions."""

from __future__ import annotations

from devproc.dialects.nn import elementary as nn
from devproc.dialects.nn.elementary import OPS
from devproc.op_rules.base import batches, images, slices
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

ROUNDINGS = (nn.CeilOp, nn.FloorOp, nn.RoundOp, nn.TruncOp)

SLICING = dict.fromkeys(OPS, slices.elementwise)
BATCH = dict.fromkeys(OPS, batches.aligned)
CHANNELS_LAST = dict.fromkeys(OPS, images.elementwise)
COST = {
    **dict.fromkeys(OPS, Cost(per_element=20)),
    **dict.fromkeys(ROUNDINGS, Cost()),
    nn.Atan2Op: Cost(per_element=40),
    nn.PowOp: Cost(per_element=60),
}
TOLERANCE = {
    **dict.fromkeys(OPS, Tolerance.ROUNDED),
    **dict.fromkeys(ROUNDINGS, Tolerance.EXACT),
}
