"""The ops of an attention kernel, in the order of its normal form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr
from xdsl.dialects.linalg.ops import FillOp

from devproc.transforms.cpu.kernels import StructuredOp, maps_of
from devproc.transforms.cpu.loop_space import Operand, operands_of


@dataclass(frozen=True)
class Step:
    """One op of the sequence with its operands."""

    op: StructuredOp
    inputs: list[Operand]
    outputs: list[Operand]

    @staticmethod
    def of(op: StructuredOp) -> Step:
        """The operands of an op by its maps."""
        maps, count = maps_of(op), len(op.inputs)
        return Step(
            op,
            operands_of(op.inputs, maps[:count]),
            operands_of(op.outputs, maps[count:]),
        )


def attention_steps(ops: Sequence[StructuredOp]) -> list[Step]:
    """The seven ops of the normal form, without their fills."""
    return [Step.of(op) for op in ops if not isinstance(op, FillOp)]


def start_value(ops: Sequence[StructuredOp], step: Step) -> float:
    """What the accumulation of a step is filled with before it."""
    fill = next(
        op
        for op in ops
        if isinstance(op, FillOp) and op.outputs[0] is step.outputs[0].origin
    )
    constant = fill.inputs[0].owner
    assert isinstance(constant, ConstantOp)
    assert isinstance(constant.value, FloatAttr)
    return constant.value.value.data
