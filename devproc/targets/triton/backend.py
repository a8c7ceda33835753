"""A GPU through Triton: kernels as printed source, compiled where they run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from devproc.backend import (
    Argument,
    Backend,
    Description,
    Link,
    Memory,
    PrintedText,
    Stage,
    pass_paths,
)
from devproc.errors import CompileError
from devproc.targets.triton import GPU

if TYPE_CHECKING:
    from pathlib import Path

    import torch
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation

    from devproc.dialects.dev import TargetAttr
    from devproc.ir.weights.table import Array
    from devproc.targets.triton.kernel import TritonKernel
    from devproc.targets.triton.launch import Launcher

INTERPRET = "interpret"
"""The option that runs kernels in Triton's interpreter, on host memory."""

SEQUENTIAL = {
    "nn.nms": "each box depends on the boxes kept before it: no block program",
}
"""Name of an op -> why it is no block program."""

PASSES = ("convert-linalg-to-triton", "drop-unused-arguments")
ALGORITHMS = (
    *("block_tile", "block_rows", "block_scan", "block_sort"),
    *("block_transpose", "blocks"),
)
"""In the order in which they are tried; blocks are the fallback."""

MOST_WARPS = 32

NO_GPU = (
    "'cuda' needs a GPU that PyTorch can see; to check the GPU code without one, use "
    "'cuda:interpret'"
)


@dataclass(frozen=True)
class Kernels:
    """The loaded kernels of a program: launchers, or sources for the interpreter."""

    sources: Mapping[str, TritonKernel]
    launchers: Mapping[str, Launcher] | None


class Triton(Backend):
    """Block programs; `cuda:interpret` runs them without a GPU (slow, for checking)."""

    summary = "NVIDIA GPUs through Triton; 'cuda:interpret' needs none, and is slow"
    lowers_kernels = True
    options = (INTERPRET,)
    packages = ("triton",)
    arguments = (
        Argument("arch", "sm_90", "GPU that code is made for where there is none."),
    )
    dialects: ClassVar = {"triton": "devproc.targets.triton.dialect:TRITON"}
    algorithms: ClassVar = {
        name: f"devproc.targets.triton.algorithms.{name}" for name in ALGORITHMS
    }
    passes: ClassVar = pass_paths("devproc.targets.triton.transforms", PASSES)
    stages: ClassVar = (
        Stage(
            "gpu",
            "GPU kernels as block programs in our dialect of Triton, as their schedules say",
            PASSES,
            device=GPU,
            after="schedules",
            legal_in_kernels=frozenset({"triton", "scf", "arith", "math"}),
        ),
    )
    texts: ClassVar = {
        "triton-source": PrintedText(
            "gpu", "devproc.targets.triton.printer:TritonTarget", "kernels.py"
        )
    }

    def target_options(self, option: str, arguments: Mapping[str, str]) -> Attribute:
        """The GPU, and whether the interpreter takes its place."""
        from devproc.targets.triton.dialect import GPUAttr

        arch = arguments["arch"]
        if not re.fullmatch(r"sm_\d+a?", str(arch)):
            raise CompileError(f"unknown arch '{arch}'; write it as NVIDIA does: sm_90")
        return GPUAttr.get(arch, option == INTERPRET)

    def missing(self, option: str = "") -> str | None:
        """That PyTorch sees no GPU."""
        import torch

        return None if option or torch.cuda.is_available() else NO_GPU

    def describe(self, target: TargetAttr) -> Description:
        """A data-centre GPU in float32, with launches through Triton's launcher and copies
        over PCIe from or to pageable memory."""
        return Description(
            (Memory("global", 3e12, 80 << 30),),
            {"": 40e12},
            launch_seconds=8e-6,
            link=Link(10e-6, 20e9),
        )

    def legal(self, ops: Sequence[Operation]) -> Sequence[str]:
        """All but what `SEQUENTIAL` lists."""
        names = (inner.name for op in ops for inner in op.walk())
        return [SEQUENTIAL[name] for name in dict.fromkeys(names) if name in SEQUENTIAL]

    def efficiency(self, op: Operation) -> float:
        """Less than others for reductions, and where an algorithm does redundant work."""
        from devproc.targets.triton.efficiency import share_of

        return share_of(op)

    def build(self, module: ModuleOp) -> bytes:
        """The kernels with their launch parameters, as JSON."""
        from devproc.targets.triton.kernel import kernels_of

        kernels = {name: asdict(kernel) for name, kernel in kernels_of(module).items()}
        return json.dumps(kernels).encode()

    def compile_ahead(
        self, code: bytes, options: Mapping[str, Any], folder: Path | None
    ) -> Sequence[str]:
        """Cubins for `arch`, with their registers and spills."""
        from devproc.targets.triton.aot import compile_kernel
        from devproc.targets.triton.kernel import read_kernels

        lines: list[str] = []
        arch: str = options["arch"]
        for name, kernel in read_kernels(code).items():
            compiled = compile_kernel(kernel, arch)
            found = compiled.resources()
            lines.append(
                f"{name}: {arch}, {len(compiled.cubin):,} bytes, {found.registers} "
                f"registers, {found.spilled_bytes} bytes spilled, "
                f"{found.shared_bytes} bytes shared"
            )
            if folder is not None:
                (folder / f"{name}.cubin").write_bytes(compiled.cubin)
        return lines

    def problems(self, code: bytes, launches: Mapping[str, Sequence[str]]) -> list[str]:
        """Kernels that are missing, take other buffers, or have a grid that no GPU has."""
        from devproc.targets.triton.kernel import SIGNATURES, read_kernels

        kernels, texts = read_kernels(code), list[str]()
        for name, kernel in kernels.items():
            warps = kernel.num_warps
            if not (
                kernel.name == name
                and all(0 <= size < 1 << 31 for size in kernel.grid)
                and 1 <= warps <= MOST_WARPS
                and warps & (warps - 1) == 0
                and 1 <= kernel.num_stages <= MOST_WARPS
            ):
                texts.append(
                    f"kernels['{name}'] has another name, or a grid, number of warps or "
                    "stages that no GPU has"
                )
        for name, dtypes in launches.items():
            given = tuple(f"*{SIGNATURES.get(dtype)}" for dtype in dtypes)
            kernel = kernels.get(name)
            if kernel is None:
                texts.append(f"there is no kernel '{name}'")
            elif given != kernel.arg_types:
                wanted = ", ".join(kernel.arg_types)
                texts.append(f"kernel '{name}' takes {wanted}, not {given}")
        return texts

    def load(
        self, code: bytes, weights: Mapping[str, Array], option: str = ""
    ) -> Kernels:
        """The kernels; each is compiled at its first launch."""
        from devproc.targets.triton.kernel import read_kernels

        kernels = read_kernels(code)
        if option:
            return Kernels(kernels, None)
        if (why := self.missing()) is not None:
            raise CompileError(f"cannot run here: {why}")
        from devproc.targets.triton.launch import Launcher

        return Kernels(kernels, {name: Launcher(k) for name, k in kernels.items()})

    def session(self, handle: Kernels) -> AbstractContextManager[None]:
        """Replaces Triton's library by its interpreter, once per inference."""
        if handle.launchers is not None:
            return nullcontext()
        from devproc.targets.triton.interpret import interpreting

        return interpreting()

    def launch(
        self, handle: Kernels, symbol: str, buffers: Sequence[Any], queue: int = 0
    ) -> None:
        """Queues one kernel on PyTorch's current stream; interpreted, runs it."""
        if handle.launchers is not None:
            handle.launchers[symbol](*buffers)
            return
        from devproc.targets.triton.interpret import launch

        launch(handle.sources[symbol], *buffers)

    def synchronize(self, handle: Kernels, queue: int = 0) -> None:
        """Waits for the device."""
        if handle.launchers is not None:
            import torch

            torch.cuda.synchronize()

    def allocate(self, handle: Kernels, byte_count: int) -> torch.Tensor:
        """Memory of the GPU; interpreted, of the host."""
        import torch

        device = "cpu" if handle.launchers is None else "cuda"
        return torch.empty(byte_count, dtype=torch.uint8, device=device)
