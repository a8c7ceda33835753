"""Writes the bundle of a compiled program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from devproc.bundle.code.archive import Member, archive
from devproc.bundle.code.layout import CALL, CodeRows
from devproc.bundle.code.linker import Linker, find_linker
from devproc.bundle.code.machines import find_machine
from devproc.bundle.code.objects import object_files
from devproc.bundle.code.plan import Plan, by_level, make_plan
from devproc.bundle.code.shared_library import shared_library
from devproc.bundle.code.sizes import CodeSizes, code_sizes
from devproc.bundle.code.tables import THREADINGS
from devproc.bundle.golden.cases import (
    Bound,
    Case,
    make_cases,
    output_bounds,
    why_not_run,
)
from devproc.bundle.golden.file import golden_section
from devproc.bundle.golden.record import record_kernels, require_agreement
from devproc.bundle.interface.library import Library
from devproc.bundle.texts import text_files
from devproc.errors import BundleError, CompileError
from devproc.runtime.entries import Entries
from devproc.targets.cpu.machine.cpu_target import CPUTarget

if TYPE_CHECKING:
    from devproc.program import Program


@dataclass(frozen=True)
class Bundle:
    """A bundle that was written: its files with their sizes, and what the code imports."""

    folder: Path
    name: str
    machine: str
    sizes: Mapping[str, int]
    imports: tuple[str, ...]
    code: CodeSizes | None
    """What the code consists of, where the object file is ELF."""
    weights: Mapping[str, int]
    """Bytes that the code for a processor reads; several share equal weights."""

    def __str__(self) -> str:
        rows = [f"  {size:>12,}  {file}" for file, size in self.sizes.items()]
        imports = ", ".join(self.imports) or "nothing"
        title = f"bundle '{self.name}' for {self.machine} in {self.folder}"
        return "\n".join([title, *rows, *self._code(), f"  imports {imports}"])

    def _code(self) -> list[str]:
        """The parts of the code, and the kernels, the largest first."""
        if self.code is None:
            return []
        found = self.code
        kernels = sorted(found.kernels.items(), key=lambda row: -row[1])
        parts = (
            f"  code: {sum(found.kernels.values()):,} bytes of kernels, "
            f"{found.launches:,} of launches, {found.runtime:,} of the C runtime; "
            f"{found.tables:,} of constants and tables"
        )
        read = [f"  weights for {cpu}: {n:,} bytes" for cpu, n in self.weights.items()]
        return [parts, *(f"    {size:>10,}  {name}" for name, size in kernels), *read]


FORMATS = ("embed", "file")


def export_bundle(
    program: Program | Entries[Program],
    folder: str | Path,
    *,
    name: str | None = None,
    cpu: str | None = None,
    os: str | None = None,
    weights: str = "file",
    threads: str = "none",
    reference: Any = None,
    inputs: Any = None,
    linker: str | None = None,
    small: bool = False,
    levels: Sequence[Program | Entries[Program]] = (),
) -> Bundle:
    """Writes a program as a C library with all that belongs to it into a folder.

    See `Program.export_bundle`. The entries of one with several share weights and states;
    `reference` and `inputs` are then dicts by entry.
    """
    _check("weights", weights, FORMATS)
    _check("threads", threads, THREADINGS)
    found = by_level([_entries(one) for one in (program, *levels)])
    plan = make_plan(found, name, cpu, os, weights, threads, small)
    machine = plan.machine
    chosen = find_linker(machine, linker) if machine.libc else None
    runnable = next((level for level in found if _runs_here(level)), found[0])
    cases = _cases(runnable, reference, inputs)
    objects, imports = object_files(plan)
    files = _code_files(plan, objects, chosen)
    sizes = _sizes(plan, objects[0].data)
    files |= text_files(plan, imports, list(files), sizes)
    files[f"{plan.name}.golden"] = _golden(plan, found, files, cases)
    path = Path(folder)
    _write(path, plan.name, files)
    bytes_of = {file: len(data) for file, data in files.items()}
    read = {level.name: level.weight_bytes for level in plan.levels}
    return Bundle(path, plan.name, machine.name, bytes_of, tuple(imports), sizes, read)


def _entries(program: Program | Entries[Program]) -> Mapping[str, Program]:
    """The programs by entry; the entry of a single one has no name."""
    return program if isinstance(program, Entries) else {"": program}


def _runs_here(level: Mapping[str, Program]) -> bool:
    return all(why_not_run(program) is None for program in level.values())


def _cases(
    programs: Mapping[str, Program], reference: Any, inputs: Any
) -> dict[str, list[Case]]:
    """The golden cases of each entry."""
    if "" in programs:
        return {"": make_cases(programs[""], reference, inputs)}
    references = _by_entry("reference", reference, programs)
    if reference is not None and len(references) < len(programs):
        missing = ", ".join(name for name in programs if name not in references)
        raise BundleError(
            f"reference has no source for {missing}; give one for each entry"
        )
    given = _by_entry("inputs", inputs, programs)
    return {
        entry: make_cases(program, references.get(entry), given.get(entry))
        for entry, program in programs.items()
    }


def _by_entry(
    what: str, values: Any, programs: Mapping[str, Program]
) -> Mapping[str, Any]:
    """What is given by entry; raises BundleError for anything else."""
    if values is None:
        return {}
    listed = ", ".join(programs)
    if not isinstance(values, Mapping):
        raise BundleError(f"{what} must be a dict by entry: {listed}")
    named = cast("Mapping[str, Any]", values)
    unknown = [name for name in named if name not in programs]
    if unknown:
        raise BundleError(f"{what} names {unknown[0]!r}; the entries are {listed}")
    return named


def _check(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise BundleError(f"{what}='{value}': one of {', '.join(known)}")


def _write(folder: Path, name: str, files: Mapping[str, bytes]) -> None:
    """Writes the files; a process that has mapped an older one keeps that."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).unlink(missing_ok=True)
            (folder / file).write_bytes(data)
        if f"lib{name}.so.1" in files:
            link = folder / f"lib{name}.so"
            link.unlink(missing_ok=True)
            link.symlink_to(f"lib{name}.so.1")
    except OSError as error:
        raise BundleError(f"cannot write the bundle into {folder}: {error}") from error


def _sizes(plan: Plan, data: bytes) -> CodeSizes | None:
    if not plan.machine.has_elf:
        return None
    codes = [
        (code.prefix, rows)
        for level in plan.levels
        for code, rows in zip(level.codes, level.rows, strict=True)
    ]
    calls = [
        (prefix, step)
        for prefix, rows in codes
        for step in rows.steps
        if step.kind == CALL
    ]
    kernels = [f"{prefix}{kernel}" for prefix, step in calls for kernel in step.kernels]
    return code_sizes(data, kernels, [step.symbol for _, step in calls])


def _code_files(
    plan: Plan, objects: Sequence[Member], linker: Linker | None
) -> dict[str, bytes]:
    name = plan.name
    files = {member.name: member.data for member in objects}
    if plan.machine.has_elf:
        files[f"lib{name}.a"] = archive(objects)
    if linker is not None:
        data = [member.data for member in objects]
        files[f"lib{name}.so.1"] = shared_library(
            data,
            name,
            plan.machine,
            linker,
            plan.exported,
            plan.small,
            plan.gpu is not None,
        )
    if plan.weights == "file":
        files[f"{name}.weights"] = plan.packed.data
    return files


def _golden(
    plan: Plan,
    programs: Sequence[Mapping[str, Program]],
    files: Mapping[str, bytes],
    cases: Mapping[str, Sequence[Case]],
) -> bytes:
    """The golden cases of each entry; where a library of the code runs here, they are
    compared with what it computes, and have what the kernels of each level write.
    """
    bounds = {
        entry: output_bounds(
            program.interface,
            [row for level in programs for row in level[entry].artifact.exactness],
        )
        for entry, program in programs[0].items()
    }
    here = [n for n, level in enumerate(programs) if _runs_here(level)]
    runnable = files if here and plan.machine.os == "linux" else _twin(plan)
    kernels: dict[str, dict[int, list[list[bytes]]]] = {entry: {} for entry in cases}
    if runnable is not None:
        # In a folder of its own: a process that has loaded a library keeps it, by its path.
        with TemporaryDirectory() as made:
            _write(Path(made), plan.name, runnable)
            for number in here or [0]:
                own = plan.levels[number]
                library = Library(made, cpu=own.name)
                found = _run_cases(library, own.rows, cases, bounds)
                library.close()
                for entry, recorded in found.items():
                    kernels[entry][number] = recorded
    sections = [
        golden_section(
            tensors.identity,
            bounds[tensors.name],
            cases[tensors.name],
            kernels[tensors.name],
        )
        for tensors in plan.description.entries
    ]
    return b"".join(sections)


def _run_cases(
    library: Library,
    rows: Sequence[CodeRows],
    cases: Mapping[str, Sequence[Case]],
    bounds: Mapping[str, Sequence[Bound]],
) -> dict[str, list[list[bytes]]]:
    """What the kernels of each entry write, whose outputs are within their bounds; that of
    kernels on a GPU is not recorded."""
    kernels: dict[str, list[list[bytes]]] = {}
    for (entry, own), code in zip(cases.items(), rows, strict=True):
        require_agreement(library, entry, own, bounds[entry])
        if all(step.kind == CALL for step in code.steps):
            kernels[entry] = record_kernels(library, entry, code.steps, own)
    return kernels


def _twin(plan: Plan) -> dict[str, bytes] | None:
    """A library of the same kernels for this machine, if their IR is portable to it.

    Its values are not the same bits, but near enough to find a kernel that is wrong.
    """
    host = CPUTarget.host()
    machine = find_machine(host.architecture, "linux")
    if plan.gpu is not None or host.architecture == plan.levels[0].cpu.architecture:
        return None  # It needs a GPU, or may need instructions that are not here.
    twin = replace(plan, machine=machine, weights="file", threading="none")
    try:
        objects, imports = object_files(twin, host)
        files = _code_files(twin, objects, find_linker(machine))
    except CompileError:
        return None
    return files | text_files(twin, imports, list(files), None)
