"""What a kernel's machine code must not have: spills, narrow loads, idle tensor cores."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.targets.triton.cost.estimate import RESERVED_BYTES
from devproc.targets.triton.cost.gpus import GPU
from devproc.targets.triton.cost.work import Work
from devproc.targets.triton.machine_code import TENSOR_CORE, THREADS, MachineCode

MOST_REGISTERS = 255
"""Of a thread."""

VECTOR_BYTES = 16
"""Of the widest load of a thread."""

WIDE = ("LDG.128", "LDGSTS.128", "UTMALDG")


def problems(code: MachineCode, work: Work, gpu: GPU) -> Iterator[str]:
    """What is wrong with a kernel's code, each in two or three words; nothing if it is as
    an expert would write it."""
    if code.spilled_bytes or code.count("LDL", "STL"):
        yield "spills registers"
    if code.registers > MOST_REGISTERS or registers_of(code) > gpu.registers:
        yield "too many registers"
    if code.shared_bytes > gpu.shared_bytes - RESERVED_BYTES:
        yield "too much shared memory"
    if work.dots:
        if any(i.kind == "LDG.U16" for i in code.hot_loop):
            yield "2-byte loads"
        if _has_fast_dots(work) and not code.count(*TENSOR_CORE):
            yield "no tensor cores"
    if _loads_vectors(code, work) and not any(code.mix.get(kind) for kind in WIDE):
        yield "no 128-bit loads"


def registers_of(code: MachineCode) -> int:
    """The registers of one program."""
    return code.registers * THREADS * code.warps


def _has_fast_dots(work: Work) -> bool:
    """Whether tensor cores compute a dot at the precision that it asks for."""
    return any(
        dot.element in ("bf16", "f16") or dot.precision != "ieee" for dot in work.dots
    )


def _loads_vectors(code: MachineCode, work: Work) -> bool:
    """Whether a load has a whole vector for each thread."""
    enough = VECTOR_BYTES * THREADS * code.warps
    return any(
        not access.is_store and access.elements * access.item_bytes >= enough
        for access in work.accesses
    )
