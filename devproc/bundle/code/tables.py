"""The tables of the C runtime as LLVM constants; their layout is that of `runtime.h`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devproc.bundle.code.features import Feature
from devproc.bundle.code.gpu_program import GPUProgram, KernelRow
from devproc.bundle.code.layout import (
    CALL,
    CodeRows,
    Memory,
    SlotRow,
    StatePlace,
    StepRow,
)
from devproc.bundle.interface.tensors import DTYPES, Description, EntryTensors, Tensor
from devproc.ir.dtypes import ALIGNMENT, ITEM_SIZES

THREADINGS = ("none", "own", "callback")
"""Who runs parallel loops: the calling thread, a pool, or a function of the caller."""

_TYPES = """
%slot = type { i32, i32, i32, i32, i64, i64 }
%step = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i64 }
%tensor = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i32, i32, i32, i32, i64, [2 x i64],
                 i64 }
%feature = type { ptr, i32, i32, i32, i32, i32 }
%code = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i32 }
%level = type { ptr, ptr, ptr, i32, i32 }
%entry = type { ptr, ptr, ptr, i64, i32, i32, i32, i32 }
%program = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64,
                  i32, i32, i32, i32, i32, i32, [32 x i8] }
%kernel = type { ptr, i64, i64, i64, [3 x i32], i32, i32, i32 }
%image = type { ptr, i32, i32 }
%gpu = type { ptr, ptr, i64, i64, i64, i64, i32, i32, i32, i32 }
"""

NEVER = -1
"""The output that ends calls in a row, of an entry that is not called so."""


@dataclass(frozen=True)
class LevelTables:
    """The code for a processor, and what it needs."""

    cpu: str
    features: Sequence[Feature]
    codes: Sequence[CodeRows]


@dataclass(frozen=True)
class ProgramTables:
    """Everything that the tables say. `until` are the outputs that end calls in a row."""

    name: str
    cpu: str
    description: Description
    until: Sequence[int]
    levels: Sequence[LevelTables]
    memory: Memory
    weights_size: int
    weights_digest: bytes
    threads: int
    threading: str
    has_heap: bool
    embedded: str | None = None
    """The symbol of the embedded weights."""
    gpu: GPUProgram | None = None
    gpu_code: str | None = None
    """The symbol of the machine code of its kernels."""


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

    def external(self, name: str, byte_count: int) -> None:
        """Declares bytes of another object file."""
        self.lines.append(
            f"@{name} = external hidden constant [{byte_count} x i8], align {ALIGNMENT}"
        )

    def array(self, name: str, type_: str, rows: Iterable[str]) -> str:
        """A pointer to an array of rows; null without any."""
        values = [f"{type_} {row}" for row in rows]
        if not values:
            return "ptr null"
        self.lines.append(
            f"@{name} = private constant [{len(values)} x {type_}] [{', '.join(values)}]"
        )
        return f"ptr @{name}"


def entry_symbol(number: int) -> str:
    """The constant that describes an entry."""
    return f"bundle_entry.{number}"


def tables_text(program: ProgramTables) -> str:
    """The LLVM IR of `@bundle_tables`, and of what it points to."""
    text, described = _Text(), program.description
    codes = [code for level in program.levels for code in level.codes]
    calls = [step for code in codes for step in code.steps if step.kind == CALL]
    symbols = dict.fromkeys(step.symbol for step in calls)
    text.lines += [f"declare void @{symbol}_entry(ptr)" for symbol in symbols]
    if program.embedded is not None:
        text.external(program.embedded, program.weights_size)
    entries = [
        _add_entry(text, number, entry, until)
        for number, (entry, until) in enumerate(
            zip(described.entries, program.until, strict=True)
        )
    ]
    pointers = [
        text.string(program.name),
        text.string(program.cpu),
        text.array("levels", "%level", _level_rows(text, program)),
        text.array("entries", "ptr", entries),
        text.array("states", "%tensor", _state_rows(text, program)),
        f"ptr @{program.embedded}" if program.embedded else "ptr null",
        _add_gpu(text, program),
    ]
    wide = [
        described.identity,
        program.weights_size,
        program.memory.byte_count,
        program.memory.instance_offset,
        program.memory.gpu_offset,
    ]
    narrow = [
        *(len(program.levels), len(entries), len(described.states), program.threads),
        *(THREADINGS.index(program.threading), int(program.has_heap)),
    ]
    digest = "".join(f"\\{byte:02X}" for byte in program.weights_digest)
    fields = [*pointers, *_numbers("i64", wide), *_numbers("i32", narrow)]
    fields.append(f'[32 x i8] c"{digest}"')
    text.lines.append(f"@bundle_tables = constant %program {{ {', '.join(fields)} }}")
    return "\n".join(text.lines) + "\n"


def _numbers(type_: str, values: Iterable[int]) -> list[str]:
    return [f"{type_} {value}" for value in values]


def _row(*fields: str) -> str:
    return f"{{ {', '.join(fields)} }}"


def _add_entry(text: _Text, number: int, entry: EntryTensors, until: int) -> str:
    """Writes the constant of an entry; returns its name."""
    nowhere = StatePlace(0, (0, 0))
    arrays = [
        text.array(
            f"{kind}.{number}",
            "%tensor",
            [
                _tensor_row(text, f"{kind}.{number}.{i}", tensor, nowhere)
                for i, tensor in enumerate(tensors)
            ],
        )
        for kind, tensors in (("inputs", entry.inputs), ("outputs", entry.outputs))
    ]
    counts = (number, len(entry.inputs), len(entry.outputs), until)
    fields = [text.string(entry.name), *arrays, f"i64 {entry.identity}"]
    row = _row(*fields, *_numbers("i32", counts))
    text.lines.append(f"@{entry_symbol(number)} = constant %entry {row}")
    return f"@{entry_symbol(number)}"


def _add_gpu(text: _Text, program: ProgramTables) -> str:
    """Writes what a program has for a GPU; null without one."""
    gpu = program.gpu
    if gpu is None:
        return "ptr null"
    code = "ptr null"
    if program.gpu_code is not None:
        text.external(program.gpu_code, len(gpu.code))
        code = f"ptr @{program.gpu_code}"
    images: list[str] = []
    for image in gpu.images:
        kernels = [_kernel_row(text, kernel) for kernel in image.kernels]
        rows = text.array(f"kernels.{image.arch}", "%kernel", kernels)
        images.append(_row(rows, *_numbers("i32", (image.arch, 0))))
    wide = (gpu.arena_bytes, gpu.staging_bytes, gpu.first_weight, gpu.weight_bytes)
    narrow = (len(images), len(gpu.numbers), gpu.streams, gpu.events)
    pointers = (text.array("images", "%image", images), code)
    row = _row(*pointers, *_numbers("i64", wide), *_numbers("i32", narrow))
    text.lines.append(f"@gpu = private constant %gpu {row}")
    return "ptr @gpu"


def _kernel_row(text: _Text, kernel: KernelRow) -> str:
    grid = f"[3 x i32] [{', '.join(_numbers('i32', kernel.grid))}]"
    wide = (kernel.code, kernel.scratch, kernel.scratch_offset)
    narrow = (kernel.threads, kernel.shared_bytes, int(kernel.is_dependent))
    name = text.string(kernel.symbol)
    return _row(name, *_numbers("i64", wide), grid, *_numbers("i32", narrow))


def _level_rows(text: _Text, program: ProgramTables) -> list[str]:
    rows: list[str] = []
    for number, level in enumerate(program.levels):
        features = [_feature_row(text, feature) for feature in level.features]
        codes: list[str] = []
        first = 0
        for entry, code in enumerate(level.codes):
            symbol = f"{number}.{entry}"
            codes.append(_code_row(text, symbol, code, first, program.gpu))
            first += len(code.slots)
        pointers = [
            text.string(level.cpu),
            text.array(f"features.{number}", "%feature", features),
            text.array(f"codes.{number}", "%code", codes),
        ]
        rows.append(_row(*pointers, *_numbers("i32", (len(features), 0))))
    return rows


def _code_row(
    text: _Text, symbol: str, code: CodeRows, first: int, gpu: GPUProgram | None
) -> str:
    slots = code.slots
    pointers = [
        text.array(f"steps.{symbol}", "%step", _step_rows(text, code.steps, gpu)),
        text.array(f"slots.{symbol}", "%slot", map(_slot_row, slots)),
        text.array(f"swapped.{symbol}", "i32", map(str, code.swapped)),
    ]
    counts = (len(code.steps), len(slots), len(code.swapped), first, code.parts, 0)
    return _row(*pointers, *_numbers("i32", counts))


def _step_rows(
    text: _Text, steps: Iterable[StepRow], gpu: GPUProgram | None
) -> list[str]:
    rows: list[str] = []
    first = 0
    for step in steps:
        called = f"ptr @{step.symbol}_entry" if step.kind == CALL else "ptr null"
        number = 0 if gpu is None else gpu.number(step)
        narrow = (first, len(step.slots), step.kind, step.stream, number, 0)
        texts = map(text.string, (step.name, step.where))
        wide = f"i64 {step.byte_count}"
        rows.append(_row(called, *texts, *_numbers("i32", narrow), wide))
        first += len(step.slots)
    return rows


def _slot_row(slot: SlotRow) -> str:
    narrow = (slot.kind, slot.index, slot.dtype, int(slot.written))
    wide = (slot.offset, slot.byte_count)
    return _row(*_numbers("i32", narrow), *_numbers("i64", wide))


def _feature_row(text: _Text, feature: Feature) -> str:
    return _row(text.string(feature.name), *_numbers("i32", feature[1:]))


def _state_rows(text: _Text, program: ProgramTables) -> list[str]:
    states = zip(program.description.states, program.memory.states, strict=True)
    return [
        _tensor_row(text, f"states.{number}", tensor, place)
        for number, (tensor, place) in enumerate(states)
    ]


def _tensor_row(text: _Text, symbol: str, tensor: Tensor, place: StatePlace) -> str:
    names = (tensor.name, tensor.dtype, tensor.layout, tensor.meaning, tensor.unit)
    fields = [text.string(name) for name in names]
    fields.append(text.array(f"{symbol}.shape", "i64", map(str, tensor.shape)))
    fields.append(text.array(f"{symbol}.strides", "i64", map(str, tensor.strides)))
    fields.append(f"i64 {tensor.byte_count}")
    dtype, item = DTYPES.index(tensor.dtype), ITEM_SIZES[tensor.dtype]
    fields += _numbers("i32", (len(tensor.shape), dtype, item, tensor.bound))
    fields.append(f"i64 {place.initial}")
    fields.append(f"[2 x i64] [{', '.join(_numbers('i64', place.places))}]")
    return _row(*fields, f"i64 {int(place.on_gpu)}")
