"""The object files of a bundle: its code with the runtime and tables, and its data."""

from __future__ import annotations

import re
from typing import NamedTuple

from devproc.bundle.code.archive import Member
from devproc.bundle.code.elf import data_object, undefined_symbols
from devproc.bundle.code.features import features_of
from devproc.bundle.code.machines import NO_HEAP
from devproc.bundle.code.plan import Level, Plan
from devproc.bundle.code.program_code import entry_texts, runtime_texts
from devproc.bundle.code.shared_library import IMPORTS, LOADER_IMPORTS
from devproc.bundle.code.tables import (
    NEVER,
    LevelTables,
    ProgramTables,
    entry_symbol,
    tables_text,
)
from devproc.errors import CompileError
from devproc.targets.cpu.jit import CompileOptions, link_modules, with_processor
from devproc.targets.cpu.machine.cpu_target import CPUTarget

ALLOWED = frozenset((*IMPORTS, "_aligned_malloc", "_aligned_free", "_fltused"))
"""What object code of any system may import; soft floats of the compiler come on top."""

SOFT_FLOAT = re.compile(r"__(aeabi_\w+|\w*df\w*|\w*sf\w*|\w*di3|chkstk)")


def object_files(
    plan: Plan, target: CPUTarget | None = None
) -> tuple[list[Member], list[str]]:
    """The object files, and what they import from outside; `target` is LLVM's."""
    name, machine, gpu = plan.name, plan.machine, plan.gpu
    texts = runtime_texts(name, machine, plan.threading, gpu is not None)
    for number, entry in enumerate(plan.description.entries):
        repeat = plan.until[number] is not None
        prefix = entry.prefix(name)
        texts += entry_texts(prefix, entry_symbol(number), machine, repeat)
    plain = [*texts, tables_text(_tables(plan))]
    exported = plan.exported
    # The last level, the least, is that of the launches and the pool.
    target = target or machine.target(plan.levels[-1].cpu.name)
    codes = [code for level in plan.levels for code in _level_code(plan, level, target)]
    data, declared = link_modules(codes, plain, target, exported, plan.small)
    members = [Member(f"{name}.o", data, exported)]
    imports = undefined_symbols(data) if machine.has_elf else sorted(declared)
    for found in filter(None, (_weights(plan), _kernels(plan))):
        content = data_object(machine, found.symbol, found.content)
        members.append(Member(found.file, content, [found.symbol]))
        imports.remove(found.symbol)
    allowed = ALLOWED.union(LOADER_IMPORTS if gpu is not None else ())
    foreign = [n for n in imports if n not in allowed and not SOFT_FLOAT.match(n)]
    if foreign:
        raise CompileError(
            f"the code of the bundle would import {', '.join(foreign)}, which no bundle "
            "may; this is a fault of the lowering of a kernel"
        )
    return members, imports


class _Data(NamedTuple):
    """Bytes that an object file of their own holds."""

    file: str
    symbol: str
    content: bytes


def _weights(plan: Plan) -> _Data | None:
    if plan.weights != "embed":
        return None
    name = plan.name
    return _Data(f"{name}_weights.o", f"{name}_embedded_weights", plan.packed.data)


def _kernels(plan: Plan) -> _Data | None:
    if plan.gpu is None or not plan.gpu.code:
        return None
    return _Data(f"{plan.name}_kernels.o", f"{plan.name}_gpu_kernels", plan.gpu.code)


def _level_code(
    plan: Plan, level: Level, target: CPUTarget
) -> list[tuple[str, CPUTarget, CompileOptions]]:
    texts = [text for code in level.codes for text in code.texts]
    if len(plan.levels) == 1:
        return [(text.ir, target, text.options) for text in texts]
    own = plan.machine.target(level.cpu.name)
    return [(with_processor(text.ir, own), own, text.options) for text in texts]


def _tables(plan: Plan) -> ProgramTables:
    weights, kernels = _weights(plan), _kernels(plan)
    x86 = plan.levels[0].cpu.architecture == "x86_64"
    levels = [
        LevelTables(
            level.name, features_of(level.cpu.features) if x86 else (), level.rows
        )
        for level in plan.levels
    ]
    return ProgramTables(
        plan.name,
        plan.cpu,
        plan.description,
        [NEVER if output is None else output for output in plan.until],
        levels,
        plan.memory,
        len(plan.packed.data),
        plan.packed.digest,
        plan.threads,
        plan.threading,
        plan.machine.memory != NO_HEAP,
        weights and weights.symbol,
        plan.gpu,
        kernels and kernels.symbol,
    )
