"""The machines that bundles are made for: processors and operating systems."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devproc.errors import CompileError, did_you_mean
from devproc.targets.cpu.machine.cpu_target import CPUTarget

POSIX, WINDOWS, NO_HEAP = "posix_memory", "windows_memory", "no_memory"
"""The part of the runtime that gets memory from the system."""


@dataclass(frozen=True)
class Machine:
    """A processor with a system.

    `architecture` is the name for `cpu=`; a program for `program_architecture` runs on it.
    `libc` is the library that a shared one imports from; machines without one get objects
    and archives alone.
    """

    architecture: str
    os: str
    triple: str
    program_architecture: str
    runtime: str = "64"
    features_part: str = "no_features"
    memory: str = POSIX
    llvm_cpu: str = ""
    llvm_features: str = ""
    libc: str = ""
    symbol_versions: tuple[str, str] | None = None
    """The versions of libc's symbols, and of its condition variables, in glibc."""
    has_pool: bool = True
    has_elf: bool = True
    pointer_bytes: int = 8

    @property
    def name(self) -> str:
        """`aarch64-linux`."""
        return f"{self.architecture}-{self.os}"

    @property
    def has_gpu(self) -> bool:
        """Whether it may have a GPU with a driver of NVIDIA's."""
        return self.os == "linux" and self.architecture in ("x86_64", "aarch64")

    @property
    def is_apple(self) -> bool:
        """Whether the system is one of Apple's."""
        return self.os in ("macos", "ios")

    def target(self, processor: str) -> CPUTarget:
        """LLVM's target of a program that was compiled for a processor by name."""
        known = CPUTarget.get(processor)
        if self.llvm_cpu:
            return CPUTarget(self.triple, self.llvm_cpu, self.llvm_features)
        return CPUTarget(self.triple, known.cpu, known.features)


_X86 = Machine(
    "x86_64",
    "linux",
    "x86_64-unknown-linux-gnu",
    "x86_64",
    features_part="x86_features",
    libc="libc.so.6",
    symbol_versions=("GLIBC_2.2.5", "GLIBC_2.3.2"),
)
_ARM = Machine(
    "aarch64",
    "linux",
    "aarch64-unknown-linux-gnu",
    "aarch64",
    libc="libc.so.6",
    symbol_versions=("GLIBC_2.17", "GLIBC_2.17"),
)


def _android(linux: Machine) -> Machine:
    triple = f"{linux.architecture}-unknown-linux-android24"
    return replace(
        linux, os="android", triple=triple, libc="libc.so", symbol_versions=None
    )


def _objects_only(linux: Machine, os: str, triple: str) -> Machine:
    return replace(linux, os=os, triple=triple, libc="", has_elf=False)


def _windows(linux: Machine) -> Machine:
    triple = f"{linux.architecture}-pc-windows-msvc"
    found = _objects_only(linux, "windows", triple)
    return replace(found, memory=WINDOWS, has_pool=False)


_RISCV = Machine(
    "riscv64",
    "linux",
    "riscv64-unknown-linux-gnu",
    "aarch64",
    runtime="riscv64",
    llvm_cpu="generic-rv64",
    llvm_features="+m,+a,+f,+d,+c",
    has_pool=False,
)
_THUMB = Machine(
    "thumbv7em",
    "none",
    "thumbv7em-none-eabihf",
    "aarch64",
    runtime="thumbv7em",
    memory=NO_HEAP,
    llvm_cpu="cortex-m7",
    has_pool=False,
    pointer_bytes=4,
)

MACHINES = (
    _X86,
    _ARM,
    _android(_X86),
    _android(_ARM),
    _objects_only(_X86, "macos", "x86_64-apple-macosx13.0"),
    _objects_only(_ARM, "macos", "arm64-apple-macosx13.0"),
    _objects_only(_ARM, "ios", "arm64-apple-ios16.0"),
    _windows(_X86),
    _windows(_ARM),
    _RISCV,
    replace(_RISCV, architecture="riscv64v", llvm_features="+m,+a,+f,+d,+c,+v"),
    _THUMB,
    replace(
        _THUMB,
        architecture="wasm32",
        triple="wasm32-unknown-unknown",
        runtime="wasm32",
        llvm_cpu="generic",
        llvm_features="+simd128,+bulk-memory",
        has_elf=False,
    ),
)


def find_machine(architecture: str, os: str | None) -> Machine:
    """The machine with this architecture and system, by default the first one.

    Raises CompileError with the known ones.
    """
    same = [m for m in MACHINES if m.architecture == architecture]
    if os is None and same:
        return same[0]
    for machine in same:
        if machine.os == os:
            return machine
    names = [m.name for m in MACHINES]
    close = did_you_mean(f"{architecture}-{os}", names)
    raise CompileError(
        f"no bundle for '{architecture}' with os '{os}'; there are {', '.join(names)}{close}"
    )
