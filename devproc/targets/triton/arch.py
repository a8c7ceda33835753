"""NVIDIA's GPU architectures: their names, limits, and whose machine code they run."""

from __future__ import annotations

import re

from devproc.errors import CompileError

SHARED_BYTES = {
    70: 96 << 10,
    75: 64 << 10,
    80: 163 << 10,
    86: 99 << 10,
    87: 163 << 10,
    89: 99 << 10,
    90: 227 << 10,
    100: 227 << 10,
    103: 227 << 10,
    120: 99 << 10,
    121: 99 << 10,
}
"""Capability -> most bytes of shared memory of one block (CUDA C++ Programming Guide,
"Technical Specifications per Compute Capability")."""

SPECIFIC = 90
"""From this capability on Triton compiles for exactly one (`sm_90a`)."""


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


def shared_limit(arch: str) -> int:
    """Most bytes of shared memory of one block; of an unknown architecture, a guess that
    is not too large."""
    return SHARED_BYTES.get(capability(arch), 99 << 10)


def runs(arch: str, card: str) -> bool:
    """Whether a card runs the machine code of an architecture: its own, or that of an
    earlier minor version."""
    made, own = capability(arch), capability(card)
    if made == own:
        return True
    return made < own < SPECIFIC and made // 10 == own // 10
