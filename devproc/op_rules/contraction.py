"""Rules of the matrix products."""

from __future__ import annotations

from xdsl.ir import Operation

from devproc.dialects.nn.contraction import OPS, LinearOp, MatmulOp
from devproc.ir.subset import Span, Subset
from devproc.op_rules.base import reasons
from devproc.op_rules.base.batches import Splits, aligned, first, shapes_of
from devproc.op_rules.base.costs import Cost, products
from devproc.op_rules.base.slices import Parts, matrix_part, shape_of
from devproc.op_rules.base.tolerances import Tolerance


def _linear(op: LinearOp, subset: Subset) -> Parts:
    *rows, columns = subset
    features = Span(0, shape_of(op.input)[-1])
    parts = [(op.input, (*rows, features)), (op.weight, (columns, features))]
    return Parts(parts + ([] if op.bias is None else [(op.bias, (columns,))]))


def _matmul(op: MatmulOp, subset: Subset) -> Parts:
    *batch, rows, columns = subset
    lhs = matrix_part(op.lhs, tuple(batch), rows, None)
    return Parts([lhs, matrix_part(op.rhs, tuple(batch), None, columns)])


def _split_linear(op: Operation) -> Splits:
    return first(op) if len(shapes_of(op)[0]) > 1 else None


def _split_matmul(op: Operation) -> Splits:
    """Leading dimensions are aligned; of two matrices the rows of the first split."""
    return aligned(op) if max(map(len, shapes_of(op))) > 2 else first(op)


SLICING = {LinearOp: _linear, MatmulOp: _matmul}
BATCH = {LinearOp: _split_linear, MatmulOp: _split_matmul}
CHANNELS_LAST = dict.fromkeys(OPS, reasons.NO_IMAGE)
COST = dict.fromkeys(OPS, Cost(flops=products, is_anchor=True))
TOLERANCE = dict.fromkeys(OPS, Tolerance.SUMMED)
