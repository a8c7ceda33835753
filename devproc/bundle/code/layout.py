"""Where everything lies: the operands of kernels, and the memory of an instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from devproc.bundle.code.flat_steps import flat_steps
from devproc.bundle.code.program_code import ProgramCode
from devproc.bundle.interface.tensors import DTYPES, EntryTensors, Tensor
from devproc.errors import BundleError
from devproc.ir.devices import HOST
from devproc.ir.dtypes import ALIGNMENT
from devproc.runtime.execution.host_program import Slot, Step
from devproc.targets.triton import GPU
from devproc.targets.triton.launch import ALIGNMENT as POINTER_ALIGNMENT

INPUT, OUTPUT, WEIGHT, ARENA, STATE, NEXT_STATE = range(6)
"""Kinds of slots."""

STAGING, GPU_WEIGHT, GPU_ARENA = range(6, 9)
"""More kinds, of programs with a GPU."""

CALL, COPY, GPU_LAUNCH, GPU_COPY, GPU_RECORD, GPU_WAIT, GPU_SYNC = range(7)
"""Kinds of steps."""

GPU_STEPS = {
    "launch": GPU_LAUNCH,
    "copy": GPU_COPY,
    "record": GPU_RECORD,
    "wait": GPU_WAIT,
    "sync": GPU_SYNC,
}

INSTANCE_BYTES = 384
"""What the runtime reserves for an instance, before its operand pointers."""

GPU_BYTES = 112
"""What it reserves for the GPU of an instance, before the driver's handles."""


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
        """Where its bytes end in the arena, or in the weights."""
        return self.offset + self.byte_count

    def overlaps(self, other: SlotRow) -> bool:
        """Whether two operands in the arena have bytes in common."""
        return self.offset < other.end and other.offset < self.end

    def covers(self, other: SlotRow) -> bool:
        """Whether all bytes of another operand in the arena are its own."""
        return self.offset <= other.offset and other.end <= self.end


@dataclass(frozen=True)
class StepRow:
    """One kernel, with the rows of its operands; or a copy, or other work of a GPU."""

    symbol: str
    kernels: tuple[str, ...]
    where: str
    slots: tuple[SlotRow, ...]
    kind: int = CALL
    stream: int = 0
    event: int = 0
    byte_count: int = 0

    @property
    def name(self) -> str:
        """The kernels, for reports."""
        return ", ".join(self.kernels)

    @property
    def is_kernel(self) -> bool:
        """Whether it is a kernel, of the CPU or a GPU."""
        return self.kind in (CALL, GPU_LAUNCH)

    @property
    def is_aligned(self) -> bool:
        """Whether all operands begin at multiples of what kernels of a GPU take for granted."""
        return all(slot.offset % POINTER_ALIGNMENT == 0 for slot in self.slots)

    @property
    def launched(self) -> tuple[str, bool]:
        """What a launch names: the kernel, and whether as code for aligned operands."""
        return self.symbol, self.is_aligned


@dataclass(frozen=True)
class CodeRows:
    """The code of an entry for one level of processors, in the form of the runtime.

    `in_place` and `swapped` are numbers of states, among those of all entries: those that a
    call updates where they are, and those that have another place after it. `on_gpu` are those
    that lie on a GPU, `arena` and `gpu_arena` bytes.
    """

    steps: tuple[StepRow, ...]
    in_place: tuple[int, ...]
    swapped: tuple[int, ...]
    on_gpu: tuple[int, ...]
    parts: int
    arena: int
    gpu_arena: int

    @property
    def slots(self) -> list[SlotRow]:
        """The operands of all steps."""
        return [slot for step in self.steps for slot in step.slots]


@dataclass(frozen=True)
class StatePlace:
    """Where the first value of a state lies in the weights, and its places in the memory of the
    instance or of the GPU."""

    initial: int
    places: tuple[int, int]
    on_gpu: bool = False


@dataclass(frozen=True)
class Memory:
    """The memory of an instance, which is the same for all entries and levels."""

    states: tuple[StatePlace, ...]
    instance_offset: int
    gpu_offset: int
    byte_count: int
    gpu_bytes: int
    """Of the memory on the GPU, beside weights."""

    def with_handles(self, count: int) -> Memory:
        """With room for the GPU of the instance, and for handles of the driver."""
        size = aligned(self.gpu_offset + GPU_BYTES + 8 * count)
        return replace(self, byte_count=size)


def code_rows(
    code: ProgramCode,
    tensors: EntryTensors,
    weights: Mapping[str, int],
    states: Mapping[str, int],
) -> CodeRows:
    """The rows of a host program whose steps are native segments of one kernel each.

    `weights` are offsets by name, `states` the numbers of states by name.
    """
    host, inputs = code.host, len(tensors.inputs)
    numbers = [states[state.name] for state in tensors.states]
    in_place = sorted(numbers[number - inputs] for number in host.updated_inputs)
    swapped = [number for number in numbers if number not in in_place]
    place = _Places(len(tensors.outputs), inputs, numbers, swapped, weights)
    rows = [_step_row(code, *step, place) for step in flat_steps(host)]
    on_gpu = {
        numbers[slot.index - inputs]
        for slot in host.slots
        if slot.kind in ("input", "state")
        and slot.index >= inputs
        and slot.device == GPU
    }
    return CodeRows(
        tuple(_without_scratch(rows)),
        tuple(in_place),
        tuple(swapped),
        tuple(sorted(on_gpu)),
        host.parts,
        host.arenas.get(HOST, 0),
        host.arenas.get(GPU, 0),
    )


def _step_row(
    code: ProgramCode, step: Step, slots: Sequence[Slot], place: _Places
) -> StepRow:
    is_call = step.device == HOST and step.kind == "launch"
    reads = code.read_operands[step.symbol] if is_call else len(slots)
    return StepRow(
        f"{code.prefix}{step.symbol}",
        step.kernels,
        step.where,
        tuple(place.row(slot, at >= reads) for at, slot in enumerate(slots)),
        (CALL if is_call else COPY) if step.device == HOST else GPU_STEPS[step.kind],
        step.stream,
        max(step.event, 0),
        step.byte_count,
    )


@dataclass(frozen=True)
class _Places:
    """Where the slots of an entry lie; `states` are the numbers of its states among all."""

    outputs: int
    inputs: int
    states: Sequence[int]
    swapped: Sequence[int]
    weights: Mapping[str, int]

    def row(self, slot: Slot, written: bool) -> SlotRow:
        """The row of an operand."""
        kind, index, offset = self._place(slot)
        dtype = DTYPES.index(slot.dtype)
        return SlotRow(kind, index, dtype, written, offset, slot.byte_count)

    def _place(self, slot: Slot) -> tuple[int, int, int]:
        """The kind, number and offset."""
        on_gpu = slot.device == GPU
        match slot.kind:
            case "input" | "state" | "output" if slot.offset:
                raise BundleError(
                    "a bundle cannot run a loop over parts of an input, output or state; "
                    "compile the program for the CPU"
                )
            case "input" | "state":
                number = slot.index - self.inputs
                state = (STATE, self.states[number], 0) if number >= 0 else None
                return state or (INPUT, slot.index, 0)
            case "output":
                number = slot.index - self.outputs
                state = (NEXT_STATE, self.swapped[number], 0) if number >= 0 else None
                return state or (OUTPUT, slot.index, 0)
            case "weight":
                offset = self.weights[slot.key] + slot.offset
                return (GPU_WEIGHT if on_gpu else WEIGHT), 0, offset
            case "staging":
                return STAGING, 0, slot.offset
            case _:
                return (GPU_ARENA if on_gpu else ARENA), 0, slot.offset


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
    sizes = {
        False: aligned(max(code.arena for code in codes)),
        True: aligned(max(code.gpu_arena for code in codes)),
    }
    swapped = {number for code in codes for number in code.swapped}
    places: list[StatePlace] = []
    for number, state in enumerate(states):
        on_gpu = _is_on_gpu(number, state, codes)
        size, at = aligned(state.byte_count), sizes[on_gpu]
        second = at + size if number in swapped else at
        places.append(StatePlace(initial[number], (at, second), on_gpu))
        sizes[on_gpu] = second + size
    operands = max(sum(len(code.slots) for code in level) for level in levels)
    own = INSTANCE_BYTES + 8 * operands + 4 * len(states)
    gpu_offset = aligned(sizes[False] + own)
    return Memory(tuple(places), sizes[False], gpu_offset, gpu_offset, sizes[True])


def _is_on_gpu(number: int, state: Tensor, codes: Sequence[CodeRows]) -> bool:
    found = {
        number in code.on_gpu
        for code in codes
        if number in (*code.in_place, *code.swapped)
    }
    if len(found) > 1:
        raise BundleError(
            f"state '{state.name}' lies on the GPU in one entry and on the host in another; "
            "compile the entries for the same devices"
        )
    return found == {True}


def aligned(count: int) -> int:
    """A number of bytes, rounded up to the alignment of buffers."""
    return -(-count // ALIGNMENT) * ALIGNMENT
