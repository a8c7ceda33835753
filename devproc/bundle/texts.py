"""The files of a bundle that are text."""

from __future__ import annotations

from collections.abc import Sequence

from devproc.bundle.code.gpu_program import GPUProgram
from devproc.bundle.code.layout import GPU_LAUNCH, StepRow
from devproc.bundle.code.plan import Plan
from devproc.bundle.code.sizes import CodeSizes
from devproc.bundle.files.building import cmake, pkg_config, readme
from devproc.bundle.files.go import go_files
from devproc.bundle.files.header import header
from devproc.bundle.files.programs import main_program, selftest_program
from devproc.bundle.files.rust import rust_files
from devproc.bundle.files.wrapper import wrapper
from devproc.bundle.interface.description import (
    SCHEMA,
    BundleDescription,
    EntryDescription,
    GPUEntry,
    KernelEntry,
    LevelEntry,
    SizesEntry,
    ThreadsEntry,
    WeightsEntry,
)


def text_files(
    plan: Plan,
    imports: Sequence[str],
    code_files: Sequence[str],
    sizes: CodeSizes | None,
) -> dict[str, bytes]:
    """Their content by name. `imports` are those of the code, whose files are given, and
    `sizes` too where they are known.
    """
    name, described, threading = plan.name, plan.description, plan.threading
    contents = _description(plan, imports, sizes)
    library = f"lib{name}.a" if plan.machine.has_elf else f"{name}.o"
    texts = {
        f"{name}.h": header(plan),
        f"{name}.hpp": wrapper(plan),
        f"{name}.json": contents.to_json(),
        "selftest.c": selftest_program(name, plan.weights),
        "main.c": main_program(plan),
        "CMakeLists.txt": cmake(name, library, threading, plan.gpu is not None),
        f"{name}.pc": pkg_config(name, threading, plan.gpu is not None),
    }
    kinds = _kinds(name)
    listed = [*code_files, *texts, f"{name}.golden"]
    if plan.machine.libc:
        listed += ["rust/", "go/"]
    texts["README.md"] = readme(
        name,
        library,
        plan.machine.name,
        plan.cpu,
        described,
        [(file, kinds[file]) for file in listed],
        imports,
        plan.memory.byte_count,
        threading,
        () if contents.gpu is None else contents.gpu.archs,
    )
    if plan.machine.libc:
        texts |= rust_files(contents) | go_files(contents)
    return {file: text.encode() for file, text in texts.items()}


def _kinds(name: str) -> dict[str, str]:
    return {
        f"{name}.o": "the code as one object file",
        f"{name}_weights.o": "the weights as an object file",
        f"{name}_kernels.o": "the kernels of the GPU as an object file",
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
        "rust/": "a crate for Rust",
        "go/": "a package for Go",
    }


def _description(
    plan: Plan, imports: Sequence[str], sizes: CodeSizes | None
) -> BundleDescription:
    described = plan.description
    return BundleDescription(
        SCHEMA,
        plan.name,
        plan.machine.name,
        plan.machine.triple,
        plan.cpu,
        tuple(
            LevelEntry(level.name, level.cpu.features, level.weight_bytes)
            for level in plan.levels
        ),
        1,
        f"0x{described.identity:016x}",
        plan.memory.byte_count,
        ThreadsEntry(plan.threading, plan.threads),
        WeightsEntry(plan.weights, len(plan.packed.data), plan.packed.digest.hex()),
        tuple(imports),
        tuple(plan.exported),
        _entries(plan),
        tuple(t.entry for t in described.states),
        _kernels(plan, sizes),
        None
        if sizes is None
        else SizesEntry(
            sum(sizes.kernels.values()), sizes.launches, sizes.runtime, sizes.tables
        ),
        _gpu(plan.gpu),
    )


def _gpu(gpu: GPUProgram | None) -> GPUEntry | None:
    if gpu is None:
        return None
    archs = tuple(f"sm_{image.arch}" for image in gpu.images)
    memory = gpu.arena_bytes + gpu.weight_bytes + gpu.scratch_bytes
    return GPUEntry(archs, memory, gpu.staging_bytes, len(gpu.code))


def _entries(plan: Plan) -> tuple[EntryDescription, ...]:
    return tuple(
        EntryDescription(
            entry.name,
            entry.prefix(plan.name),
            f"0x{entry.identity:016x}",
            tuple(t.entry for t in entry.inputs),
            tuple(t.entry for t in entry.outputs),
            tuple(state.name for state in entry.states),
            None if until is None else entry.outputs[until].name,
        )
        for entry, until in zip(plan.description.entries, plan.until, strict=True)
    )


def _kernels(plan: Plan, sizes: CodeSizes | None) -> tuple[KernelEntry, ...]:
    return tuple(
        KernelEntry(
            entry.name,
            level.name,
            step.name,
            step.where,
            len(step.slots),
            _kernel_bytes(plan, step, code.prefix, sizes),
        )
        for level in plan.levels
        for entry, code, rows in zip(
            plan.description.entries, level.codes, level.rows, strict=True
        )
        for step in rows.steps
        if step.is_kernel
    )


def _kernel_bytes(
    plan: Plan, step: StepRow, prefix: str, sizes: CodeSizes | None
) -> int | None:
    if plan.gpu is not None and step.kind == GPU_LAUNCH:
        return plan.gpu.code_bytes(step)
    if sizes is None:
        return None
    return sum(sizes.kernels[f"{prefix}{name}"] for name in step.kernels)
