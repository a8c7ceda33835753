"""Rules of gathers and scatters."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import target_of
from devproc.dialects.nn.base import int_array, int_of, ints
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.gather import OPS, GatherOp, ScatterOp
from devproc.dialects.nn.window import NHWC_TO_NCHW
from devproc.ir.types import tensor_of
from devproc.op_rules.base import batches, reasons
from devproc.op_rules.base.batches import Splits
from devproc.op_rules.base.costs import Cost, results
from devproc.op_rules.base.images import Images
from devproc.op_rules.base.tolerances import Tolerance


def _split(op: Operation) -> Splits:
    """Either the indices into a table split, or the rows that are indexed."""
    assert isinstance(op, GatherOp)
    needs = list(batches.aligned(op) or ())
    if 0 in ints(op.axes):
        needs[0] = False
    return needs


def _channels_last(images: Images, op: GatherOp) -> SSAValue | None:
    if op.operand not in images.nhwc or tensor_of(op.result).get_num_dims() != 4:
        return None
    operands = [images.image(v) for v in op.operands]
    axes = int_array([NHWC_TO_NCHW[a] for a in ints(op.axes)])
    return images.rebuild(op, operands, axes=axes)


def _updates(op: Operation) -> int:
    """Two operations for each update, whose number is the index's along the axis."""
    axis, shape = int_of(op.properties["axis"]), tensor_of(op.results[0]).get_shape()
    updates = tensor_of(op.operands[2]).get_shape()[axis]
    return 2 * (results(op) // max(shape[axis], 1) * updates)


def reads_24_bits(op: Operation) -> bool:
    """Whether an op may read the rows of a weight in the form of the option `float24`, where
    its tolerance does not apply."""
    module = op.get_toplevel_object()
    return (
        isinstance(op, GatherOp)
        and isinstance(op.operand.owner, WeightOp)
        and isinstance(module, ModuleOp)
        and target_of(module).shares_exponents
    )


SLICING = dict.fromkeys(OPS, reasons.BY_PLACE)
BATCH = {
    GatherOp: _split,
    ScatterOp: "the rows of an update are known only at run time",
}
CHANNELS_LAST = {
    GatherOp: _channels_last,
    ScatterOp: "its updates have the layout of its index",
}
COST = {
    GatherOp: Cost(is_anchor=True),
    ScatterOp: Cost(flops=_updates, is_anchor=True),
}
TOLERANCE = {GatherOp: Tolerance.EXACT, ScatterOp: Tolerance.ROUNDED}
