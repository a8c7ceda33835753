"""Vector code for the ops of an attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from devproc.targets.cpu.algorithms.attention.nest import Step
from devproc.targets.cpu.transforms.loops.access import apply_map, locate
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.transpose import transpose_lanes
from devproc.targets.cpu.transforms.loops.vector_types import vector_type
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

Place: TypeAlias = tuple[Operand, list[SSAValue]]
"""An operand and the outer loops that index it."""


class StepEmitter:
    """Emits the steps, in vectors, for the head with the index `heads`."""

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
        """The body of a pointwise step, vectorised along its last loop."""
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
        """A vector of an operand along one loop; a scalar if that loop does not index
        it."""
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
        """One vector: the dot products of a row with as many rows as lanes."""
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
        # Transposed, each vector holds one element of every row, so lanes are added.
        transposed = transpose_lanes(emitter, sums)
        while len(transposed) > 1:
            pairs = zip(transposed[::2], transposed[1::2], strict=True)
            transposed = [lanewise.add(a, b) for a, b in pairs]
        return transposed[0]
