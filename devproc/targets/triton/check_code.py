"""Consistency of the code of a saved program, checked before any of it is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from devproc.targets.triton.arch import shared_limit
from devproc.targets.triton.code import Binary, GPUCode
from devproc.targets.triton.kernel import SIGNATURES, TritonKernel

MOST_WARPS = 32

ELF = b"\x7fELF"


def check_code(code: GPUCode, launches: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong with kernels, binaries, and launches with these dtypes of buffers."""
    return [
        *_kernel_problems(code.kernels),
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
        and 0 <= binary.shared_bytes <= shared_limit(binary.arch)
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
