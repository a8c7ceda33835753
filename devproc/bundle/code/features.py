"""The CPUID bits of the instruction sets that LLVM may use on x86-64."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from devproc.errors import CompileError

AVX, AVX512 = 0x6, 0xE6
"""The register state that the system must save (XCR0)."""

EBX, ECX, EDX, EAX = 1, 2, 3, 0

EXTENDED = 0x8000_0001


class Feature(NamedTuple):
    """The bit of a feature, in a word of a leaf; `saved` is needed in XCR0."""

    name: str
    leaf: int
    subleaf: int
    word: int
    bit: int
    saved: int = 0


FEATURES = {
    feature.name: feature
    for feature in (
        Feature("sse3", 1, 0, ECX, 0),
        Feature("ssse3", 1, 0, ECX, 9),
        Feature("fma", 1, 0, ECX, 12, AVX),
        Feature("cx16", 1, 0, ECX, 13),
        Feature("sse4.1", 1, 0, ECX, 19),
        Feature("sse4.2", 1, 0, ECX, 20),
        Feature("movbe", 1, 0, ECX, 22),
        Feature("popcnt", 1, 0, ECX, 23),
        Feature("avx", 1, 0, ECX, 28, AVX),
        Feature("f16c", 1, 0, ECX, 29, AVX),
        Feature("sahf", EXTENDED, 0, ECX, 0),
        Feature("lzcnt", EXTENDED, 0, ECX, 5),
        Feature("bmi", 7, 0, EBX, 3),
        Feature("avx2", 7, 0, EBX, 5, AVX),
        Feature("bmi2", 7, 0, EBX, 8),
        Feature("avx512f", 7, 0, EBX, 16, AVX512),
        Feature("avx512dq", 7, 0, EBX, 17, AVX512),
        Feature("adx", 7, 0, EBX, 19),
        Feature("avx512ifma", 7, 0, EBX, 21, AVX512),
        Feature("avx512cd", 7, 0, EBX, 28, AVX512),
        Feature("avx512bw", 7, 0, EBX, 30, AVX512),
        Feature("avx512vl", 7, 0, EBX, 31, AVX512),
        Feature("avx512vbmi", 7, 0, ECX, 1, AVX512),
        Feature("avx512vbmi2", 7, 0, ECX, 6, AVX512),
        Feature("gfni", 7, 0, ECX, 8),
        Feature("avx512vnni", 7, 0, ECX, 11, AVX512),
        Feature("avx512bitalg", 7, 0, ECX, 12, AVX512),
        Feature("avx512vpopcntdq", 7, 0, ECX, 14, AVX512),
        Feature("avx512vp2intersect", 7, 0, EDX, 8, AVX512),
        Feature("avx512fp16", 7, 0, EDX, 23, AVX512),
        Feature("avxvnni", 7, 1, EAX, 4, AVX),
        Feature("avx512bf16", 7, 1, EAX, 5, AVX512),
        Feature("cmpccxadd", 7, 1, EAX, 7),
        Feature("avxifma", 7, 1, EAX, 23, AVX),
        Feature("avxvnniint8", 7, 1, EDX, 4, AVX),
        Feature("avxneconvert", 7, 1, EDX, 5, AVX),
        Feature("avxvnniint16", 7, 1, EDX, 10, AVX),
    )
}
"""LLVM's name -> the feature, from Intel's and AMD's manuals."""


def features_of(names: Iterable[str]) -> list[Feature]:
    """The features by name; raises CompileError for one whose bit is not known here."""
    unknown = [name for name in names if name not in FEATURES]
    if unknown:
        raise CompileError(
            f"a bundle cannot check for {', '.join(unknown)}; compile the program for a "
            "level instead, such as cpu='x86-64-v3'"
        )
    return [FEATURES[name] for name in names]
