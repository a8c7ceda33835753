"""What this machine says of its processor, for a process that has no LLVM loaded."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

from devproc.ir.cpus import RequiredCPU

LINUX_NAMES = {
    "avx512bf16": "avx512_bf16",
    "avx512bitalg": "avx512_bitalg",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vnni": "avx512_vnni",
    "avx512vp2intersect": "avx512_vp2intersect",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "avxvnni": "avx_vnni",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "sahf": "lahf_lm",
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
}
"""Features that Linux calls otherwise than LLVM."""


@cache
def _flags() -> frozenset[str]:
    """The flags of the first processor; none where the system has no such list."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    found = next((line for line in lines if line.startswith("flags")), "")
    return frozenset(found.partition(":")[2].split())


def machine_has(required: RequiredCPU) -> bool:
    """Whether the machine surely runs such code; where not sure, LLVM knows."""
    if platform.machine() != "x86_64" or required.architecture != "x86_64":
        return False
    return all(LINUX_NAMES.get(name, name) in _flags() for name in required.features)
