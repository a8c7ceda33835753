"""What a bundle is to be: its machine, its tensors, its packed weights, its tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devproc.bundle.code.gpu_program import GPUProgram, gpu_program
from devproc.bundle.code.layout import CodeRows, Memory, code_rows, lay_out_memory
from devproc.bundle.code.machines import Machine, find_machine
from devproc.bundle.code.program_code import (
    API,
    ENTRY_API,
    REPEAT_API,
    ProgramCode,
    program_code,
    required_processor,
)
from devproc.bundle.code.weights import PackedWeights, pack_weights
from devproc.bundle.interface.names import camel_case
from devproc.bundle.interface.tensors import C_WORDS, Description, describe
from devproc.errors import BundleError
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.machine.processors import CPUS, NATIVE, RequiredCPU
from devproc.targets.triton import GPU

if TYPE_CHECKING:
    from devproc.program import Program


@dataclass(frozen=True)
class Level:
    """The code of all entries for one level of processors."""

    cpu: RequiredCPU
    codes: Sequence[ProgramCode]
    rows: Sequence[CodeRows]
    weight_bytes: int
    """Of the weights that it reads; levels share equal ones."""

    @property
    def name(self) -> str:
        """The name of the processor; of this machine with LLVM's name for it."""
        name = self.cpu.name
        return f"{name} ({CPUTarget.host().cpu})" if name == NATIVE else name


@dataclass(frozen=True)
class Plan:
    """What is asked for, and what the program is; the best level comes first."""

    name: str
    machine: Machine
    cpu: str
    weights: str
    threading: str
    small: bool
    levels: Sequence[Level]
    description: Description
    packed: PackedWeights
    memory: Memory
    gpu: GPUProgram | None

    @property
    def threads(self) -> int:
        """The threads that the program was compiled for."""
        return max(code.threads for level in self.levels for code in level.codes)

    @property
    def until(self) -> Sequence[int | None]:
        """Of each entry: the output that ends calls in a row; None without such calls."""
        repeats = [code.host.repeat for code in self.levels[0].codes]
        return [None if repeat is None else repeat.until for repeat in repeats]

    @property
    def exported(self) -> list[str]:
        """The functions of the interface."""
        found = [f"{self.name}_{function}" for function in API]
        for entry, until in zip(self.description.entries, self.until, strict=True):
            functions = ENTRY_API if until is None else (*ENTRY_API, *REPEAT_API)
            found += [f"{entry.prefix(self.name)}_{function}" for function in functions]
        return found


def make_plan(
    levels: Sequence[Mapping[str, Program]],
    name: str | None,
    cpu: str | None,
    os: str | None,
    weights: str,
    threading: str,
    small: bool,
) -> Plan:
    """The plan for the programs of entries, at each level.

    Raises BundleError for what does not fit together.
    """
    programs = list(levels[0].values())
    name = _valid_name(name, programs[0])
    foreign = [entry for entry in levels[0] if not entry.isascii()]
    if foreign:
        raise BundleError(
            f"entry '{foreign[0]}' begins the names of C functions: name it with letters of "
            "ASCII, digits and underscores"
        )
    codes = [_level_codes(level, len(levels) > 1) for level in levels]
    machine = _machine(codes[0][0], cpu, os)
    _require_possible(machine, weights)
    description = Description(
        tuple(
            describe(entry, p.interface, p.artifact.program_text)
            for entry, p in levels[0].items()
        )
    )
    _require_distinct_names(description)
    packed = _packed(levels, codes)
    planned = _planned_levels(codes, description, packed)
    memory = lay_out_memory(
        [level.rows for level in planned],
        description.states,
        _initial(description, packed),
    )
    gpu = _gpu(planned, machine, memory)
    if gpu is not None:
        handles = gpu.streams + gpu.events + 2 * len(gpu.numbers)
        memory = memory.with_handles(handles)
    shown = ", ".join(level.name for level in planned)
    return Plan(
        name,
        machine,
        shown if cpu is None else cpu,
        weights,
        threading,
        small,
        planned,
        description,
        packed,
        memory,
        gpu,
    )


def _require_possible(machine: Machine, weights: str) -> None:
    """Raises BundleError for what cannot be made here, or for this machine."""
    if machine.architecture == "x86_64" != CPUTarget.host().architecture:
        raise BundleError(
            "a bundle for x86_64 asks the CPU with instructions that LLVM assembles on such "
            "a machine alone; export it there"
        )
    if weights == "embed" and not machine.has_elf:
        raise BundleError(
            f"weights are embedded in ELF files, and {machine.name} has others; use "
            "weights='file'"
        )


def _gpu(
    levels: Sequence[Level], machine: Machine, memory: Memory
) -> GPUProgram | None:
    """What the program has on a GPU; raises BundleError for a machine that has none."""
    first, *others = levels
    if all(code.gpu is None for code in first.codes):
        return None
    if others:
        raise BundleError(
            "a library for several processors has no code for a GPU; export one processor"
        )
    if not machine.has_gpu:
        raise BundleError(
            f"a bundle drives a GPU on Linux, by x86_64 or aarch64, not on {machine.name}"
        )
    return gpu_program(first.codes, first.rows, memory.gpu_bytes)


def by_level(programs: Sequence[Mapping[str, Program]]) -> list[Mapping[str, Program]]:
    """The same program compiled for several processors, the best one first.

    Raises BundleError for programs that differ, and for processors that cannot be told apart.
    """
    if len(programs) == 1:
        return list(programs)
    cpus = [_required(level) for level in programs]
    names = ", ".join(cpu.name for cpu in cpus)
    if {cpu.architecture for cpu in cpus} != {"x86_64"}:
        raise BundleError(
            f"a library chooses between processors of x86_64 alone, and the programs are for "
            f"{names}"
        )
    if len({cpu.features for cpu in cpus}) < len(cpus):
        raise BundleError(f"two programs are for one processor: {names}")
    first, *others = ([(n, p.interface) for n, p in one.items()] for one in programs)
    if any(other != first for other in others):
        raise BundleError(
            "the programs of the levels have different entries, inputs, outputs or states; "
            "compile the same source for each processor"
        )
    order = sorted(range(len(cpus)), key=lambda n: -len(cpus[n].features))
    return [programs[number] for number in order]


def _required(level: Mapping[str, Program]) -> RequiredCPU:
    """The processor of the first entry; the others are compared with it later."""
    return required_processor(next(iter(level.values())))


def _valid_name(name: str | None, program: Program) -> str:
    title = re.search(r'devproc\.name = "([^"]*)"', program.artifact.program_text)
    name = name or re.sub(r"\W", "_", title[1] if title else "program").lower()
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in C_WORDS:
        raise BundleError(
            f"name='{name}' begins the names of C functions: give letters, digits and "
            "underscores, such as 'classify'"
        )
    return name


def _require_distinct_names(description: Description) -> None:
    """Raises BundleError for two entries that make one name in C, Rust or Go."""
    types: dict[str, str] = {}
    macros: dict[str, tuple[str, str]] = {}
    for entry in description.entries:
        other = types.setdefault(camel_case(entry.name).lower(), entry.name)
        if other != entry.name:
            raise BundleError(
                f"entries '{other}' and '{entry.name}' differ in case and underscores alone, "
                "and would have macros and types of the same names: rename one of them"
            )
        for tensor in (*entry.inputs, *entry.outputs):
            macro = f"{entry.name}_{tensor.member}".upper()
            first = macros.setdefault(macro, (entry.name, tensor.name))
            if first != (entry.name, tensor.name):
                raise BundleError(
                    f"'{first[1]}' of entry '{first[0]}' and '{tensor.name}' of entry "
                    f"'{entry.name}' would have the same macro, ..._{macro}_COUNT: rename one "
                    "of them"
                )


def _level_codes(level: Mapping[str, Program], several: bool) -> list[ProgramCode]:
    """The code of all entries, each with names of its own; with the level, if of several."""
    own = re.sub(r"\W", "_", _required(level).name) + "." if several else ""
    codes = [
        program_code(program, f"{own}{entry}." if entry else own)
        for entry, program in level.items()
    ]
    cpus = dict.fromkeys(code.cpu.name for code in codes)
    if len(cpus) > 1:
        raise BundleError(
            f"the entries were compiled for several processors, {', '.join(cpus)}; compile "
            "all for the same"
        )
    return codes


def _packed(
    levels: Sequence[Mapping[str, Program]], codes: Sequence[Sequence[ProgramCode]]
) -> PackedWeights:
    return pack_weights(
        (program.weights, _weight_names(program, code))
        for level, own in zip(levels, codes, strict=True)
        for program, code in zip(level.values(), own, strict=True)
    )


def _weight_names(program: Program, code: ProgramCode) -> list[str]:
    """The weights that kernels read, those on a GPU first, and the first values of states."""
    slots = [slot for slot in code.host.slots if slot.kind == "weight"]
    on_gpu = sorted({slot.key for slot in slots if slot.device == GPU})
    on_host = {slot.key for slot in slots} | {s.name for s in program.interface.states}
    return [*on_gpu, *sorted(on_host - set(on_gpu))]


def _planned_levels(
    codes: Sequence[Sequence[ProgramCode]],
    description: Description,
    packed: PackedWeights,
) -> list[Level]:
    states = {state.name: n for n, state in enumerate(description.states)}
    offsets = iter(packed.offsets)
    found: list[Level] = []
    for own in codes:
        tables = [next(offsets) for _ in own]
        entries = zip(own, description.entries, tables, strict=True)
        rows = [code_rows(*entry, states) for entry in entries]
        places = {place for table in tables for place in table.values()}
        size = sum(packed.sizes[place] for place in places)
        found.append(Level(own[0].cpu, own, rows, size))
    return found


def _initial(description: Description, packed: PackedWeights) -> list[int]:
    """Where the first value of each state lies in the weights."""
    places = dict[str, int]()
    for entry, offsets in zip(description.entries, packed.offsets):
        places |= {state.name: offsets[state.name] for state in entry.states}
    return [places[state.name] for state in description.states]


def _machine(code: ProgramCode, cpu: str | None, os: str | None) -> Machine:
    """The machine for a program's code; raises BundleError for another processor's."""
    required = code.cpu
    if cpu is None or cpu == required.name:
        return find_machine(required.architecture, os)
    if cpu in CPUS:
        raise BundleError(
            f"the program was compiled for cpu '{required.name}'; compile it with "
            f"cpu='{cpu}' for a bundle for that"
        )
    machine = find_machine(cpu, os)
    if machine.program_architecture != required.architecture:
        raise BundleError(
            f"a bundle for '{cpu}' is made of a program for "
            f"{machine.program_architecture}, and this one was compiled for cpu "
            f"'{required.name}'; compile it with cpu='{machine.program_architecture}'"
        )
    return machine
