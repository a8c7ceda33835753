"""Rules of sorts."""

from __future__ import annotations

from xdsl.ir import Operation

from devproc.dialects.nn.sort import OPS, KthValueOp, SortOp
from devproc.ir.types import tensor_of
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.costs import Cost, size
from devproc.op_rules.base.tolerances import Tolerance


def _comparisons(op: Operation) -> int:
    """Operations of a comparison sort."""
    last = tensor_of(op.operands[0]).get_shape()[-1]
    return 4 * size(op) * max(last - 1, 1).bit_length()


def _bisection(op: Operation) -> int:
    """Operations of one pass over the elements for each bit."""
    return 32 * size(op)


SLICING = dict.fromkeys(OPS, "every element of a row takes part")
BATCH = dict.fromkeys(OPS, batches.rows)
CHANNELS_LAST = dict.fromkeys(OPS, reasons.ALONG_ONE)
COST = {
    KthValueOp: Cost(flops=_bisection, is_anchor=True),
    SortOp: Cost(flops=_comparisons, is_anchor=True),
}
TOLERANCE = dict.fromkeys(OPS, Tolerance.EXACT)
