"""The tables of the C runtime as LLVM constants; their layout is that of `runtime.h`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from devproc.bundle.code.features import Feature
from devproc.bundle.interface.tensors import DTYPES, Description, Tensor
from devproc.ir.devices import HOST
from devproc.ir.dtypes import ALIGNMENT, ITEM_SIZES
from devproc.runtime.execution.host_program import HostProgram

INPUT, OUTPUT, WEIGHT, ARENA, STATE, NEXT_STATE = range(6)
"""Kinds of slots."""

THREADINGS = ("none", "own", "callback")
"""Who runs parallel loops: the calling thread, a pool, or a function of the caller."""

INSTANCE_BYTES = 384
"""What the runtime reserves for an instance, before its operand pointers."""

_TYPES = """
%slot = type { i32, i32, i32, i32, i64, i64 }
%step = type { ptr, ptr, ptr, i32, i32 }
%tensor = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i32, i32, i32, i32, i64, i64,
                 [2 x i64] }
%feature = type { ptr, i32, i32, i32, i32, i32 }
%program = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64,
                  i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, [32 x i8] }
"""


@dataclass(frozen=True)
class SlotRow:
    """One operand of a kernel."""

    kind: int
    index: int
    dtype: int
    written: bool
    offset: int
    byte_count: int


@dataclass(frozen=True)
class StepRow:
    """One kernel, with the rows of its operands."""

    symbol: str
    name: str
    where: str
    slots: tuple[SlotRow, ...]


@dataclass(frozen=True)
class StatePlace:
    """Where the first value of a state lies in the weights, and its places in the memory."""

    initial: int
    places: tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """The host program in the form of the runtime: steps, and the memory of an instance."""

    steps: tuple[StepRow, ...]
    states: tuple[StatePlace, ...]
    instance_offset: int
    memory_bytes: int
    parts: int
    part_bytes: Mapping[tuple[int, int], int] = field(
        default_factory=dict[tuple[int, int], int]
    )
    """Kind and index of an input or output -> bytes of one part of a batch."""


def lay_out(
    host: HostProgram,
    description: Description,
    read_operands: Mapping[str, int],
    weights: Mapping[str, int],
) -> Layout:
    """The rows of a host program whose steps are native segments of one kernel each.

    `weights` are offsets by name; `read_operands` as in `CodeTextBuilder`.
    """
    inputs, outputs = len(description.inputs), len(description.outputs)
    in_place = {number - inputs for number in host.updated_inputs}
    apart = [n for n in range(len(description.states)) if n not in in_place]

    def row(number: int, written: bool) -> SlotRow:
        slot = host.slots[number]
        kind, index, offset = ARENA, 0, slot.offset
        match slot.kind:
            case "input" | "state":
                kind, index, offset = INPUT, slot.index, 0
                if index >= inputs:
                    kind, index = STATE, index - inputs
            case "output":
                kind, index, offset = OUTPUT, slot.index, 0
                if index >= outputs:
                    kind, index = NEXT_STATE, apart[index - outputs]
            case "weight":
                kind, offset = WEIGHT, weights[slot.key]
            case _:
                pass
        dtype = DTYPES.index(slot.dtype)
        return SlotRow(kind, index, dtype, written, offset, slot.byte_count)

    steps: list[StepRow] = []
    for step in host.steps:
        reads = read_operands[step.symbol]
        rows = (row(number, at >= reads) for at, number in enumerate(step.slots))
        name = ", ".join(step.kernels)
        steps.append(StepRow(step.symbol, name, step.where, tuple(rows)))
    part_bytes = {
        (kind, slot.index): slot.byte_count
        for slot in host.slots
        for kind in (INPUT, OUTPUT)
        if slot.kind == ("input", "output")[kind]
    }
    arena = _aligned(host.arenas.get(HOST, 0))
    states, at = _place_states(description.states, in_place, weights, arena)
    operands = sum(len(step.slots) for step in steps)
    memory = _aligned(at + INSTANCE_BYTES + 8 * operands)
    return Layout(tuple(steps), states, at, memory, host.parts, part_bytes)


def _aligned(count: int) -> int:
    return -(-count // ALIGNMENT) * ALIGNMENT


def _place_states(
    states: Sequence[Tensor], in_place: set[int], weights: Mapping[str, int], at: int
) -> tuple[tuple[StatePlace, ...], int]:
    """The places of the states from offset `at` on, and the offset after them."""
    found: list[StatePlace] = []
    for number, state in enumerate(states):
        size = _aligned(state.byte_count)
        second = at if number in in_place else at + size
        found.append(StatePlace(weights[state.name], (at, second)))
        at = second + size
    return tuple(found), at


@dataclass(frozen=True)
class ProgramTables:
    """Everything that the tables say besides the layout."""

    name: str
    cpu: str
    description: Description
    layout: Layout
    features: Sequence[Feature]
    weights_size: int
    weights_digest: bytes
    threads: int
    threading: str
    has_heap: bool
    embedded: str | None = None
    """The symbol of the embedded weights."""


class _Text:
    """Constants being written: arrays and strings get numbered globals."""

    def __init__(self) -> None:
        self.lines: list[str] = [_TYPES]
        self._strings: dict[str, str] = {}

    def string(self, text: str) -> str:
        """A pointer to a string that ends in a zero."""
        if text not in self._strings:
            name = f"@text.{len(self._strings)}"
            data = text.encode() + b"\0"
            body = "".join(f"\\{byte:02X}" for byte in data)
            self.lines.append(
                f'{name} = private unnamed_addr constant [{len(data)} x i8] c"{body}"'
            )
            self._strings[text] = name
        return f"ptr {self._strings[text]}"

    def array(self, name: str, type_: str, rows: Iterable[str]) -> str:
        """A pointer to an array of rows; null without any."""
        values = [f"{type_} {row}" for row in rows]
        if not values:
            return "ptr null"
        self.lines.append(
            f"@{name} = private constant [{len(values)} x {type_}] [{', '.join(values)}]"
        )
        return f"ptr @{name}"


def tables_text(program: ProgramTables) -> str:
    """The LLVM IR of `@bundle_tables`, and of what it points to."""
    text, layout = _Text(), program.layout
    entries = dict.fromkeys(step.symbol for step in layout.steps)
    text.lines += [f"declare void @{symbol}_entry(ptr)" for symbol in entries]
    if program.embedded is not None:
        text.lines.append(
            f"@{program.embedded} = external hidden constant "
            f"[{program.weights_size} x i8], align {ALIGNMENT}"
        )
    slots = [slot for step in layout.steps for slot in step.slots]
    pointers = [
        text.string(program.name),
        text.string(program.cpu),
        text.array("steps", "%step", _step_rows(text, layout.steps)),
        text.array("slots", "%slot", map(_slot_row, slots)),
        *_tensor_arrays(text, program),
        text.array(
            "features", "%feature", (_feature_row(text, f) for f in program.features)
        ),
        f"ptr @{program.embedded}" if program.embedded else "ptr null",
    ]
    described = program.description
    wide = [
        described.identity,
        program.weights_size,
        layout.memory_bytes,
        layout.instance_offset,
    ]
    narrow = [
        *(len(layout.steps), len(slots)),
        *(len(described.inputs), len(described.outputs), len(described.states)),
        *(len(program.features), layout.parts, program.threads),
        *(THREADINGS.index(program.threading), int(program.has_heap)),
    ]
    digest = "".join(f"\\{byte:02X}" for byte in program.weights_digest)
    fields = [*pointers, *(f"i64 {n}" for n in wide), *(f"i32 {n}" for n in narrow)]
    fields.append(f'[32 x i8] c"{digest}"')
    text.lines.append(f"@bundle_tables = constant %program {{ {', '.join(fields)} }}")
    return "\n".join(text.lines) + "\n"


def _step_rows(text: _Text, steps: Iterable[StepRow]) -> list[str]:
    rows: list[str] = []
    first = 0
    for step in steps:
        names = f"{text.string(step.name)}, {text.string(step.where)}"
        count = len(step.slots)
        rows.append(
            f"{{ ptr @{step.symbol}_entry, {names}, i32 {first}, i32 {count} }}"
        )
        first += count
    return rows


def _slot_row(slot: SlotRow) -> str:
    narrow = (slot.kind, slot.index, slot.dtype, int(slot.written))
    numbers = [f"i32 {n}" for n in narrow]
    numbers += [f"i64 {n}" for n in (slot.offset, slot.byte_count)]
    return f"{{ {', '.join(numbers)} }}"


def _feature_row(text: _Text, feature: Feature) -> str:
    numbers = ", ".join(f"i32 {number}" for number in feature[1:])
    return f"{{ {text.string(feature.name)}, {numbers} }}"


def _tensor_arrays(text: _Text, program: ProgramTables) -> list[str]:
    layout, described = program.layout, program.description
    nowhere = StatePlace(0, (0, 0))
    groups = (
        ("inputs", described.inputs, INPUT),
        ("outputs", described.outputs, OUTPUT),
        ("states", described.states, STATE),
    )
    found: list[str] = []
    for name, tensors, kind in groups:
        places = layout.states if kind == STATE else (nowhere,) * len(tensors)
        rows = [
            _tensor_row(
                text,
                f"{name}.{i}",
                t,
                layout.part_bytes.get((kind, i), t.byte_count),
                place,
            )
            for i, (t, place) in enumerate(zip(tensors, places, strict=True))
        ]
        found.append(text.array(name, "%tensor", rows))
    return found


def _tensor_row(
    text: _Text, symbol: str, tensor: Tensor, part: int, place: StatePlace
) -> str:
    names = (tensor.name, tensor.dtype, tensor.layout, tensor.meaning, tensor.unit)
    fields = [text.string(name) for name in names]
    fields.append(text.array(f"{symbol}.shape", "i64", map(str, tensor.shape)))
    fields.append(text.array(f"{symbol}.strides", "i64", map(str, tensor.strides)))
    fields.append(f"i64 {tensor.byte_count}")
    dtype, item = DTYPES.index(tensor.dtype), ITEM_SIZES[tensor.dtype]
    fields += [f"i32 {n}" for n in (len(tensor.shape), dtype, item, tensor.bound)]
    fields += [f"i64 {part}", f"i64 {place.initial}"]
    fields.append(f"[2 x i64] [i64 {place.places[0]}, i64 {place.places[1]}]")
    return f"{{ {', '.join(fields)} }}"
