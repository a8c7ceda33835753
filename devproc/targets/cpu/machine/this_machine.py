"""The processor of this machine, for a process that has no LLVM loaded."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from devproc.targets.cpu.machine.processors import SAME_ARCHITECTURE, RequiredCPU

LINUX_NAMES = {
    "avx512bf16": "avx512_bf16",
    "avx512bitalg": "avx512_bitalg",
    "avx512fp16": "avx512_fp16",
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
"""LLVM's name of a feature -> the name in Linux, if it differs."""


IDENTITY = ("vendor_id", "cpu family", "model", "stepping", "flags")
"""The fields in Linux that determine LLVM's name and features of an x86-64."""


@cache
def _first_processor() -> Mapping[str, str]:
    """The fields of the first processor; none if the system has no such list."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return {}
    rows = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    return {name.strip(): value.strip() for name, _, value in rows}


@cache
def _flags() -> frozenset[str]:
    return frozenset(_first_processor().get("flags", "").split())


@cache
def machine_description() -> str:
    """Everything that code for this machine depends on, from Linux or else from LLVM."""
    known = _first_processor()
    if platform.machine() == "x86_64" and all(known.get(name) for name in IDENTITY):
        return " ".join([platform.system(), *(known[name] for name in IDENTITY)])
    from devproc.targets.cpu.machine.cpu_target import host_description

    return host_description()


def why_not_here(required: RequiredCPU) -> str | None:
    """Why this machine cannot run such code, and the remedy; None if it can.

    Linux does not list everything that a processor has, so that LLVM decides where something
    is missing, if it is installed.
    """
    name = platform.machine().lower()
    architecture = SAME_ARCHITECTURE.get(name, name)
    lacking = [f for f in required.features if LINUX_NAMES.get(f, f) not in _flags()]
    found = required.refusal(architecture, lacking)
    if found is None or required.architecture != architecture:
        return found
    try:
        from devproc.targets.cpu.machine import cpu_target
    except ModuleNotFoundError:  # llvmlite, in a process that only runs programs
        return found if _flags() else None
    return cpu_target.why_not_here(required)
