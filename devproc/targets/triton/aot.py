# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Compiles printed kernels without a GPU: cubin, PTX, and their resource usage.

Triton's compiler needs no device, so the quality of a kernel can be tested anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from devproc.errors import CompileError
from devproc.targets.triton.archs import capability, find_arch
from devproc.targets.triton.kernel import TritonKernel, jit_function
from devproc.targets.triton.machine_code import (
    MOST_REGISTERS,
    THREADS,
    MachineCode,
    read_machine_codes,
    registers_and_spills,
)


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel as machine code for one GPU architecture."""

    kernel: TritonKernel
    arch: str
    cubin: bytes
    ptx: str
    symbol: str
    """The entry point's name in the cubin."""
    shared_bytes: int
    num_warps: int
    scratch_bytes: int
    """Of global memory, for each program."""
    is_dependent: bool
    """Whether it waits for the kernel before it by itself; see `waiting`."""

    def resources(self) -> MachineCode:
        """Registers, spills and instructions, read off the machine code."""
        return resources_of([self])[0]


def resources_of(kernels: Sequence[CompiledKernel]) -> list[MachineCode]:
    """The resources of kernels of one architecture, in a fraction of the time that one by
    one takes."""
    if not kernels:
        return []
    given = [(k.cubin, k.shared_bytes, k.num_warps) for k in kernels]
    return read_machine_codes(given, kernels[0].arch)


def compile_kernel(
    kernel: TritonKernel, arch: str = "sm_90", aligned: bool = True
) -> CompiledKernel:
    """Compiles for an architecture such as `sm_80` or `sm_90`; needs no GPU.

    `aligned`: for pointers that are aligned to 16 bytes.
    """
    import triton
    from triton.backends.compiler import GPUTarget

    is_dependent = find_arch(arch).has_dependent_launches
    if is_dependent:
        kernel = replace(kernel, source=waiting(kernel.source))
    function = jit_function(kernel)
    signature = dict(zip(function.arg_names, kernel.arg_types, strict=True))
    source = _source_type(kernel, aligned)(
        fn=function,
        signature=signature,
        constexprs={},
        attrs=_aligned(kernel) if aligned else {},
    )
    target = GPUTarget("cuda", capability(arch), THREADS)
    options = {
        "num_warps": kernel.num_warps,
        "num_stages": kernel.num_stages,
        "enable_fp_fusion": True,
    }
    try:
        compiled = triton.compile(source, target=target, options=options)
        most = most_registers(compiled.asm["cubin"], kernel.num_warps, arch)
        if most is not None:
            options["maxnreg"] = most
            compiled = triton.compile(source, target=target, options=options)
    except Exception as error:
        raise CompileError(
            f"Triton cannot compile the kernel '{kernel.name}' for {arch}: {error}\n"
            f"{kernel.source}"
        ) from error
    return CompiledKernel(
        kernel=kernel,
        arch=arch,
        cubin=compiled.asm["cubin"],
        ptx=compiled.asm["ptx"],
        symbol=compiled.metadata.name,
        shared_bytes=compiled.metadata.shared,
        num_warps=compiled.metadata.num_warps,
        scratch_bytes=compiled.metadata.global_scratch_size,
        is_dependent=is_dependent,
    )


def most_registers(cubin: bytes, warps: int, arch: str) -> int | None:
    """The registers that a thread may have, for a kernel that spills some although it has
    fewer; else None.

    The assembler spills a value or two for a step of occupancy that few programs reach.
    Without NVIDIA's tools, which tell it, kernels stay as they are.
    """
    try:
        registers, spilled = registers_and_spills(cubin)
    except CompileError:
        return None
    most = min(MOST_REGISTERS, find_arch(arch).registers // (THREADS * warps) // 8 * 8)
    return most if spilled and registers < most else None


WAITING = """\
    tl.extra.cuda.gdc_wait()
    tl.extra.cuda.gdc_launch_dependents()
"""
"""Until the kernel before is done and its results can be read; then the next one may start."""

DESCRIPTOR = "make_tensor_descriptor"

ACCESSES = ("load", "store", DESCRIPTOR)


def waiting(source: str) -> str:
    """The source of a kernel that is launched before the one before it is done.

    The launch of a kernel, and the start of its programs, then overlap with the end of the
    kernel before ("programmatic dependent launch" of the CUDA programming guide). Each
    kernel waits before its first access, so that it finds the results of all before it.
    """
    function = ast.parse(source).body[-1]
    assert isinstance(function, ast.FunctionDef)
    first = next(filter(_accesses_memory, function.body), None)
    lines = source.splitlines(keepends=True)
    lines.insert(first.lineno - 1 if first else len(lines), WAITING)
    return "".join(lines)


def _accesses_memory(statement: ast.stmt) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ACCESSES
        for node in ast.walk(statement)
    )


def _source_type(kernel: TritonKernel, aligned: bool) -> Any:
    """Triton's class of sources, or the one without descriptors."""
    if aligned or DESCRIPTOR not in kernel.source:
        from triton.compiler import ASTSource

        return ASTSource
    from devproc.targets.triton.descriptor_pointers import PointerSource

    return PointerSource


def _aligned(kernel: TritonKernel) -> dict[tuple[int, ...], list[list[object]]]:
    """Triton's attributes for pointers with 16-byte alignment, as planned buffers have."""
    return {
        (index,): [["tt.divisibility", 16]]
        for index, type_ in enumerate(kernel.arg_types)
        if type_.startswith("*")
    }
