"""Where everything lies: the operands of kernels, and the memory of an instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from devproc.bundle.code.program_code import ProgramCode
from devproc.bundle.interface.tensors import DTYPES, EntryTensors, Tensor
from devproc.ir.devices import HOST
from devproc.ir.dtypes import ALIGNMENT

INPUT, OUTPUT, WEIGHT, ARENA, STATE, NEXT_STATE = range(6)
"""Kinds of slots."""

INSTANCE_BYTES = 384
"""What the runtime reserves for an instance, before its operand pointers."""


@dataclass(frozen=True)
class SlotRow:
    """One operand of a kernel."""

    kind: int
    index: int
    dtype: int
    written: bool
    """Whether the kernel writes it, and it matters what."""
    offset: int
    byte_count: int

    @property
    def end(self) -> int:
        """Where its bytes end in the arena."""
        return self.offset + self.byte_count

    def overlaps(self, other: SlotRow) -> bool:
        """Whether two operands in the arena have bytes in common."""
        return self.offset < other.end and other.offset < self.end

    def covers(self, other: SlotRow) -> bool:
        """Whether all bytes of another operand in the arena are its own."""
        return self.offset <= other.offset and other.end <= self.end


@dataclass(frozen=True)
class StepRow:
    """One kernel, with the rows of its operands."""

    symbol: str
    kernels: tuple[str, ...]
    where: str
    slots: tuple[SlotRow, ...]

    @property
    def name(self) -> str:
        """The kernels, for reports."""
        return ", ".join(self.kernels)


@dataclass(frozen=True)
class CodeRows:
    """The code of an entry for one level of processors, in the form of the runtime.

    `in_place` and `swapped` are numbers of states, among those of all entries: those that a
    call updates where they are, and those that have another place after it.
    """

    steps: tuple[StepRow, ...]
    in_place: tuple[int, ...]
    swapped: tuple[int, ...]
    parts: int
    arena: int

    @property
    def slots(self) -> list[SlotRow]:
        """The operands of all steps."""
        return [slot for step in self.steps for slot in step.slots]


@dataclass(frozen=True)
class StatePlace:
    """Where the first value of a state lies in the weights, and its places in the memory."""

    initial: int
    places: tuple[int, int]


@dataclass(frozen=True)
class Memory:
    """The memory of an instance, which is the same for all entries and levels."""

    states: tuple[StatePlace, ...]
    instance_offset: int
    byte_count: int


def code_rows(
    code: ProgramCode,
    tensors: EntryTensors,
    weights: Mapping[str, int],
    states: Mapping[str, int],
) -> CodeRows:
    """The rows of a host program whose steps are native segments of one kernel each.

    `weights` are offsets by name, `states` the numbers of states by name.
    """
    host = code.host
    inputs, outputs = len(tensors.inputs), len(tensors.outputs)
    numbers = [states[state.name] for state in tensors.states]
    in_place = sorted(numbers[number - inputs] for number in host.updated_inputs)
    swapped = [number for number in numbers if number not in in_place]

    def row(number: int, written: bool) -> SlotRow:
        slot = host.slots[number]
        kind, index, offset = ARENA, 0, slot.offset
        match slot.kind:
            case "input" | "state":
                kind, index, offset = INPUT, slot.index, 0
                if index >= inputs:
                    kind, index = STATE, numbers[index - inputs]
            case "output":
                kind, index, offset = OUTPUT, slot.index, 0
                if index >= outputs:
                    kind, index = NEXT_STATE, swapped[index - outputs]
            case "weight":
                kind, offset = WEIGHT, weights[slot.key]
            case _:
                pass
        dtype = DTYPES.index(slot.dtype)
        return SlotRow(kind, index, dtype, written, offset, slot.byte_count)

    steps: list[StepRow] = []
    for step in host.steps:
        reads = code.read_operands[step.symbol]
        rows = (row(number, at >= reads) for at, number in enumerate(step.slots))
        symbol = f"{code.prefix}{step.symbol}"
        steps.append(StepRow(symbol, step.kernels, step.where, tuple(rows)))
    arena = host.arenas.get(HOST, 0)
    steps = _without_scratch(steps)
    return CodeRows(tuple(steps), tuple(in_place), tuple(swapped), host.parts, arena)


def _without_scratch(steps: Sequence[StepRow]) -> list[StepRow]:
    """The steps, whose operands in the arena count as written only if a later step reads them.

    What a kernel leaves in memory of its own use may be anything.
    """
    found: list[StepRow] = []
    live: list[SlotRow] = []
    for step in reversed(steps):
        slots = tuple(
            replace(slot, written=any(map(slot.overlaps, live)))
            if slot.written and slot.kind == ARENA
            else slot
            for slot in step.slots
        )
        found.append(replace(step, slots=slots))
        live = [r for r in live if not any(w.written and w.covers(r) for w in slots)]
        live += [slot for slot in step.slots if not slot.written and slot.kind == ARENA]
    return found[::-1]


def lay_out_memory(
    levels: Sequence[Sequence[CodeRows]],
    states: Sequence[Tensor],
    initial: Sequence[int],
) -> Memory:
    """The memory that serves each level; `initial` has offsets into the weights.

    A state has one place if all calls update it in place, else two.
    """
    codes = [code for level in levels for code in level]
    at = _aligned(max(code.arena for code in codes))
    swapped = {number for code in codes for number in code.swapped}
    places: list[StatePlace] = []
    for number, state in enumerate(states):
        size = _aligned(state.byte_count)
        second = at + size if number in swapped else at
        places.append(StatePlace(initial[number], (at, second)))
        at = second + size
    operands = max(sum(len(code.slots) for code in level) for level in levels)
    own = INSTANCE_BYTES + 8 * operands + 4 * len(states)
    return Memory(tuple(places), at, _aligned(at + own))


def _aligned(count: int) -> int:
    return -(-count // ALIGNMENT) * ALIGNMENT
