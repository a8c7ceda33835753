"""Scores: steps whose `nn` op has the same operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import reduction
from devproc.dialects.nn.base import int_of
from devproc.dialects.pipe import scores
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule


def _argmax(op: scores.ArgmaxOp, e: Expressions) -> Sequence[SSAValue]:
    properties = scores.argmax_properties(op.properties)
    return [e.emit(reduction.ArgmaxOp.build_op([op.operand], properties)).ssa]


def _softmax(op: scores.SoftmaxOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.emit(reduction.SoftmaxOp.build_op([op.operand], op.properties)).ssa]


def _sigmoid(op: scores.SigmoidOp, e: Expressions) -> Sequence[SSAValue]:
    """Half precision is computed in float32 and rounded once."""
    x = e.of(op.operand)
    return [x.widened().sigmoid().cast(x.dtype).ssa]


def _top_k(op: scores.TopKOp, e: Expressions) -> Sequence[SSAValue]:
    """Moves the axis to the end, sorts it, and moves it back."""
    x = e.of(op.operand)
    rank, axis = len(x.shape), int_of(op.axis) % len(x.shape)
    order = [d for d in range(rank) if d != axis] + [axis]
    back = [order.index(d) for d in range(rank)]
    found = x.transpose(*order).sort(descending=True)
    return [y.part(-1, 0, int_of(op.k)).transpose(*back).ssa for y in found]


LOWERINGS: Mapping[type[Operation], Rule] = {
    scores.ArgmaxOp: _argmax,
    scores.SigmoidOp: _sigmoid,
    scores.SoftmaxOp: _softmax,
    scores.TopKOp: _top_k,
}
"""op class -> its lowering."""
