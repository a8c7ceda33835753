"""What the tests of image ops share."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from xdsl.builder import Builder
from xdsl.dialects.builtin import DenseArrayBase, f64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from devproc.ir.weights.table import WeightTable
from devproc.reference.run.interpreter import evaluate_op
from devproc.transforms.tensor.decompositions.rule import Decomposition


def floats(values: Sequence[float]) -> DenseArrayBase:
    """A property of float64 numbers."""
    return DenseArrayBase.from_list(f64, list(values))


def evaluate_decomposition(
    op: Operation,
    rule: Decomposition,
    *operands: torch.Tensor,
) -> torch.Tensor:
    """The first result of the ops that a decomposition builds, by their references."""
    block = Block()
    results = rule(op, Builder(InsertPoint.at_end(block)))
    assert results is not None
    values: dict[SSAValue, torch.Tensor] = dict(zip(op.operands, operands, strict=True))
    for made in block.ops:
        made.verify()
        outputs = evaluate_op(made, [values[v] for v in made.operands], WeightTable())
        values.update(zip(made.results, outputs, strict=True))
    return values[results[0]]
