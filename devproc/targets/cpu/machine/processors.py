"""The processors that code can be compiled for, and their properties.

A name denotes an instruction set, not a model: the levels of the x86-64 psABI, and AArch64
with NEON. "native" is the machine that compiles, which `devproc.targets.cpu.machine.cpu_target`
queries. Nothing here needs LLVM.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

NATIVE = "native"

CACHED_BYTES = 256 * 1024
"""Largest weight that stays in a core's private cache between two tiles of rows, and
possibly until the next call."""

INSTRUCTIONS = ("fma", "round", "half")
"""Vector instructions that some processors lack and that are then expanded.

`fma`: a multiply-add with one rounding. `round`: floor, ceil, trunc and rounding to integers.
`half`: conversion between f16 and f32.
"""

EXTENSIONS = ("avx512bf16", "avx512vnni", "avxvnni", "avx2", "dotprod")
"""Extensions of an instruction set, by LLVM's names, that algorithms ask for.

`avx512bf16`: dot products of pairs of bf16, with sums in f32. `avx512vnni`, `avxvnni`,
`dotprod`: of four bytes, with sums in int32, for 512, 256 and 128 bits. `avx2`: of two
bytes, with sums in int16 that saturate; only without AVX-512.
"""


def extensions_of(features: Collection[str]) -> tuple[str, ...]:
    """Of `EXTENSIONS`, those that features give."""
    wider = {"avx2"} if "avx512f" in features else set[str]()
    return tuple(name for name in EXTENSIONS if name in features and name not in wider)


@dataclass(frozen=True)
class CPU:
    """An instruction set: LLVM's names for it, and its vectors.

    `features` are those beyond what every processor of the architecture has.
    """

    architecture: str
    llvm_name: str
    vector_bits: int
    vector_registers: int
    features: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """The entries of `INSTRUCTIONS` that it lacks."""


_V2 = ("cx16", "popcnt", "sahf", "sse3", "ssse3", "sse4.1", "sse4.2")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")

CPUS: dict[str, CPU] = {
    "x86-64": CPU("x86_64", "x86-64", 128, 16, (), INSTRUCTIONS),
    "x86-64-v2": CPU("x86_64", "x86-64-v2", 128, 16, _V2, ("fma", "half")),
    "x86-64-v3": CPU("x86_64", "x86-64-v3", 256, 16, _V3),
    "x86-64-v4": CPU("x86_64", "x86-64-v4", 512, 32, _V4),
    "aarch64": CPU("aarch64", "generic", 128, 32, ("neon",)),
}
"""SSE2 only; SSE4.2; AVX2; AVX-512; NEON."""


def vector_registers(vector_bits: int) -> int:
    """Number of vector registers of an x86-64 with vectors of this length."""
    return 32 if vector_bits == 512 else 16


SAME_ARCHITECTURE = {"arm64": "aarch64", "amd64": "x86_64"}
"""Names of an architecture on other systems -> its name here."""


@dataclass(frozen=True)
class RequiredCPU:
    """The requirements of object code on the machine that runs it.

    `name` is the one given by the user, `features` those that LLVM was allowed to use.
    """

    name: str
    architecture: str
    features: tuple[str, ...]

    def refusal(self, architecture: str, lacking: Sequence[str]) -> str | None:
        """Why a machine of an architecture, which lacks features, cannot run the code, and
        the remedy; None if it can."""
        what = f"the program was compiled for cpu '{self.name}'"
        if self.architecture != architecture:
            return (
                f"{what} ({self.architecture}), this machine is {architecture}; "
                "run it on such a machine, or compile it for this one"
            )
        if not lacking:
            return None
        return (
            f"{what}, this machine lacks: {', '.join(lacking)}; compile it here, or for a "
            f"lower level ({', '.join(CPUS)})"
        )
