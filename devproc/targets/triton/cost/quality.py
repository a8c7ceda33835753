"""What a kernel's machine code must not have: spills, narrow loads, idle tensor cores."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.targets.triton.archs import Arch
from devproc.targets.triton.cost.estimate import FEW_NARROW_LOADS
from devproc.targets.triton.cost.work import Work
from devproc.targets.triton.machine_code import (
    MOST_REGISTERS,
    TENSOR_CORE,
    THREADS,
    MachineCode,
)

VECTOR_BYTES = 16
"""Of the widest load of a thread."""

SHORT = ("bf16", "f16")

WIDE = ("LDG.128", "LDGSTS.128", "UTMALDG")


def problems(code: MachineCode, work: Work, gpu: Arch) -> Iterator[str]:
    """What is wrong with a kernel's code, each in two or three words; nothing if it is as
    an expert would write it."""
    if code.spilled_bytes or code.count("LDL", "STL"):
        yield "spills registers"
    if code.registers > MOST_REGISTERS or registers_of(code) > gpu.registers:
        yield "too many registers"
    if code.shared_bytes > gpu.program_shared_bytes:
        yield "too much shared memory"
    if work.dots:
        if _loads_narrow_factors(code, work):
            yield "2-byte loads"
        if _has_fast_dots(work) and not code.count(*TENSOR_CORE):
            yield "no tensor cores"
    if _loads_vectors(code, work) and not any(code.mix.get(kind) for kind in WIDE):
        yield "no 128-bit loads"


def registers_of(code: MachineCode) -> int:
    """The registers of one program."""
    return code.registers * THREADS * code.warps


def _loads_narrow_factors(code: MachineCode, work: Work) -> bool:
    """Whether threads load a factor of a product, of 16 bits, element by element.

    Fewer 2-byte loads than such a factor has elements for each thread are those of a bias,
    or of two bools of a mask. Without loops, which may be unrolled completely, all loads of
    the kernel are counted, but for as many as those that load no factor have elements: a
    bias of scores whose rows are not aligned.
    """
    if work.dots[0].element not in SHORT:
        return False
    threads = THREADS * code.warps
    most = min(min(dot.m, dot.n) * dot.k for dot in work.dots) // threads - 1
    if not code.loops:
        others = (a for a in work.accesses if not (a.is_store or a.is_factor))
        elements = sum(a.elements for a in others if a.item_bytes == 2)
        most = max(most + elements // threads, FEW_NARROW_LOADS)
    return sum(i.kind == "LDG.U16" for i in code.hot_loop) > max(most, 0)


def _has_fast_dots(work: Work) -> bool:
    """Whether tensor cores compute a dot at the precision that it asks for."""
    return any(dot.element in SHORT or dot.precision != "ieee" for dot in work.dots)


def _loads_vectors(code: MachineCode, work: Work) -> bool:
    """Whether a load has a whole vector for each thread."""
    enough = VECTOR_BYTES * THREADS * code.warps
    return any(
        not access.is_store and access.elements * access.item_bytes >= enough
        for access in work.accesses
    )
