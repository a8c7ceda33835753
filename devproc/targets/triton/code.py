"""The code of a program: its kernels as source, and as machine code of architectures.

One line of JSON with the kernels and the binaries, then the bytes of the cubins. A program
holds binaries of any number of architectures; kernels without one for a card are compiled
where they run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from devproc.errors import BundleError
from devproc.runtime.reading.typed_json import parse_json, read_as
from devproc.targets.triton.archs import capability, find_arch, runs
from devproc.targets.triton.kernel import SIGNATURES, TritonKernel

WHAT = "the kernels of the GPU"

MOST_WARPS = 32

ELF = b"\x7fELF"


@dataclass(frozen=True)
class Binary:
    """A kernel as machine code of one architecture: what a launch of its cubin needs."""

    kernel: str
    arch: str
    aligned: bool
    """Whether it takes for granted that all pointers are aligned to 16 bytes."""
    symbol: str
    """The entry point in the cubin."""
    num_warps: int
    shared_bytes: int
    """Of dynamic shared memory."""
    scratch_bytes: int
    """Of global memory for each program."""
    is_dependent: bool
    """Whether it waits for the kernel before it by itself, so that it may start early."""
    byte_count: int
    sha256: str
    """Of the cubin."""

    @property
    def name(self) -> str:
        """Different for each binary of a program: `linear.sm_90`."""
        return f"{self.kernel}.{self.arch}{'' if self.aligned else '.unaligned'}"


Compiled = tuple[Binary, bytes]
"""A binary and its cubin."""


@dataclass(frozen=True)
class GPUCode:
    """Kernels by name, and their binaries."""

    kernels: Mapping[str, TritonKernel]
    binaries: tuple[Compiled, ...] = ()
    variants: Mapping[str, Mapping[str, TritonKernel]] = field(
        default_factory=dict[str, Mapping[str, TritonKernel]]
    )
    """The kernels that each architecture has instead, if the code is made for several."""

    def to_bytes(self) -> bytes:
        """What `read_code` reads."""
        rows = tuple(binary for binary, _ in self.binaries)
        head = json.dumps(asdict(_Head(self.kernels, rows, self.variants))).encode()
        return b"".join([head, b"\n", *(cubin for _, cubin in self.binaries)])

    def kernels_for(self, card: str) -> Mapping[str, TritonKernel]:
        """The kernels as they are planned for a card: for its own architecture, or else for
        the latest that it runs the code of."""
        fitting = [arch for arch in self.variants if runs(arch, card)]
        best = max(fitting, key=capability, default="")
        return {**self.kernels, **self.variants.get(best, {})}

    def for_card(self, card: str, aligned: bool = True) -> dict[str, Compiled]:
        """A binary that a card runs for each kernel that has one; its own before others."""
        found: dict[str, Compiled] = {}
        for compiled in sorted(self.binaries, key=lambda pair: pair[0].arch == card):
            binary, _ = compiled
            fits = binary.shared_bytes <= find_arch(card).program_shared_bytes
            if fits and binary.aligned == aligned and runs(binary.arch, card):
                found[binary.kernel] = compiled
        return found


def digest(cubin: bytes) -> str:
    """The hash that a binary states of its cubin."""
    return hashlib.sha256(cubin).hexdigest()


@dataclass(frozen=True)
class _Head:
    kernels: Mapping[str, TritonKernel]
    binaries: tuple[Binary, ...]
    variants: Mapping[str, Mapping[str, TritonKernel]]


def read_code(code: bytes) -> GPUCode:
    """The code of a program; raises BundleError for damaged code."""
    text, _, cubins = code.partition(b"\n")
    head = read_as(_Head, parse_json(text, WHAT), WHAT)
    end, binaries = 0, list[Compiled]()
    for binary in head.binaries:
        first, end = end, end + max(binary.byte_count, 0)
        cubin = cubins[first:end]
        if digest(cubin) != binary.sha256:
            raise BundleError(
                f"{WHAT}: the cubin of '{binary.kernel}' for {binary.arch} is damaged: it "
                "has another hash"
            )
        binaries.append((binary, cubin))
    if end != len(cubins):
        raise BundleError(f"{WHAT}: {len(cubins) - end} bytes belong to no binary")
    return GPUCode(head.kernels, tuple(binaries), head.variants)


def check_code(code: GPUCode, launches: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong with kernels, binaries, and launches with these dtypes of buffers."""
    return [
        *_kernel_problems(code.kernels),
        *_variant_problems(code),
        *_binary_problems(code),
        *_launch_problems(code.kernels, launches),
    ]


def _kernel_problems(kernels: Mapping[str, TritonKernel]) -> list[str]:
    return [
        f"kernels['{name}'] has another name, or a grid, number of warps or "
        "stages that no GPU has"
        for name, kernel in kernels.items()
        if not (
            kernel.name == name
            and all(0 <= size < 1 << 31 for size in kernel.grid)
            and _is_block(kernel.num_warps)
            and 1 <= kernel.num_stages <= MOST_WARPS
        )
    ]


def _variant_problems(code: GPUCode) -> list[str]:
    """Variants of no kernel, or with other arguments."""
    texts: list[str] = []
    for arch, kernels in code.variants.items():
        texts += _kernel_problems({kernel.name: kernel for kernel in kernels.values()})
        for name, kernel in kernels.items():
            usual = code.kernels.get(name)
            if usual is None or usual.arg_types != kernel.arg_types:
                texts.append(f"variants['{arch}']: '{name}' takes other arguments")
    return texts


def _binary_problems(code: GPUCode) -> list[str]:
    """Binaries of no kernel, that are no machine code, or need more than their GPU has."""
    texts, seen = list[str](), set[str]()
    for binary, cubin in code.binaries:
        if binary.name in seen or binary.kernel not in code.kernels:
            texts.append(f"binaries: '{binary.name}' is there twice, or of no kernel")
        elif not _is_machine_code(binary, cubin):
            texts.append(
                f"binaries: '{binary.name}' is no machine code with the entry "
                f"'{binary.symbol}', or needs more than its GPU has"
            )
        seen.add(binary.name)
    return texts


def _is_machine_code(binary: Binary, cubin: bytes) -> bool:
    return (
        cubin.startswith(ELF)
        and binary.symbol.encode() in cubin
        and _is_block(binary.num_warps)
        and 0 <= binary.shared_bytes <= find_arch(binary.arch).program_shared_bytes
        and 0 <= binary.scratch_bytes < 1 << 31
    )


def _is_block(warps: int) -> bool:
    return 1 <= warps <= MOST_WARPS and warps & (warps - 1) == 0


def _launch_problems(
    kernels: Mapping[str, TritonKernel], launches: Mapping[str, Sequence[str]]
) -> list[str]:
    """Kernels that are missing, or take other buffers."""
    texts: list[str] = []
    for name, dtypes in launches.items():
        given = tuple(f"*{SIGNATURES.get(dtype)}" for dtype in dtypes)
        kernel = kernels.get(name)
        if kernel is None:
            texts.append(f"there is no kernel '{name}'")
        elif given != kernel.arg_types:
            wanted = ", ".join(kernel.arg_types)
            texts.append(f"kernel '{name}' takes {wanted}, not {given}")
    return texts
