"""Scores: steps whose `nn` op has the same operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import reduction
from devproc.dialects.pipe import scores
from devproc.transforms.tensor.pipe_to_nn.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.rule import Rule


def _argmax(op: scores.ArgmaxOp, e: Expressions) -> Sequence[SSAValue]:
    properties = scores.argmax_properties(op.properties)
    return [e.emit(reduction.ArgmaxOp.build_op([op.operand], properties)).ssa]


def _softmax(op: scores.SoftmaxOp, e: Expressions) -> Sequence[SSAValue]:
    return [e.emit(reduction.SoftmaxOp.build_op([op.operand], op.properties)).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    scores.ArgmaxOp: _argmax,
    scores.SoftmaxOp: _softmax,
}
"""op class -> what it is made of."""
