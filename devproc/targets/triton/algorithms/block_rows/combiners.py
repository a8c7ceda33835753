"""Recognise the body of a reduction: how each output is combined with an element."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Refusal
from devproc.targets.triton.transforms.to_triton.generic import Generic

COMBINERS: dict[type[Operation], str] = {
    arith.AddfOp: "sum",
    arith.AddiOp: "sum",
    arith.MaximumfOp: "max",
    arith.MaxnumfOp: "max",
    arith.MaxSIOp: "max",
    arith.MaxUIOp: "max",
    arith.OrIOp: "max",
    arith.MinimumfOp: "min",
    arith.MinnumfOp: "min",
    arith.MinSIOp: "min",
    arith.MinUIOp: "min",
    arith.AndIOp: "min",
}
"""The op that combines an element with an accumulator -> kind of `triton.reduce`."""

UNSIGNED_OPS = (arith.MaxUIOp, arith.MinUIOp)
"""Combiners of unsigned integers."""

NAN_OPS = (arith.MaximumfOp, arith.MinimumfOp)
"""Combiners that propagate NaN; the GPU's reductions ignore NaN."""


@dataclass(frozen=True)
class Combiner:
    """How one output is reduced: `output = op(old, element)`."""

    op: Operation
    element: SSAValue

    @property
    def kind(self) -> str:
        """Kind of `triton.reduce`."""
        return COMBINERS[type(self.op)]


def combiners(generic: Generic) -> list[Combiner] | Refusal:
    """The combiner of each output, or a refusal if the body has another form."""
    block, found = generic.block, list[Combiner]()
    last = block.last_op
    assert last is not None
    for index, value in enumerate(last.operands):
        old, op = block.args[len(generic.inputs) + index], value.owner
        if (
            not isinstance(op, Operation)
            or type(op) not in COMBINERS
            or old not in op.operands
            or len(list(old.uses)) != 1
            or (isinstance(op, arith.OrIOp | arith.AndIOp) and value.type != i1)
        ):
            return Refusal("the body is no reduction that Triton has")
        element = op.operands[1] if op.operands[0] is old else op.operands[0]
        found.append(Combiner(op, element))
    return found
