"""Rules of the normalizations, for a device that keeps them whole."""

from __future__ import annotations

from devproc.dialects.nn.normalization import OPS, BatchNormOp
from devproc.op_rules.base import reasons
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, reasons.OPENED)
BATCH = dict.fromkeys(OPS, reasons.OPENED)
CHANNELS_LAST = dict.fromkeys(OPS, reasons.OPENED)
COST = {
    **dict.fromkeys(OPS, Cost(per_element=8, is_anchor=True)),
    BatchNormOp: Cost(per_element=2),
}
TOLERANCE = dict.fromkeys(OPS, Tolerance.ROUNDED)
