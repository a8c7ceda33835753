"""Rules of the scans."""

from __future__ import annotations

from devproc.dialects.nn.scan import OPS, CummaxOp, CumminOp, LogcumsumexpOp
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(
    OPS, "a result depends on all elements before it along the axis"
)
BATCH = dict.fromkeys(OPS, batches.other_axis)
CHANNELS_LAST = dict.fromkeys(OPS, reasons.ALONG_ONE)
COST = {
    **dict.fromkeys(OPS, Cost(is_anchor=True)),
    LogcumsumexpOp: Cost(per_element=40, is_anchor=True),
}
TOLERANCE = {
    **dict.fromkeys(OPS, Tolerance.ROUNDED),
    **dict.fromkeys((CummaxOp, CumminOp), Tolerance.EXACT),
}
