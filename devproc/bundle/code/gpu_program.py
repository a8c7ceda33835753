"""What a bundle has for a GPU beside its steps: kernels as machine code, and memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from devproc.bundle.code.layout import (
    GPU_LAUNCH,
    GPU_RECORD,
    GPU_WEIGHT,
    CodeRows,
    StepRow,
    aligned,
)
from devproc.bundle.code.program_code import ProgramCode
from devproc.errors import BundleError
from devproc.targets.triton import GPU
from devproc.targets.triton.archs import capability
from devproc.targets.triton.code import Compiled, GPUCode
from devproc.targets.triton.machine_code import THREADS

MOST_OPERANDS = 64
"""Most operands of a kernel: the length of a table of `cuda.c`."""

SCRATCH_ALIGNMENT = 256
"""Bytes; descriptors of tensors, which kernels write there, need 128."""


@dataclass(frozen=True)
class KernelRow:
    """A kernel of one architecture: where its cubin begins, and how it is launched.

    `scratch` is in bytes, for all its programs.
    """

    symbol: str
    code: int
    scratch: int
    scratch_offset: int
    grid: tuple[int, int, int]
    threads: int
    shared_bytes: int
    is_dependent: bool


@dataclass(frozen=True)
class Image:
    """All kernels for an architecture, 90 for `sm_90`."""

    arch: int
    kernels: tuple[KernelRow, ...]


@dataclass(frozen=True)
class GPUProgram:
    """Memory in bytes, and the images, whose cubins are in `code`.

    `numbers` are those of kernels, by what launches name. The weights that kernels read lie in
    one range of all, which begins at `first_weight`.
    """

    numbers: Mapping[tuple[str, bool], int]
    images: tuple[Image, ...]
    code: bytes
    arena_bytes: int
    staging_bytes: int
    first_weight: int
    weight_bytes: int
    streams: int
    events: int

    def number(self, step: StepRow) -> int:
        """The number of a step in the runtime's tables: of its kernel or its event."""
        return self.numbers[step.launched] if step.kind == GPU_LAUNCH else step.event

    def code_bytes(self, step: StepRow) -> int:
        """The bytes of a launched kernel for all architectures."""
        number = self.numbers[step.launched]
        return sum(self._sizes[image.kernels[number].code] for image in self.images)

    @property
    def scratch_bytes(self) -> int:
        """Of the global memory for kernels' own use, at most."""
        kernels = [k for image in self.images for k in image.kernels]
        return max((k.scratch_offset + k.scratch for k in kernels), default=0)

    @property
    def _sizes(self) -> dict[int, int]:
        starts = sorted({k.code for image in self.images for k in image.kernels})
        ends = [*starts[1:], len(self.code)]
        return {first: end - first for first, end in zip(starts, ends, strict=True)}


def gpu_program(
    codes: Sequence[ProgramCode], rows: Sequence[CodeRows], arena_bytes: int
) -> GPUProgram | None:
    """What the codes of all entries have on a GPU; None without one.

    Raises BundleError for entries that were compiled for different architectures.
    """
    steps = [step for own in rows for step in own.steps]
    if all(code.gpu is None for code in codes):
        return None
    used = {
        step.launched: (code, step)
        for code, own in zip(codes, rows, strict=True)
        for step in own.steps
        if step.kind == GPU_LAUNCH
    }
    content = _Content()
    images = tuple(
        Image(capability(arch), tuple(_kernels(arch, used.values(), content)))
        for arch in _archs(codes)
    )
    weights = [slot for own in rows for slot in own.slots if slot.kind == GPU_WEIGHT]
    first = min((slot.offset for slot in weights), default=0)
    last = max((slot.end for slot in weights), default=0)
    return GPUProgram(
        {launched: number for number, launched in enumerate(used)},
        images,
        bytes(content.data),
        arena_bytes,
        max(code.host.staging_bytes(GPU) for code in codes),
        first,
        last - first,
        1 + max((step.stream for step in steps), default=0),
        1 + max((step.event for step in steps if step.kind == GPU_RECORD), default=-1),
    )


class _Content:
    """Cubins one after the other; equal ones are there once."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._places: dict[str, int] = {}

    def add(self, compiled: Compiled) -> int:
        """Where the cubin of a binary begins."""
        binary, cubin = compiled
        if binary.sha256 not in self._places:
            self._places[binary.sha256] = len(self.data)
            self.data += cubin + bytes(aligned(len(cubin)) - len(cubin))
        return self._places[binary.sha256]


def _archs(codes: Sequence[ProgramCode]) -> list[str]:
    """The architectures of all entries, in their order."""
    found = [
        list(dict.fromkeys(binary.arch for binary, _ in code.gpu.binaries))
        for code in codes
        if code.gpu is not None
    ]
    if any(sorted(archs) != sorted(found[0]) for archs in found):
        listed = "; ".join(", ".join(archs) for archs in found)
        raise BundleError(
            f"the entries were compiled for different GPUs, {listed}; compile all with the "
            "same arch"
        )
    return found[0]


def _kernels(
    arch: str, used: Iterable[tuple[ProgramCode, StepRow]], content: _Content
) -> list[KernelRow]:
    rows: list[KernelRow] = []
    scratch = 0
    for code, step in used:
        assert code.gpu is not None
        name = step.symbol.removeprefix(code.prefix)
        compiled = _binary(code.gpu, name, arch, step.is_aligned)
        binary = compiled[0]
        grid = code.gpu.kernels_for(arch)[name].grid
        size = binary.scratch_bytes * prod(grid)
        rows.append(
            KernelRow(
                binary.symbol,
                content.add(compiled),
                size,
                scratch,
                grid,
                THREADS * binary.num_warps,
                binary.shared_bytes,
                binary.is_dependent,
            )
        )
        scratch += -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
    return rows


def _binary(code: GPUCode, name: str, arch: str, is_aligned: bool) -> Compiled:
    found = next(
        compiled
        for compiled in code.binaries
        if (compiled[0].kernel, compiled[0].arch, compiled[0].aligned)
        == (name, arch, is_aligned)
    )
    operands = len(code.kernels[name].arg_types)
    if operands > MOST_OPERANDS:
        raise BundleError(
            f"kernel '{name}' has {operands} operands; the host of a bundle takes "
            f"{MOST_OPERANDS}"
        )
    return found
