"""The LLVM IR of a program's kernels, one segment for each, and the rest of a bundle's IR."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from devproc.bundle.code.machines import Machine
from devproc.dialects.dev import target_of
from devproc.errors import BundleError
from devproc.ir.devices import FALLBACK, HOST
from devproc.runtime.execution.host_program import HostProgram, unaligned_launches
from devproc.targets.cpu.code import CPUCode
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.machine.cpu_target import required_cpu
from devproc.targets.cpu.machine.processors import CPUS, RequiredCPU
from devproc.targets.cpu.thread_pool import thread_pool_ir
from devproc.targets.triton import GPU
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.code import GPUCode, read_code

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
    gpu: GPUCode | None = None
    """The kernels of the GPU, as machine code."""


def program_code(program: Program, prefix: str = "") -> ProgramCode:
    """The code of a compiled program, lowered again with one native call per kernel.

    Raises BundleError for a program that needs more than the CPU and one of NVIDIA's GPUs.
    """
    _require_known(program)
    gpu = gpu_code(program)
    if gpu is None or HOST in program.artifact.code:
        return _native_code(program, prefix, gpu)
    cpu = required_processor(program)
    return ProgramCode(prefix, (), program.artifact.host, {}, cpu, 1, gpu)


def _native_code(program: Program, prefix: str, gpu: GPUCode | None) -> ProgramCode:
    from devproc.backend.builder import CodeBuilder
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
    builders: dict[str, CodeBuilder] = {HOST: builder}
    built = build(
        source,
        artifact.devices,
        pass_options={"outline-segments": "outline-segments{max-launches=1}"},
        builders=builders,
    )
    return ProgramCode(
        prefix,
        _with_prefix(builder.texts, prefix),
        built.artifact.host,
        builder.read_operands,
        found.cpu,
        found.threads,
        gpu,
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
    """The object code of a program; raises BundleError for code that a bundle cannot run."""
    artifact = program.artifact
    if HOST not in artifact.code:
        raise BundleError("a bundle needs a kernel, and this program has none")
    found = CPUCode.from_bytes(artifact.code[HOST])
    if found.accesses:
        raise BundleError(
            "a bundle cannot report violated bounds; compile without check_bounds"
        )
    _require_unchecked(program)
    return found


def _require_unchecked(program: Program) -> None:
    """Raises BundleError for a program that checks values."""
    if program.artifact.checks:
        raise BundleError(
            "a bundle cannot report values out of range; compile without check_values"
        )


def gpu_code(program: Program) -> GPUCode | None:
    """The kernels of a program's GPU as machine code, compiled now if they are not; None for
    a program without a GPU.

    Raises BundleError for other GPUs than NVIDIA's, CompileError for kernels that do not fit.
    """
    from devproc.driver import parse_module
    from devproc.targets.triton.binaries import add_binaries
    from devproc.targets.triton.dialect.options import gpu_options

    artifact = program.artifact
    if GPU not in artifact.code:
        return None
    code = read_code(artifact.code[GPU])
    options = gpu_options(target_of(parse_module(artifact.program_text)))
    if options.interpret.data:
        raise BundleError(
            "a bundle cannot interpret the kernels of a GPU; compile with target='cuda'"
        )
    archs = [options.arch.data, *(text.data for text in options.others)]
    foreign = [arch for arch in archs if not find_arch(arch).is_nvidia]
    if foreign:
        raise BundleError(
            f"a bundle drives GPUs of NVIDIA, and the program was compiled for {foreign[0]}"
        )
    if code.binaries:
        return code
    return add_binaries(code, archs, unaligned_launches(artifact.host, GPU))


def _require_known(program: Program) -> None:
    """Raises BundleError for a program that needs other devices, or PyTorch."""
    artifact = program.artifact
    steps = artifact.host.steps
    foreign = sorted({s.device for s in steps} - {HOST, GPU})
    if foreign:
        where = ", ".join("PyTorch" if d == FALLBACK else d for d in foreign)
        raise BundleError(
            "a bundle holds code of the CPU and of NVIDIA's GPUs, and this program runs on "
            f"{where} too; compile it with target='cpu', without fallback"
        )


def required_processor(program: Program) -> RequiredCPU:
    """What the code of a program needs; without kernels of the CPU, nothing in particular."""
    if HOST in program.artifact.code or GPU not in program.artifact.code:
        return native_code(program).cpu
    _require_unchecked(program)
    return RequiredCPU(*_plainest(program), ())


def _plainest(program: Program) -> tuple[str, str]:
    """The least processor of the program's architecture, and that architecture."""
    from devproc.driver import parse_module

    target = target_of(parse_module(program.artifact.program_text))
    found = required_cpu(machine_of(target).processor.data).architecture
    return next((n, found) for n, cpu in CPUS.items() if cpu.architecture == found)


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


def runtime_texts(
    name: str, machine: Machine, threading: str, has_gpu: bool
) -> list[str]:
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
    parts.append((machine.runtime, "cuda" if has_gpu else "no_gpu"))
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
