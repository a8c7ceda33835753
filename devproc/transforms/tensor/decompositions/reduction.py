"""Ops over whole axes as reductions and elementwise arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of, normalize_axis
from devproc.dialects.nn.pointwise import CastOp, DivOp, ExpOp, SubOp
from devproc.dialects.nn.reduction import ReduceMaxOp, ReduceSumOp, SoftmaxOp
from devproc.ir.types import DTYPES, item_size, tensor_of

Decomposition: TypeAlias = Callable[[Any, Builder], Sequence[SSAValue]]


def _softmax(op: SoftmaxOp, builder: Builder) -> Sequence[SSAValue]:
    x = op.operand
    element, shape = tensor_of(x).element_type, tensor_of(x).get_shape()
    axis = normalize_axis(int_of(op.axis), len(shape))
    if shape[axis] == 0:
        return [x]
    # PyTorch computes half precision in float32 and rounds once, at the end.
    narrow = item_size(element) < 4
    if narrow:
        x = builder.insert(CastOp.to(x, DTYPES["float32"])).result
    most = builder.insert(ReduceMaxOp.over(x, [axis], True)).results[0]
    shifted = builder.insert(SubOp.build_op([x, most])).result
    powers = builder.insert(ExpOp.build_op([shifted])).result
    total = builder.insert(ReduceSumOp.over(powers, [axis], True)).results[0]
    result = builder.insert(DivOp.build_op([powers, total])).result
    if narrow:
        result = builder.insert(CastOp.to(result, element)).result
    return [result]


DECOMPOSITIONS: Mapping[type[Operation], Decomposition] = {SoftmaxOp: _softmax}
"""op class -> function of the op and a builder; gives the values of its results."""
