# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Compiles printed kernels without a GPU: cubin, PTX, and their resource usage.

Triton's compiler needs no device, and its wheel ships the CUDA tools that show registers,
spills and instructions; so the quality of a kernel can be tested anywhere.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from devproc.errors import CompileError
from devproc.targets.triton.arch import capability
from devproc.targets.triton.kernel import TritonKernel, jit_function

INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]+\*/\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9]+)", re.M)
"""A line of nvdisasm: address, predicate, opcode."""


@dataclass(frozen=True)
class Resources:
    """The resources of one program of a kernel, and its instructions by opcode."""

    registers: int
    spilled_bytes: int
    shared_bytes: int
    opcodes: Mapping[str, int]
    """SASS opcode without modifiers (`FFMA`, `HGMMA`, `LDG`) -> count."""

    def count(self, *opcodes: str) -> int:
        """The number of instructions with one of these opcodes."""
        return sum(self.opcodes.get(opcode, 0) for opcode in opcodes)


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

    def resources(self) -> Resources:
        """Registers, spills and instruction counts, read off the machine code."""
        registers, spilled = registers_and_spills(self.cubin)
        assembly = _tool(self.cubin, "nvdisasm", "-c")
        opcodes = Counter(INSTRUCTION.findall(assembly))
        return Resources(registers, spilled, self.shared_bytes, opcodes)


def registers_and_spills(cubin: bytes) -> tuple[int, int]:
    """Registers of a thread, and the bytes of its stack frame, which are spilled ones."""
    usage = _tool(cubin, "cuobjdump", "-res-usage")
    found = re.search(r"REG:(\d+) STACK:(\d+)", usage)
    if found is None:
        raise CompileError(f"cuobjdump shows no resource usage:\n{usage}")
    return int(found[1]), int(found[2])


def compile_kernel(
    kernel: TritonKernel, arch: str = "sm_90", aligned: bool = True
) -> CompiledKernel:
    """Compiles for an architecture such as `sm_80` or `sm_90`; needs no GPU.

    `aligned`: for pointers that are aligned to 16 bytes.
    """
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function = jit_function(kernel)
    signature = dict(zip(function.arg_names, kernel.arg_types, strict=True))
    source = ASTSource(
        fn=function,
        signature=signature,
        constexprs={},
        attrs=_aligned(kernel) if aligned else {},
    )
    target = GPUTarget("cuda", capability(arch), 32)
    options = {
        "num_warps": kernel.num_warps,
        "num_stages": kernel.num_stages,
        "enable_fp_fusion": True,
    }
    try:
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
    )


def _aligned(kernel: TritonKernel) -> dict[tuple[int, ...], list[list[object]]]:
    """Triton's attributes for pointers with 16-byte alignment, as planned buffers have."""
    return {
        (index,): [["tt.divisibility", 16]]
        for index, type_ in enumerate(kernel.arg_types)
        if type_.startswith("*")
    }


def _tool(cubin: bytes, name: str, *arguments: str) -> str:
    """What a tool of Triton's wheel prints about a cubin."""
    import triton.backends.nvidia as nvidia

    folders = [Path(folder) / "bin" for folder in nvidia.__path__]
    path = next((f / name for f in folders if (f / name).exists()), None)
    if path is None:
        raise CompileError(f"this Triton does not ship '{name}'")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [path, *arguments, file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(f"{name} failed: {done.stderr.strip()}")
    return done.stdout
