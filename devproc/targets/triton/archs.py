"""The GPU architectures that kernels are planned for and compiled for, and their limits.

Sources: NVIDIA's CUDA C++ Programming Guide (compute capabilities), the white papers and
data sheets of the T4, A100, H100, B200, RTX A6000, L40S and RTX 5090, of whose bandwidth a
copy reaches about 90 %; AMD's of the MI300X and RX 7900 XTX.
`benchmarks/gpu_queue.py` measures the rates on a card.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devproc.errors import CompileError

if TYPE_CHECKING:
    from devproc.dialects.dev import TargetAttr

SPECIFIC = 90
"""From this capability on Triton compiles for exactly one (`sm_90a`)."""


@dataclass(frozen=True)
class Arch:
    """One architecture, with the numbers of its usual data-centre card."""

    name: str
    card: str
    processors: int
    """Streaming multiprocessors, or compute units of AMD."""
    shared_bytes: int
    """Shared memory of one processor."""
    tensor_16: int
    """Multiply-adds of one processor per cycle on tensor cores, of bf16 and f16."""
    vector_32: int
    """The same without tensor cores, of f32."""
    clock: float
    """Cycles per second under load."""
    bandwidth: float
    """Bytes per second of a long copy, reads and writes together."""
    dot_precisions: tuple[str, ...] = ("ieee", "tf32", "tf32x3")
    """The precisions of f32 products that Triton offers."""
    has_warpgroups: bool = False
    """Whether four warps multiply 64 rows together, from shared memory (wgmma, tcgen05)."""
    registers: int = 1 << 16
    """32-bit registers of one processor."""
    stages: int = 4
    """Steps of a loop whose loads may be in flight."""
    warps: int = 64
    """The most warps that are resident on one processor at once."""
    blocks: int = 32
    """The most programs that are."""

    @property
    def program_shared_bytes(self) -> int:
        """The shared memory that one program may use."""
        return self.shared_bytes - self.reserved_bytes

    @property
    def reserved_bytes(self) -> int:
        """The shared memory that the system takes for each program, since Ampere."""
        return 1024 if self.is_nvidia and capability(self.name) >= 80 else 0

    @property
    def has_dependent_launches(self) -> bool:
        """Whether a kernel may start before the one before it ends, and wait for it itself
        (programmatic dependent launch)."""
        return self.is_nvidia and capability(self.name) >= SPECIFIC

    @property
    def has_tensor_copies(self) -> bool:
        """Whether blocks of tensors are copied by descriptors (tensor memory accelerator)."""
        return self.is_nvidia and capability(self.name) >= SPECIFIC

    @property
    def is_nvidia(self) -> bool:
        """Whether it is one of NVIDIA's."""
        return self.name.startswith("sm_")

    def rate(self, element: str, on_tensor_cores: bool) -> int:
        """Multiply-adds of one processor per cycle, of factors of this type; those of f32 on
        tensor cores are tf32."""
        if not on_tensor_cores:
            return self.vector_32 if element != "f64" else self.vector_32 // 2
        return self.tensor_16 // 2 if element == "f32" else self.tensor_16

    def peak(self, element: str) -> float:
        """The operations per second of the fastest product without loss of digits.

        float32 takes three products of tf32 on tensor cores, which is faster than one
        multiply-add without them.
        """
        exact: float = self.rate(element, element != "f64")
        if element == "f32":
            exact /= 3
        return 2 * self.processors * self.clock * exact


_KIB = 1 << 10
_IEEE = ("ieee",)

ARCHS = {
    arch.name: arch
    for arch in (
        Arch("sm_75", "T4", 40, 64 * _KIB, 256, 64, 1.35e9, 0.27e12, _IEEE, stages=2),
        Arch("sm_80", "A100 SXM", 108, 164 * _KIB, 1024, 64, 1.41e9, 1.8e12),
        Arch("sm_86", "RTX A6000", 84, 100 * _KIB, 512, 128, 1.5e9, 0.65e12),
        Arch("sm_87", "Orin", 16, 164 * _KIB, 1024, 128, 1.2e9, 0.17e12),
        Arch("sm_89", "L40S", 142, 100 * _KIB, 512, 128, 2.2e9, 0.75e12),
        Arch("sm_90", "H100 SXM", 132, 228 * _KIB, 2048, 128, 1.755e9, 3.0e12, has_warpgroups=True),
        Arch("sm_100", "B200 SXM", 148, 228 * _KIB, 4096, 128, 1.85e9, 7.2e12, has_warpgroups=True),
        Arch("sm_120", "RTX 5090", 170, 100 * _KIB, 512, 128, 2.3e9, 1.6e12),
        Arch("gfx942", "MI300X", 304, 64 * _KIB, 1024, 128, 1.9e9, 4.0e12, _IEEE, stages=2),
        Arch("gfx1100", "RX 7900 XTX", 96, 64 * _KIB, 256, 128, 2.3e9, 0.85e12, _IEEE, stages=2),
    )
}  # fmt: skip


def arch_of(target: TargetAttr) -> Arch:
    """The architecture that a target's kernels are planned for."""
    from devproc.targets.triton.dialect.options import arch_name

    return find_arch(arch_name(target))


def find_arch(name: str) -> Arch:
    """The architecture of this name; of an NVIDIA GPU that is not in the table, the
    latest before it, or the first."""
    name = name.rstrip("a")
    if name in ARCHS:
        return ARCHS[name]
    known = [arch for arch in ARCHS.values() if arch.is_nvidia]
    earlier = [a for a in known if capability(a.name) <= capability(name)]
    return max(earlier, key=lambda arch: capability(arch.name), default=known[0])


def archs_of(text: str) -> tuple[str, ...]:
    """`sm_90,sm_80` -> its architectures; raises CompileError for another text."""
    names = tuple(name.strip() for name in str(text).split(","))
    for name in names:
        capability(name)
    if len(set(names)) < len(names):
        raise CompileError(f"arch names an architecture twice: '{text}'")
    return names


def capability(arch: str) -> int:
    """`sm_90` -> 90."""
    found = re.fullmatch(r"sm_(\d+)a?", arch)
    if found is None:
        raise CompileError(
            f"unknown arch '{arch}'; write it as NVIDIA does, 'sm_90', and several as "
            "'sm_90,sm_80'"
        )
    return int(found[1])


def runs(arch: str, card: str) -> bool:
    """Whether a card runs the machine code of an architecture: its own, or that of an
    earlier minor version."""
    made, own = capability(arch), capability(card)
    if made == own:
        return True
    return made < own < SPECIFIC and made // 10 == own // 10
