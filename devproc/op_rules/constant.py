"""Rules of constants and weights: none, they are no computation."""

from __future__ import annotations

from devproc.dialects.nn.constant import OPS, WeightOp
from devproc.op_rules.base import reasons
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, reasons.KNOWN)
BATCH = dict.fromkeys(OPS, reasons.KNOWN)
CHANNELS_LAST = dict.fromkeys(OPS, reasons.KNOWN)
COST = dict.fromkeys(OPS, reasons.KNOWN)
TOLERANCE = {
    **dict.fromkeys(OPS, Tolerance.EXACT),
    WeightOp: "its value is given",
}
