"""The LLVM IR of a program's kernels, one segment for each, and the rest of a bundle's IR."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from devproc.bundle.code.machines import Machine
from devproc.errors import BundleError
from devproc.ir.devices import HOST
from devproc.runtime.execution.host_program import HostProgram
from devproc.targets.cpu.code import CPUCode
from devproc.targets.cpu.machine.processors import RequiredCPU
from devproc.targets.cpu.thread_pool import thread_pool_ir

if TYPE_CHECKING:
    from devproc.program import Program
    from devproc.targets.cpu.object_code import CodeText

API = (
    *("error_text", "create", "destroy", "last_error", "cpu", "memory_size"),
    *("reset", "get_state", "set_state"),
    *("selftest", "selftest_ops", "selftest_memory_size"),
)
"""The functions that a bundle exports once, without its name in front."""

ENTRY_API = ("run", "trace", "describe")
"""Those that it exports for each entry."""

REPEAT_API = ("repeat",)
"""Those for an entry that is called again and again."""

_DARWIN_MUTEX = 0x32AAABA7
"""The first word of a mutex of Apple's systems; others begin with zeros."""


@dataclass(frozen=True)
class ProgramCode:
    """The code of a program as text, and its host program.

    `prefix` begins the names of its functions, so that several programs fit one library.
    """

    prefix: str
    texts: Sequence[CodeText]
    host: HostProgram
    read_operands: Mapping[str, int]
    cpu: RequiredCPU
    threads: int


def program_code(program: Program, prefix: str = "") -> ProgramCode:
    """The code of a compiled program, lowered again with one native call per kernel.

    Raises BundleError for a program that needs more than the CPU.
    """
    from devproc.backend.installed import backend
    from devproc.compiler import build
    from devproc.driver import parse_module
    from devproc.source import Source
    from devproc.targets.cpu.builder import CodeTextBuilder

    artifact = program.artifact
    found = native_code(program)
    source = Source(
        parse_module(artifact.program_text),
        program.weights,
        artifact.interface,
        artifact.calling,
        prepared=True,
    )
    builder = CodeTextBuilder(backend(HOST))
    built = build(
        source,
        artifact.devices,
        pass_options={"outline-segments": "outline-segments{max-launches=1}"},
        builders={HOST: builder},
    )
    return ProgramCode(
        prefix,
        _with_prefix(builder.texts, prefix),
        built.artifact.host,
        builder.read_operands,
        found.cpu,
        found.threads,
    )


def _with_prefix(texts: Sequence[CodeText], prefix: str) -> list[CodeText]:
    """The texts with the names of all functions that they define behind a prefix."""
    if not prefix:
        return list(texts)
    define = re.compile(r'^define [^@\n]*@([\w.$]+|"[^"]+")\(', re.M)
    own = {name for text in texts for name in define.findall(text.ir)}

    def renamed(found: re.Match[str]) -> str:
        name = found[1]
        return f'@"{prefix}{name.strip(chr(34))}"' if name in own else found[0]

    symbol = re.compile(r'@([\w.$]+|"[^"]+")')
    return [text._replace(ir=symbol.sub(renamed, text.ir)) for text in texts]


def native_code(program: Program) -> CPUCode:
    """The object code of a program; raises BundleError where it needs more than the CPU."""
    artifact = program.artifact
    foreign = sorted({s.device for s in artifact.host.steps} - {HOST})
    if foreign or any(step.kind != "launch" for step in artifact.host.steps):
        where = ", ".join(foreign) or "PyTorch"
        raise BundleError(
            f"a bundle holds code of the CPU alone, and this program runs on {where} too; "
            "compile it with target='cpu', without fallback"
        )
    if HOST not in artifact.code:
        raise BundleError("a bundle needs a kernel, and this program has none")
    found = CPUCode.from_bytes(artifact.code[HOST])
    if found.accesses:
        raise BundleError(
            "a bundle cannot report violated bounds; compile without check_bounds"
        )
    if artifact.checks:
        raise BundleError(
            "a bundle cannot report values out of range; compile without check_values"
        )
    return found


def entry_texts(prefix: str, symbol: str, machine: Machine, repeat: bool) -> list[str]:
    """The LLVM IR of an entry's functions, whose names begin with `prefix`.

    `symbol` is the constant that describes the entry.
    """
    parts = ("entry", "repeat") if repeat else ("entry",)
    texts = [_runtime_text(machine.runtime, part, machine) for part in parts]
    return [
        text.replace("bundle_entry_", f"{prefix}_").replace("bundle_this_entry", symbol)
        for text in texts
    ]


def runtime_texts(name: str, machine: Machine, threading: str) -> list[str]:
    """The LLVM IR of the C runtime for a bundle of this name.

    Raises BundleError for a thread pool on a machine that has none.
    """
    own = threading == "own"
    if own and not machine.has_pool:
        raise BundleError(
            f"there is no thread pool for {machine.name}; export with threads='callback', "
            "or threads='none'"
        )
    threads = "own_threads" if own else "caller_threads"
    parts = [
        (machine.runtime, part)
        for part in ("runtime", "support", threads, machine.memory)
    ]
    folder = "x86_64" if machine.features_part == "x86_features" else machine.runtime
    parts.append((folder, machine.features_part))
    texts = [_runtime_text(*part, machine) for part in parts]
    if own:
        texts += [thread_pool_ir(machine.triple), _gate(machine)]
    return [text.replace("bundle_api_", f"{name}_") for text in texts]


def _runtime_text(folder: str, part: str, machine: Machine) -> str:
    files = resources.files("devproc.bundle.code.runtime")
    text = files.joinpath("ir", folder, f"{part}.ll").read_text()
    if machine.architecture != "x86_64":
        return text
    # Without features of its own, `create` would die before it can refuse a lesser CPU.
    own = '"target-cpu"="x86-64" "target-features"=""'
    return re.sub(r"^(attributes #\d+ = \{)", rf"\1 {own}", text, flags=re.M)


def _gate(machine: Machine) -> str:
    """The mutex of the pool, as the system initialises one."""
    first = _DARWIN_MUTEX if machine.is_apple else 0
    words = ", ".join(f"i64 {number}" for number in (first, *[0] * 7))
    return f"@bundle_gate = global [8 x i64] [{words}], align 16\n"
