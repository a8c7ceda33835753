"""The nest of an attention over a cache: that of an attention, and its bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.arith import AndIOp, CmpiOp, ConstantOp, IndexCastOp, SubiOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, OpResult, SSAValue

from devproc.algorithms.base import KernelOps
from devproc.targets.cpu.algorithms.attention.nest import Attention, Step, nest_of
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.nests.loop_space import Operand


@dataclass(frozen=True)
class Bound:
    """A query sees the keys t <= last, and with a window only those with
    t > last - window."""

    last: Operand
    window: int | None
    ops: Sequence[Operation]
    """The ops of the body that compare; the last one tells whether a key is seen."""

    def known(self, seen: SSAValue) -> dict[SSAValue, SSAValue]:
        """The values of the body that `seen` stands for."""
        return {op.results[0]: seen for op in self.ops}


class CachedAttention(Attention):
    """The nest of an attention whose scores are bounded."""

    def __init__(self, ops: Sequence[StructuredOp], bound: Bound):
        super().__init__(ops)
        self.bound = bound
        others = [
            x for x in self.weighted.inputs[1:] if x.origin is not bound.last.origin
        ]
        self.masks = others
        """The mask that is applied to the scores in addition, if there is one."""
        self.key_scales, self.value_scales = (
            next(iter(step.inputs[2:]), None) for step in (self.scores, self.mixed)
        )
        """Factors of the rows of keys, and of values, which are integers."""


def match(kernel: KernelOps) -> Iterator[CachedAttention]:
    """The ops of a kernel of attention over a cache as one nest."""
    found = nest_of(kernel)
    bound = None if found is None else bound_of(found.weighted)
    if found is not None and bound is not None:
        yield CachedAttention(found.ops, bound)


def bound_of(step: Step) -> Bound | None:
    """The bound of the scores: the operand that the body casts to an index, and what the
    body computes from that alone."""
    block = step.op.body.block
    for operand, argument in zip(step.inputs, block.args, strict=False):
        made: set[SSAValue] = {argument}
        ops: list[Operation] = []
        window = None
        for op in block.ops:
            used = [value in made for value in op.operands]
            match op:
                case IndexCastOp() | CmpiOp() if any(used):
                    pass
                case SubiOp(
                    rhs=OpResult(owner=ConstantOp(value=IntegerAttr() as size))
                ) if any(used):
                    window = size.value.data
                case AndIOp() if all(used):
                    pass
                case _:
                    continue
            ops.append(op)
            made.update(op.results)
        if ops:
            return Bound(operand, window, ops)
    return None
