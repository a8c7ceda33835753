"""The processor features that intrinsics need, specific or portable ones.

LLVM does not report an instruction that the processor lacks, it aborts the process. So
every processor-specific intrinsic in the text is looked up here first, and an unknown one
is refused.
"""

from __future__ import annotations

import re

from devproc.errors import CompileError
from devproc.targets.cpu.machine.cpu_target import CPUTarget

NAME = re.compile(r"@llvm\.(x86|aarch64|arm|amdgcn|nvvm|riscv|ppc|s390|wasm)\.([\w.]+)")

X86_FEATURES: tuple[tuple[str, str], ...] = (
    ("avx512bf16.", "avx512bf16"),
    # The same name for the form of AVX-VNNI, which has 256 bits.
    ("avx512.vpdpbusd.256", "avxvnni"),
    ("avx512.vpdp", "avx512vnni"),
    ("avx512fp16.", "avx512fp16"),
    ("avx512.", "avx512f"),
    ("vcvtps2ph.", "f16c"),
    ("fma.", "fma"),
    ("avx2.", "avx2"),
    ("avx.", "avx"),
    ("sse42.", "sse4.2"),
    ("sse41.", "sse4.1"),
    ("ssse3.", "ssse3"),
    ("sse3.", "sse3"),
    ("sse2.", "sse2"),
    ("sse.", "sse"),
)
"""Prefixes of intrinsics, and the feature they need; the first match counts."""

ARM_FEATURES: dict[str, str | None] = {"hint": None, "neon.sdot.": "dotprod"}
"""The same for AArch64; None: every processor has it."""

BASELINE = frozenset({"sse", "sse2"})
"""Features of every 64-bit x86 processor."""


def _needed(family: str, name: str, triple: str) -> str | None:
    """The feature an intrinsic needs; raises CompileError for an unknown one."""
    if family == "x86" and triple.startswith(("x86_64", "i386", "i686")):
        for prefix, feature in X86_FEATURES:
            if name.startswith(prefix):
                return feature
    if family == "aarch64" and triple.startswith(("aarch64", "arm64")):
        for prefix, feature in ARM_FEATURES.items():
            if name.startswith(prefix):
                return feature
    raise CompileError(
        f"intrinsic llvm.{family}.{name} is not known to work on {triple}; generate "
        "portable code for it or add it to devproc/targets/cpu/intrinsics.py"
    )


LIBRARY_CALLS: dict[str, str] = {
    "fma": "fma",
    "ldexp": "avx512f",
    **dict.fromkeys(("ceil", "floor", "round", "roundeven", "trunc"), "sse4.1"),
}
"""Portable intrinsics that become calls per lane on an x86-64 without a feature."""

PORTABLE = re.compile(rf"@llvm\.({'|'.join(LIBRARY_CALLS)})\.")


def _check_calls(ir: str, target: CPUTarget) -> None:
    """Checks that no portable intrinsic becomes a call of the C library."""
    for name in sorted(set(PORTABLE.findall(ir))):
        feature = LIBRARY_CALLS[name]
        if feature not in target.present:
            raise CompileError(
                f"llvm.{name} would call the C library for each number: {target.cpu} "
                f"lacks '{feature}'; name the processor in devproc.target (#cpu.machine<processor = ...>), so that "
                "the pass expand-math removes it"
            )


def check_intrinsics(ir: str, target: CPUTarget) -> None:
    """Checks that this processor has instructions for every intrinsic of the text."""
    triple = target.triple
    if target.architecture == "x86_64":
        _check_calls(ir, target)
    present = target.present | BASELINE
    for family, name in set(NAME.findall(ir)):
        feature = _needed(family, name, triple)
        if feature is not None and feature not in present:
            raise CompileError(
                f"intrinsic llvm.{family}.{name} needs the processor feature "
                f"'{feature}', which the target does not state ({triple})"
            )
