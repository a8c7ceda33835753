"""Rules of the scans."""

from __future__ import annotations

from devproc.dialects.nn.scan import OPS, CummaxOp, CumminOp, LogcumsumexpOp
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

EFFICIENCY = {"cpu": 0.1, "cuda": 0.05}
"""Each element waits for the one before."""

SLICING = dict.fromkeys(
    OPS, "a result depends on all elements before it along the axis"
)
BATCH = dict.fromkeys(OPS, batches.other_axis)
CHANNELS_LAST = dict.fromkeys(OPS, reasons.ALONG_ONE)
COST = {
    **dict.fromkeys(OPS, Cost(efficiency=EFFICIENCY, is_anchor=True)),
    LogcumsumexpOp: Cost(per_element=40, efficiency=EFFICIENCY, is_anchor=True),
}
TOLERANCE = {
    **dict.fromkeys(OPS, Tolerance.ROUNDED),
    **dict.fromkeys((CummaxOp, CumminOp), Tolerance.EXACT),
}
