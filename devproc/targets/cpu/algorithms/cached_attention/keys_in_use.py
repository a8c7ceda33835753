"""The keys that the rows of a tile see, from the bounds that a kernel reads."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from devproc.dialects.sched import CachedAttentionSchedule
from devproc.targets.cpu.algorithms.attention.steps import StepEmitter
from devproc.targets.cpu.algorithms.cached_attention.nest import CachedAttention
from devproc.targets.cpu.transforms.loops.access import (
    apply_map,
    load_element,
    view_as,
)
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.lanewise import compare
from devproc.targets.cpu.transforms.loops.vector_types import (
    INDEX,
    memref_of,
    vector_type,
)
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest_emitter import Values


@dataclass(frozen=True)
class Run:
    """The keys from `start` to `stop`."""

    start: SSAValue
    stop: SSAValue

    def block(
        self, emitter: Emitter, start: SSAValue, schedule: CachedAttentionSchedule
    ) -> Run:
        """The block that starts here."""
        end = emitter.offset(start, schedule.keys)
        return Run(start, emitter.minimum(end, self.stop))

    def count(self, emitter: Emitter) -> SSAValue:
        """The number of keys."""
        return emitter.value(arith.SubiOp, (self.stop, self.start))

    def groups(self, emitter: Emitter, keys: int) -> SSAValue:
        """The vectors of scores with so many keys."""
        return emitter.div(emitter.offset(self.count(emitter), keys - 1), keys)

    def places(self, emitter: Emitter, start: SSAValue, keys: int) -> list[SSAValue]:
        """So many keys from here; after the last key, that one is repeated."""
        last = emitter.offset(self.stop, -1)
        return [emitter.minimum(emitter.offset(start, n), last) for n in range(keys)]


class KeysInUse:
    """The keys that each row of a tile sees."""

    def __init__(
        self, steps: StepEmitter, nest: CachedAttention, rows: Values, keys: int
    ):
        self.steps, self.emitter, self.nest = steps, steps.emitter, nest
        self.keys = keys
        emitter, bound, loop = self.emitter, nest.bound, len(steps.heads)
        self.moves = loop in bound.last.map.used_dims() and len(rows) > 1
        self.last: list[SSAValue] = []
        self.before: list[SSAValue] = []
        """For each row, or for all if they see the same keys, the last key, and the one
        before the first; -1 if there is none."""
        for row in rows if self.moves else rows[:1]:
            point = [*steps.heads, row, emitter.index(0)]
            number = load_element(emitter, bound.last.value, bound.last.map, point)
            last = emitter.value(arith.IndexCastOp, (number,), INDEX)
            self.last.append(self._clamped(last))
            if bound.window is not None:
                size = emitter.index(bound.window)
                before = emitter.value(arith.SubiOp, (last, size))
                self.before.append(self._clamped(before))
        self.last_lanes = self._in_lanes(self.last)
        self.before_lanes = self._in_lanes(self.before) if self.before else None

    def _clamped(self, place: SSAValue) -> SSAValue:
        emitter = self.emitter
        most = emitter.index(self.nest.keys - 1)
        place = emitter.value(arith.MinSIOp, (place, most))
        return emitter.value(arith.MaxSIOp, (place, emitter.index(-1)))

    def _in_lanes(self, numbers: Values) -> SSAValue:
        """The number of each row in the lanes of that row, as i32."""
        emitter, lanes = self.emitter, self.steps.lanes
        narrow = [emitter.value(arith.IndexCastOp, (n,), i32) for n in numbers]
        if len(narrow) == 1:
            return emitter.broadcast(narrow[0], lanes)
        memory = emitter.stack(lanes, element=i32)
        for lane in range(lanes):
            row = min(lane // self.keys, len(narrow) - 1)
            emitter.store(narrow[row], memory, (emitter.index(lane),))
        return emitter.load_vector(memory, (emitter.index(0),), lanes)

    def part(self, number: SSAValue, parts: int) -> Run:
        """One of so many parts of the keys that any row sees."""
        emitter = self.emitter
        last, before = self.last[0], emitter.index(-1)
        for other in self.last[1:]:
            last = emitter.value(arith.MaxSIOp, (last, other))
        if self.before:
            before = self.before[0]
            for other in self.before[1:]:
                before = emitter.value(arith.MinSIOp, (before, other))
        stop, start = emitter.offset(last, 1), emitter.offset(before, 1)
        run = Run(emitter.minimum(start, stop), stop)
        if parts == 1:
            return run
        count = run.count(emitter)

        def bound(part: SSAValue) -> SSAValue:
            moved = emitter.div(emitter.mul(count, part), parts)
            return emitter.add(run.start, moved)

        return Run(bound(number), bound(emitter.offset(number, 1)))

    def seen(self, start: SSAValue, stop: SSAValue) -> SSAValue:
        """Which of the next keys each row sees, before `stop`."""
        emitter, lanes = self.emitter, self.steps.lanes
        numbers = vector_type(i32, lanes)

        def wide(index: SSAValue) -> SSAValue:
            narrow = emitter.value(arith.IndexCastOp, (index,), i32)
            return emitter.broadcast(narrow, lanes)

        steps = emitter.lanes([lane % self.keys for lane in range(lanes)], numbers)
        key = emitter.value(arith.AddiOp, (wide(start), steps))
        end = wide(emitter.offset(stop, -1))
        last = emitter.value(arith.MinSIOp, (self.last_lanes, end))
        seen = compare(emitter, "sle", key, last)
        if self.before_lanes is None:
            return seen
        after = compare(emitter, "sgt", key, self.before_lanes)
        return emitter.value(arith.AndIOp, (seen, after))

    def scales(self, operand: Operand, start: SSAValue, loop: int) -> SSAValue:
        """The scale of each of the next keys, along a loop of the operand's op, in the
        lanes of that key; 0 after the end of the cache."""
        emitter, lanes, keys = self.emitter, self.steps.lanes, self.keys
        point = [*self.steps.heads, *[emitter.index(0)] * 3]
        point[loop] = start
        # There is one for each row of the last dimension.
        shape = memref_of(operand.value).get_shape()[:-1]
        memory = view_as(emitter, operand.value, shape)
        *where, _ = apply_map(emitter, operand.map, point)
        if keys == 1:
            return emitter.broadcast(emitter.load(memory, where), lanes)
        numbers, type_ = vector_type(i32, keys), vector_type(f32, keys)
        left = emitter.value(arith.SubiOp, (emitter.index(self.nest.keys), start))
        narrow = emitter.value(arith.IndexCastOp, (left,), i32)
        exists = compare(
            emitter,
            "slt",
            emitter.lanes(range(keys), numbers),
            emitter.broadcast(narrow, keys),
        )
        zeros = emitter.lanes([0.0], type_)
        operands = (memory, *where, exists, zeros)
        found = emitter.value(vector.MaskedLoadOp, operands, type_)
        if keys == lanes:
            return found
        return emitter.shuffle(found, found, [lane % keys for lane in range(lanes)])

    def mask(
        self, operand: Operand, rows: Values, run: Run, start: SSAValue
    ) -> SSAValue:
        """The elements of a mask for the next keys, element by element."""
        emitter, lanes = self.emitter, self.steps.lanes
        element = memref_of(operand.value).element_type
        memory = emitter.stack(lanes, element=element)
        places = run.places(emitter, start, self.keys)
        for lane in range(lanes):
            row = rows[min(lane // self.keys, len(rows) - 1)]
            point = [*self.steps.heads, row, places[lane % self.keys]]
            value = load_element(emitter, operand.value, operand.map, point)
            emitter.store(value, memory, (emitter.index(lane),))
        return emitter.load_vector(memory, (emitter.index(0),), lanes)
