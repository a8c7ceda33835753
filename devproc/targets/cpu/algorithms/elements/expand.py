"""The loops of an op over single elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ElementsSchedule
from devproc.targets.cpu.algorithms.elements.nest import ElementsNest
from devproc.targets.cpu.transforms.loops.access import load_element, store_element
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import maps_of
from devproc.targets.cpu.transforms.nests.scalar_body import inline_scalar_body


def expand(
    nest: ElementsNest, schedule: ElementsSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops; none where no element is written."""
    if all(nest.sizes[d] for d in nest.outer):
        ElementLoops(nest, schedule, emitter).emit()


@dataclass
class ElementLoops:
    """The loops of one op."""

    nest: ElementsNest
    schedule: ElementsSchedule
    emitter: Emitter

    def __post_init__(self) -> None:
        self.op, self.sizes = self.nest.op, self.nest.sizes
        self.maps = maps_of(self.op)

    def emit(self) -> None:
        """Emit the nest."""
        emitter, grain = self.emitter, self.schedule.grain
        point: list[SSAValue] = [emitter.index(0)] * len(self.sizes)
        spread = self.nest.outer[: self.schedule.spread]
        rest = self.nest.outer[self.schedule.spread :]
        if grain is None:
            self._outer_loops(rest, point)
            return

        def body(indices: list[SSAValue]) -> None:
            for d, index in zip(spread, indices, strict=True):
                point[d] = index
            self._outer_loops(rest, point)

        emitter.parallel([self.sizes[d] for d in spread], grain, body)

    def _outer_loops(self, dims: Sequence[int], point: list[SSAValue]) -> None:
        if not dims:
            self._element(point)
            return
        first, *rest = dims

        def body(index: SSAValue) -> None:
            point[first] = index
            self._outer_loops(rest, point)

        self.emitter.loop_to(self.sizes[first], body)

    def _element(self, point: list[SSAValue]) -> None:
        """Load the accumulators, reduce into them, store them."""
        emitter, op = self.emitter, self.op
        count = len(op.inputs)
        outputs = list(zip(op.outputs, self.maps[count:], strict=True))
        arguments = op.body.block.args[count:]
        carried: list[SSAValue | None] = [
            load_element(emitter, target, map_, point)
            if argument.uses or self.nest.inner
            else None
            for (target, map_), argument in zip(outputs, arguments, strict=True)
        ]
        results = self._reduce(self.nest.inner, point, carried)
        for result, (target, map_) in zip(results, outputs, strict=True):
            store_element(emitter, result, target, map_, point)

    def _reduce(
        self,
        dims: Sequence[int],
        point: list[SSAValue],
        carried: Sequence[SSAValue | None],
    ) -> Sequence[SSAValue]:
        if not dims:
            inputs = self._inputs(point)
            return inline_scalar_body(self.emitter, self.op, (*inputs, *carried), point)
        first, *rest = dims
        start = [value for value in carried if value is not None]

        def body(index: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            point[first] = index
            return self._reduce(rest, point, values)

        zero, size = self.emitter.index(0), self.emitter.index(self.sizes[first])
        return self.emitter.loop(zero, size, 1, start, body)

    def _inputs(self, point: Sequence[SSAValue]) -> list[SSAValue | None]:
        found: list[SSAValue | None] = []
        for value, map_, argument in zip(
            self.op.inputs, self.maps, self.op.body.block.args, strict=False
        ):
            used = bool(argument.uses)
            found.append(
                load_element(self.emitter, value, map_, point) if used else None
            )
        return found
