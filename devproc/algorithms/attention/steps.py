"""The ops of an attention kernel, in the order of its normal form, and how lanes run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.arith import ConstantOp, SelectOp
from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import BlockArgument, SSAValue

from devproc.transforms.cpu.loops.access import apply_map, locate
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import StructuredOp, maps_of
from devproc.transforms.cpu.loops.lanewise import Lanewise
from devproc.transforms.cpu.loops.transpose import transpose_lanes
from devproc.transforms.cpu.loops.vector_types import vector_type
from devproc.transforms.cpu.nests.loop_space import Operand, operands_of
from devproc.transforms.cpu.nests.vectorize_body import VectorBody


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


def mask_of(step: Step) -> Operand | None:
    """The bools, contiguous along the keys, that say which scores stay: all others of the
    step's results are minus infinity. None where it has no such mask.
    """
    block = step.op.body.block
    last = block.last_op
    assert last is not None
    op = last.operands[0].owner
    if not isinstance(op, SelectOp) or not isinstance(op.rhs.owner, ConstantOp):
        return None
    other, mask = op.rhs.owner.value, op.cond
    if not isinstance(other, FloatAttr) or other.value.data != float("-inf"):
        return None
    if not isinstance(mask, BlockArgument) or mask.index >= len(step.inputs):
        return None
    found = step.inputs[mask.index]
    return (
        found
        if found.is_memref and found.stride(step.op.get_num_loops() - 1) == 1
        else None
    )


Place: TypeAlias = tuple[Operand, list[SSAValue]]
"""An operand and the outer loops at which it is read."""


class StepEmitter:
    """Emits the steps for the lanes of one head, which stands at `heads`."""

    def __init__(self, emitter: Emitter, lanes: int):
        self.emitter, self.lanes = emitter, lanes
        self.heads: list[SSAValue] = []

    def inline(
        self,
        step: Step,
        body: VectorBody,
        point: list[SSAValue],
        known: dict[int, SSAValue],
    ) -> SSAValue:
        """The body of a pointwise step for lanes along its last loop."""
        arguments: list[SSAValue | None] = []
        last = len(point) - 1
        operands = [*step.inputs, *step.outputs]
        for index, (operand, argument) in enumerate(
            zip(operands, step.op.body.block.args, strict=True)
        ):
            if not argument.uses:
                arguments.append(None)
            elif index in known:
                arguments.append(known[index])
            else:
                arguments.append(self.load(operand, body, point, last))

        def index_of(loop: int) -> SSAValue:
            return body.steps_from(point[loop]) if loop == last else point[loop]

        (value,) = body.inline(step.op, arguments, index_of)
        return body.widen(value)

    def load(
        self, operand: Operand, body: VectorBody, point: list[SSAValue], loop: int
    ) -> SSAValue:
        """Lanes of an operand along one loop, or its one element where it has no such."""
        indices = apply_map(self.emitter, operand.map, point)
        stride = operand.stride(loop)
        if not stride:
            return self.emitter.load(*locate(self.emitter, operand.value, indices))
        if stride == 1:
            return body.load(operand.value, indices)
        return body.load_strided(operand.value, indices, stride)

    def dot_products(
        self, one: Place, other: Place, rows: Sequence[SSAValue], depth: int
    ) -> SSAValue:
        """One vector: the products, summed up, of a row with as many rows as lanes."""
        emitter, lanes = self.emitter, self.lanes
        lanewise = Lanewise(emitter, vector_type(f32, lanes))
        zeros = [lanewise.number(0.0)] * lanes

        def products(
            d: SSAValue, sums: Sequence[SSAValue], body: VectorBody
        ) -> Sequence[SSAValue]:
            operand, place = one
            left = self.load(operand, body, [*place, d], len(place))
            done: list[SSAValue] = []
            operand, place = other
            for row, total in zip(rows, sums, strict=True):
                right = self.load(operand, body, [*place, row, d], len(place) + 1)
                done.append(lanewise.fma(left, right, total))
            return done

        whole, rest = emitter.index(depth // lanes * lanes), depth % lanes
        full = VectorBody(emitter, lanes)
        sums = emitter.loop(
            emitter.index(0), whole, lanes, zeros, lambda d, s: products(d, s, full)
        )
        if rest:
            sums = products(whole, sums, VectorBody(emitter, lanes, rest))
        # Turned over, the vectors hold one number of each row: they add up lane by lane.
        turned = transpose_lanes(emitter, sums)
        while len(turned) > 1:
            pairs = zip(turned[::2], turned[1::2], strict=True)
            turned = [lanewise.add(a, b) for a, b in pairs]
        return turned[0]
