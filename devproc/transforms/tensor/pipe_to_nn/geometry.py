"""Geometry: axes named H and W become axis numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn import image
from devproc.dialects.pipe import geometry
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.rule import Rule


def _resize(op: geometry.ResizeOp, e: Expressions) -> Sequence[SSAValue]:
    properties = geometry.resize_properties(tensor_of(op.operand), op.properties)
    return [e.emit(image.ResizeOp.build_op([op.operand], properties)).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    geometry.ResizeOp: _resize,
}
"""op class -> what it is made of."""
