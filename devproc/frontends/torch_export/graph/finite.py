"""Whether values are known at import to be finite, as those of weights are."""

from __future__ import annotations

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.frontends.torch_export.graph.builder import GraphBuilder


def is_known_finite(b: GraphBuilder, weight: SSAValue) -> bool:
    """Whether a value is known at import and contains no infinity or NaN."""
    value = _known_value(b, weight)
    if value is None or not value.numel():
        return value is not None
    return all(torch.isfinite(v) for v in torch.aminmax(value))


def _known_value(b: GraphBuilder, value: SSAValue) -> torch.Tensor | None:
    """The value of an expression of weights and constants; None for any other."""
    from devproc.reference.run.interpreter import evaluate_op

    values: dict[SSAValue, torch.Tensor] = {}
    pending = [value]
    while pending:
        op = pending[-1].owner
        if not isinstance(op, NNOp | ConstantOp | WeightOp):
            return None
        missing = [operand for operand in op.operands if operand not in values]
        if not missing:
            operands = [values[operand] for operand in op.operands]
            results = evaluate_op(op, operands, b.weights)
            values.update(zip(op.results, results, strict=True))
            pending.pop()
        pending += missing
    return values[value]
