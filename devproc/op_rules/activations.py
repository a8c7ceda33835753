"""Rules of the activations, for a device that keeps them whole."""

from __future__ import annotations

from devproc.dialects.nn.activations import (
    OPS,
    GeluOp,
    HardsigmoidOp,
    HardswishOp,
    SiluOp,
)
from devproc.op_rules.base import batches, images, slices
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, slices.elementwise)
BATCH = dict.fromkeys(OPS, batches.aligned)
CHANNELS_LAST = dict.fromkeys(OPS, images.elementwise)
COST = {
    GeluOp: Cost(per_element=24),
    HardsigmoidOp: Cost(per_element=4),
    HardswishOp: Cost(per_element=5),
    SiluOp: Cost(per_element=18),
}
TOLERANCE = dict.fromkeys(OPS, Tolerance.ROUNDED)
