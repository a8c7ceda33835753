"""Rules of the arithmetic on elements."""

from __future__ import annotations

from devproc.dialects.nn import pointwise as nn
from devproc.dialects.nn.pointwise import OPS
from devproc.op_rules.base import batches, images, slices
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, slices.elementwise)
BATCH = dict.fromkeys(OPS, batches.aligned)
CHANNELS_LAST = dict.fromkeys(OPS, images.elementwise)
COST = {
    **dict.fromkeys(OPS, Cost()),
    nn.DivOp: Cost(per_element=4),
    nn.ExpOp: Cost(per_element=12),
    nn.QuotientOp: Cost(per_element=10),
    nn.RemainderOp: Cost(per_element=20),
}
TOLERANCE = {
    **dict.fromkeys(OPS, Tolerance.ROUNDED),
    **dict.fromkeys(
        (nn.AbsOp, nn.BitcastOp, nn.MaximumOp, nn.MinimumOp, nn.ReluOp), Tolerance.EXACT
    ),
}
