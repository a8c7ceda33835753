"""Writes the bundle of a compiled program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from devproc.bundle.code.archive import Member, archive
from devproc.bundle.code.elf import data_object, undefined_symbols
from devproc.bundle.code.features import features_of
from devproc.bundle.code.linker import Linker, find_linker
from devproc.bundle.code.machines import NO_HEAP, Machine, find_machine
from devproc.bundle.code.program_code import (
    API,
    ProgramCode,
    program_code,
    runtime_texts,
)
from devproc.bundle.code.shared_library import IMPORTS, shared_library
from devproc.bundle.code.tables import (
    THREADINGS,
    Layout,
    ProgramTables,
    lay_out,
    tables_text,
)
from devproc.bundle.code.weights import PackedWeights, pack_weights
from devproc.bundle.files.building import cmake, pkg_config, readme
from devproc.bundle.files.header import header
from devproc.bundle.files.programs import main_program, selftest_program
from devproc.bundle.files.wrapper import wrapper
from devproc.bundle.golden.cases import Case, make_cases, output_bounds
from devproc.bundle.golden.file import golden_file
from devproc.bundle.golden.record import record_kernels, require_agreement
from devproc.bundle.interface.description import (
    SCHEMA,
    BundleDescription,
    KernelEntry,
    ThreadsEntry,
    WeightsEntry,
)
from devproc.bundle.interface.library import Library
from devproc.bundle.interface.tensors import C_WORDS, Description, describe
from devproc.errors import BundleError, CompileError
from devproc.targets.cpu.jit import link_modules
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.machine.processors import CPUS, NATIVE

if TYPE_CHECKING:
    from devproc.program import Program

FORMATS = ("embed", "file")

ALLOWED = frozenset(
    (*IMPORTS, "_aligned_malloc", "_aligned_free", "_fltused", "__stack_chk_fail")
)
"""What object code of any system may import; soft floats of the compiler come on top."""

SOFT_FLOAT = re.compile(r"__(aeabi_\w+|\w*df\w*|\w*sf\w*|\w*di3|chkstk)")


@dataclass(frozen=True)
class Bundle:
    """A bundle that was written: its files with their sizes, and what the code imports."""

    folder: Path
    name: str
    machine: str
    sizes: Mapping[str, int]
    imports: tuple[str, ...]

    def __str__(self) -> str:
        rows = [f"  {size:>12,}  {file}" for file, size in self.sizes.items()]
        imports = ", ".join(self.imports) or "nothing"
        title = f"bundle '{self.name}' for {self.machine} in {self.folder}"
        return "\n".join([title, *rows, f"  imports {imports}"])


@dataclass(frozen=True)
class _Plan:
    """What is asked for, and what the program is."""

    name: str
    machine: Machine
    cpu: str
    weights: str
    threading: str
    code: ProgramCode
    description: Description
    packed: PackedWeights
    layout: Layout


def export_bundle(
    program: Program,
    folder: str | Path,
    *,
    name: str | None = None,
    cpu: str | None = None,
    os: str | None = None,
    weights: str = "file",
    threads: str = "none",
    reference: Any = None,
    inputs: Sequence[Mapping[str, Any]] | None = None,
    linker: str | None = None,
) -> Bundle:
    """Writes a program as a C library with all that belongs to it into a folder.

    See `Program.export_bundle`.
    """
    _check("weights", weights, FORMATS)
    _check("threads", threads, THREADINGS)
    plan = _plan(program, name, cpu, os, weights, threads)
    machine = plan.machine
    chosen = find_linker(machine, linker) if machine.libc else None
    cases = make_cases(program, reference, inputs)
    objects, imports = _objects(plan)
    files = _code_files(plan, objects, chosen)
    files |= _texts(plan, imports, list(files))
    files[f"{plan.name}.golden"] = _golden(plan, program, files, cases)
    path = Path(folder)
    _write(path, plan.name, files)
    sizes = {file: len(data) for file, data in files.items()}
    return Bundle(path, plan.name, machine.name, sizes, tuple(imports))


def _write(folder: Path, name: str, files: Mapping[str, bytes]) -> None:
    """Writes the files; a process that has mapped an older one keeps that."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in files.items():
            (folder / file).unlink(missing_ok=True)
            (folder / file).write_bytes(data)
        if f"lib{name}.so.1" in files:
            link = folder / f"lib{name}.so"
            link.unlink(missing_ok=True)
            link.symlink_to(f"lib{name}.so.1")
    except OSError as error:
        raise BundleError(f"cannot write the bundle into {folder}: {error}") from error


def _check(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise BundleError(f"{what}='{value}': one of {', '.join(known)}")


def _plan(
    program: Program,
    name: str | None,
    cpu: str | None,
    os: str | None,
    weights: str,
    threading: str,
) -> _Plan:
    title = re.search(r'devproc\.name = "([^"]*)"', program.artifact.program_text)
    name = name or re.sub(r"\W", "_", title[1] if title else "program").lower()
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in C_WORDS:
        raise BundleError(
            f"name='{name}' begins the names of C functions: give letters, digits and "
            "underscores, such as 'classify'"
        )
    code = program_code(program)
    machine = _machine(code, cpu, os)
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
    description = describe(program.interface, program.artifact.program_text)
    names = {slot.key for slot in code.host.slots if slot.kind == "weight"}
    names |= {state.name for state in program.interface.states}
    packed = pack_weights(program.weights, names)
    layout = lay_out(code.host, description, code.read_operands, packed.offsets)
    return _Plan(
        name,
        machine,
        _cpu_name(cpu or code.cpu.name),
        weights,
        threading,
        code,
        description,
        packed,
        layout,
    )


def _cpu_name(cpu: str) -> str:
    """The name of a processor; of this machine with LLVM's name for it."""
    return f"{cpu} ({CPUTarget.host().cpu})" if cpu == NATIVE else cpu


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


def _objects(
    plan: _Plan, target: CPUTarget | None = None
) -> tuple[list[Member], list[str]]:
    """The object files, and what they import from outside; `target` is LLVM's."""
    name, machine, code = plan.name, plan.machine, plan.code
    embedded = f"{name}_embedded_weights" if plan.weights == "embed" else None
    x86 = code.cpu.architecture == "x86_64"
    tables = ProgramTables(
        name,
        plan.cpu,
        plan.description,
        plan.layout,
        features_of(code.cpu.features) if x86 else (),
        len(plan.packed.data),
        plan.packed.digest,
        code.threads,
        plan.threading,
        machine.memory != NO_HEAP,
        embedded,
    )
    exported = [f"{name}_{function}" for function in API]
    plain = [*runtime_texts(name, machine, plan.threading), tables_text(tables)]
    codes = [(text.ir, text.options) for text in code.texts]
    target = target or machine.target(code.cpu.name)
    data, declared = link_modules(codes, plain, target, exported)
    members = [Member(f"{name}.o", data, exported)]
    imports = undefined_symbols(data) if machine.has_elf else sorted(declared)
    if embedded is not None:
        weights = data_object(machine, embedded, plan.packed.data)
        members.append(Member(f"{name}_weights.o", weights, [embedded]))
        imports.remove(embedded)
    foreign = [n for n in imports if n not in ALLOWED and not SOFT_FLOAT.match(n)]
    if foreign:
        raise CompileError(
            f"the code of the bundle would import {', '.join(foreign)}, which no bundle "
            "may; this is a fault of the lowering of a kernel"
        )
    return members, imports


def _code_files(
    plan: _Plan, objects: Sequence[Member], linker: Linker | None
) -> dict[str, bytes]:
    name = plan.name
    files = {member.name: member.data for member in objects}
    if plan.machine.has_elf:
        files[f"lib{name}.a"] = archive(objects)
    if linker is not None:
        exported = [f"{name}_{function}" for function in API]
        data = [member.data for member in objects]
        files[f"lib{name}.so.1"] = shared_library(
            data, name, plan.machine, linker, exported
        )
    if plan.weights == "file":
        files[f"{name}.weights"] = plan.packed.data
    return files


def _texts(
    plan: _Plan, imports: Sequence[str], code_files: Sequence[str]
) -> dict[str, bytes]:
    name, described, threading = plan.name, plan.description, plan.threading
    memory, size = plan.layout.memory_bytes, len(plan.packed.data)
    texts = {
        f"{name}.h": header(
            name, plan.cpu, described, memory, size, plan.weights, threading
        ),
        f"{name}.hpp": wrapper(name),
        f"{name}.json": _description(plan, imports).to_json(),
        "selftest.c": selftest_program(name, plan.weights),
        "main.c": main_program(name, described, plan.weights),
        "CMakeLists.txt": cmake(name, threading),
        f"{name}.pc": pkg_config(name, threading),
    }
    kinds = _kinds(name)
    listed = [*code_files, *texts, f"{name}.golden"]
    texts["README.md"] = readme(
        name,
        plan.machine.name,
        plan.cpu,
        described,
        [(file, kinds[file]) for file in listed],
        imports,
        memory,
        threading,
    )
    return {file: text.encode() for file, text in texts.items()}


def _kinds(name: str) -> dict[str, str]:
    return {
        f"{name}.o": "the code as one object file",
        f"{name}_weights.o": "the weights as an object file",
        f"lib{name}.a": "the same as a static library",
        f"lib{name}.so.1": "the same as a shared library",
        f"{name}.weights": "the weights, to be mapped or read",
        f"{name}.golden": "inputs and results, by which the library tests itself",
        f"{name}.h": "the interface for C",
        f"{name}.hpp": "the interface for C++17",
        f"{name}.json": "the interface for other tools",
        "selftest.c": "runs the golden cases",
        "main.c": "one inference from raw bytes",
        "CMakeLists.txt": "for CMake",
        f"{name}.pc": "for pkg-config",
    }


def _description(plan: _Plan, imports: Sequence[str]) -> BundleDescription:
    described = plan.description
    return BundleDescription(
        SCHEMA,
        plan.name,
        plan.machine.name,
        plan.machine.triple,
        plan.cpu,
        plan.code.cpu.features,
        1,
        f"0x{described.identity:016x}",
        plan.layout.memory_bytes,
        ThreadsEntry(plan.threading, plan.code.threads),
        WeightsEntry(plan.weights, len(plan.packed.data), plan.packed.digest.hex()),
        tuple(imports),
        API,
        tuple(t.entry for t in described.inputs),
        tuple(t.entry for t in described.outputs),
        tuple(t.entry for t in described.states),
        tuple(
            KernelEntry(step.name, step.where, len(step.slots))
            for step in plan.layout.steps
        ),
    )


def _golden(
    plan: _Plan, program: Program, files: Mapping[str, bytes], cases: Sequence[Case]
) -> bytes:
    """The golden cases; where a library of the code runs here, they are compared with
    what it computes, and have what its kernels write.
    """
    bounds = output_bounds(program.interface, program.artifact.exactness)
    kernels: list[list[bytes]] | None = None
    here = plan.machine.os == "linux" and program.artifact.why_not_here() is None
    runnable = files if here else _twin(plan)
    if runnable is not None:
        # In a folder of its own: a process that has loaded a library keeps it, by its path.
        with TemporaryDirectory() as made:
            _write(Path(made), plan.name, runnable)
            library = Library(made)
            require_agreement(library, cases, bounds)
            kernels = record_kernels(library, plan.layout.steps, cases)
            library.close()
    return golden_file(plan.description.identity, bounds, cases, kernels)


def _twin(plan: _Plan) -> dict[str, bytes] | None:
    """A library of the same kernels for this machine, if their IR is portable to it.

    Its values are not the same bits, but near enough to find a kernel that is wrong.
    """
    host = CPUTarget.host()
    machine = find_machine(host.architecture, "linux")
    if host.architecture == plan.code.cpu.architecture:
        return (
            None  # The code of another level may need instructions that are not here.
        )
    twin = replace(plan, machine=machine, weights="file", threading="none")
    try:
        objects, imports = _objects(twin, host)
        files = _code_files(twin, objects, find_linker(machine))
    except CompileError:
        return None
    return files | _texts(twin, imports, list(files))
