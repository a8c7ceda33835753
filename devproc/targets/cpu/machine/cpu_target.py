"""Processors by LLVM's names: the host's, and those of `devproc.targets.cpu.machine.processors`.

The only module that queries the machine through LLVM: it resolves "native" when a
compilation begins, and decides whether saved code can run here.
"""

# llvmlite has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from devproc.errors import CompileError, did_you_mean
from devproc.ir.concurrency.locks import wait_before_fork
from devproc.targets.cpu.machine.processors import (
    CPUS,
    INSTRUCTIONS,
    NATIVE,
    SAME_ARCHITECTURE,
    RequiredCPU,
    extensions_of,
    vector_registers,
)

LLVM = threading.RLock()
"""Held for each use of LLVM: a child forked in the middle of one could not use it."""

wait_before_fork(LLVM)

NEVER_GENERATED = frozenset(
    "64bit aes amx-bf16 amx-int8 amx-tile avx10.1 clflushopt clwb clzero cmov crc32 cx8 "
    "enqcmd fsgsbase fxsr invpcid lwp mmx "
    "movdir64b movdiri mwaitx pclmul pconfig pku prefetchi prfchw ptwrite rdpid rdpru rdrnd "
    "rdseed rtm serialize sgx sha sha512 shstk sm3 sm4 sse sse2 tsxldtrk uintr vaes "
    "vpclmulqdq waitpkg wbnoinvd x87 xsave xsavec xsaveopt xsaves".split()
)
"""Features of x86-64 that LLVM never uses for our code, or that every x86-64 has; AVX10.1
stands for features that LLVM also lists one by one."""

TOO_SLOW = ("sse4a",)
"""Features that LLVM must not use. `insertq` and `extrq` have no AVX form: one of them in a
loop over AVX registers costs hundreds of cycles on Zen 3."""


SEPARATE_ADDERS = ("znver4",)
"""Processors, by LLVM's names, on which Winograd's inner product measurably gains: they
issue a full-width addition in the same cycle as a multiply-add."""

PREFETCHES_TO_SECOND_CACHE = ("znver4",)
"""Processors, by LLVM's names, that read from memory faster with prefetches into the L2
cache: layers of BERT with 16 rows take 0.65 of the time. On Zen 5 they read at three
quarters of the speed."""


@dataclass(frozen=True)
class CPUTarget:
    """A processor: LLVM's triple, its name, and features (`+avx2,-avx512f`)."""

    triple: str
    cpu: str
    features: str = ""

    @staticmethod
    @cache
    def host() -> CPUTarget:
        """The processor of this machine with its features, except `TOO_SLOW`."""
        with LLVM:
            features = llvm.get_host_cpu_features()
            triple, name = llvm.get_process_triple(), llvm.get_host_cpu_name()
        features.update(dict.fromkeys(TOO_SLOW, False))
        return CPUTarget(triple, name, features.flatten())

    @staticmethod
    def get(cpu: str = NATIVE) -> CPUTarget:
        """`native`, or a processor of `CPUS`; raises CompileError for another name."""
        host = CPUTarget.host()
        if cpu == NATIVE:
            return host
        if cpu not in CPUS:
            names = (NATIVE, *CPUS)
            listed, close = ", ".join(names), did_you_mean(str(cpu), names)
            raise CompileError(f"unknown cpu '{cpu}'; one of {listed}{close}")
        known = CPUS[cpu]
        same = known.architecture == host.architecture
        triple = host.triple if same else f"{known.architecture}-unknown-linux-gnu"
        features = ",".join(f"+{feature}" for feature in known.features)
        return CPUTarget(triple, known.llvm_name, features)

    @property
    def architecture(self) -> str:
        """`x86_64`, `aarch64`."""
        name = self.triple.split("-")[0]
        return SAME_ARCHITECTURE.get(name, name)

    @property
    def present(self) -> frozenset[str]:
        """The features stated as present, and those implied by the name of a level."""
        stated = {f[1:] for f in self.features.split(",") if f.startswith("+")}
        level = CPUS.get(self.cpu)
        implied = level.features if level is not None else ()
        return frozenset(stated.union(implied))

    @property
    def vector_bits(self) -> int:
        """Bits of the widest vector registers, according to the features."""
        if self.architecture != "x86_64":
            return 128
        if "avx512f" in self.present:
            return 512
        return 256 if "avx" in self.present else 128

    @property
    def missing(self) -> tuple[str, ...]:
        """The entries of `devproc.targets.cpu.machine.processors.INSTRUCTIONS` that the features do not provide."""
        if self.architecture != "x86_64":
            return ()
        needed = dict(zip(INSTRUCTIONS, ("fma", "sse4.1", "f16c"), strict=True))
        return tuple(n for n, feature in needed.items() if feature not in self.present)

    @property
    def extensions(self) -> tuple[str, ...]:
        """Of `devproc.targets.cpu.machine.processors.EXTENSIONS`, those that the features give."""
        return extensions_of(self.present)


@dataclass(frozen=True)
class VectorUnit:
    """The properties of a processor that schedules depend on."""

    vector_bits: int
    registers: int
    missing: tuple[str, ...]
    extensions: tuple[str, ...] = ()
    separate_adders: bool = False
    prefetch_level: int = 1


def vector_unit(cpu: str) -> VectorUnit:
    """The vector unit of a processor by name; raises CompileError for an unknown one."""
    target = CPUTarget.get(cpu)
    if cpu == NATIVE:
        bits = host_vector_bits()
        x86 = target.architecture == "x86_64"
        registers = vector_registers(bits) if x86 else 32
        adders = target.cpu in SEPARATE_ADDERS
        level = 2 if target.cpu in PREFETCHES_TO_SECOND_CACHE else 1
        return VectorUnit(
            bits, registers, target.missing, target.extensions, adders, level
        )
    known = CPUS[cpu]
    return VectorUnit(
        known.vector_bits, known.vector_registers, known.missing, target.extensions
    )


def host_vector_bits() -> int:
    """Bits of the widest vector registers of this machine."""
    return CPUTarget.host().vector_bits


def required_cpu(cpu: str) -> RequiredCPU:
    """The requirements of code compiled for a processor of this name."""
    target = CPUTarget.get(cpu)
    x86 = target.architecture == "x86_64"
    features = target.present - NEVER_GENERATED if x86 else frozenset[str]()
    return RequiredCPU(cpu, target.architecture, tuple(sorted(features)))


def why_not_here(required: RequiredCPU) -> str | None:
    """Why this machine cannot run such code, and the remedy; None if it can."""
    host = CPUTarget.host()
    lacking = [name for name in required.features if name not in host.present]
    return required.refusal(host.architecture, lacking)


def host_description() -> str:
    """Everything that object code for this machine depends on besides its IR."""
    host = CPUTarget.host()
    return f"{host.triple} {host.cpu} {host.features} llvmlite {llvmlite.__version__}"
