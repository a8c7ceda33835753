"""The GPU architectures that kernels are planned for, and their limits.

Sources: NVIDIA's CUDA C++ Programming Guide (compute capabilities) and the white papers
of the A100, H100, B200, RTX A6000, L40S and RTX 5090; AMD's of the MI300X and RX 7900 XTX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from devproc.dialects.dev import TargetAttr
from devproc.targets.triton.dialect.options import arch_name


@dataclass(frozen=True)
class Arch:
    """One architecture, with the numbers of its usual data-centre card."""

    name: str
    processors: int
    """Streaming multiprocessors, or compute units of AMD."""
    shared_bytes: int
    """Shared memory of one processor."""
    tensor_flops: int
    """Dense operations of 16-bit types, per processor and cycle."""
    clock: float
    """Sustained cycles per second."""
    bandwidth: float
    """Bytes per second, copied from and to global memory."""
    dot_precisions: tuple[str, ...] = ("ieee", "tf32", "tf32x3")
    """The precisions of f32 products that Triton offers."""
    has_warpgroups: bool = False
    """Whether four warps multiply 64 rows together, from shared memory (wgmma, tcgen05)."""
    registers: int = 1 << 16
    """32-bit registers of one processor."""
    stages: int = 4
    """Steps of a loop whose loads may be in flight."""

    @property
    def program_shared_bytes(self) -> int:
        """The shared memory that one program may use."""
        return self.shared_bytes - self.reserved_bytes

    @property
    def reserved_bytes(self) -> int:
        """The shared memory that the system takes for each program."""
        return 1024 if self.is_nvidia else 0

    @property
    def is_nvidia(self) -> bool:
        """Whether it is one of NVIDIA's."""
        return self.name.startswith("sm_")


_KIB = 1 << 10
_IEEE = ("ieee",)

ARCHS = {
    arch.name: arch
    for arch in (
        Arch("sm_75", 40, 64 * _KIB, 512, 1.35e9, 0.27e12, _IEEE, stages=2),
        Arch("sm_80", 108, 164 * _KIB, 2048, 1.29e9, 1.6e12),
        Arch("sm_86", 84, 100 * _KIB, 1024, 1.5e9, 0.65e12),
        Arch("sm_87", 16, 164 * _KIB, 2048, 1.2e9, 0.17e12),
        Arch("sm_89", 142, 100 * _KIB, 1024, 2.2e9, 0.75e12),
        Arch("sm_90", 132, 228 * _KIB, 4096, 1.755e9, 3.0e12, has_warpgroups=True),
        Arch("sm_100", 148, 228 * _KIB, 8192, 1.8e9, 7.0e12, has_warpgroups=True),
        Arch("sm_120", 170, 100 * _KIB, 1024, 2.3e9, 1.6e12),
        Arch("gfx942", 304, 64 * _KIB, 2048, 1.9e9, 4.0e12, _IEEE, stages=2),
        Arch("gfx1100", 96, 64 * _KIB, 512, 2.3e9, 0.85e12, _IEEE, stages=2),
    )
}


def arch_of(target: TargetAttr) -> Arch:
    """The architecture that a target's kernels are planned for."""
    return find_arch(arch_name(target))


def find_arch(name: str) -> Arch:
    """The architecture of this name; of an NVIDIA GPU that is not in the table, the
    latest before it, or the first."""
    name = name.rstrip("a")
    if name in ARCHS:
        return ARCHS[name]
    known = [arch for arch in ARCHS.values() if arch.is_nvidia]
    earlier = [arch for arch in known if _number(arch.name) <= _number(name)]
    return max(earlier, key=lambda arch: _number(arch.name), default=known[0])


def _number(name: str) -> int:
    found = re.fullmatch(r"sm_(\d+)", name)
    return int(found[1]) if found else 0
