"""A GPU through Triton: kernels as printed source, compiled where they run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar

from devproc.backend import (
    Argument,
    Backend,
    Description,
    Link,
    Marker,
    Memory,
    PrintedText,
    Queued,
    Stage,
    pass_paths,
)
from devproc.errors import CompileError
from devproc.targets.triton import GPU
from devproc.targets.triton.archs import archs_of
from devproc.targets.triton.installed import missing_triton, require_triton

if TYPE_CHECKING:
    from pathlib import Path

    import torch
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation

    from devproc.dialects.dev import TargetAttr
    from devproc.ir.weights.table import Array
    from devproc.targets.triton.code import GPUCode
    from devproc.targets.triton.device import Device
    from devproc.targets.triton.launch import LoadedKernels

INTERPRET = "interpret"
"""The option that runs kernels in Triton's interpreter, on host memory."""

REGION_PASSES = ("split-reductions", "split-keys")
BUFFER_PASSES = ("split-products", "fuse-row-producers", "fuse-vector-producers")
PASSES = (
    *("plan-other-archs", "convert-linalg-to-triton"),
    *("mask-selected-loads", "drop-unused-arguments"),
)
ALGORITHMS = (
    *("flash", "implicit_gemm", "box_gemm", "block_window", "block_tile"),
    *("persistent_tile", "block_vector", "block_rows", "block_columns", "block_scan"),
    *("block_sort", "block_rank", "block_merge", "block_scatter", "block_atomics"),
    *("block_update", "block_transpose", "blocks"),
)
"""In the order in which they are tried; blocks are the fallback."""

TUNE = {"yes": True, "True": True, "no": False, "False": False}

NO_GPU = (
    "'cuda' needs a GPU that PyTorch can see; to check the GPU code without one, use "
    "'cuda:interpret'"
)


class Triton(Backend):
    """Block programs; `cuda:interpret` runs them without a GPU (slow, for checking)."""

    summary = "NVIDIA GPUs through Triton; 'cuda:interpret' needs none, and is slow"
    lowers_kernels = True
    channels_last = True
    masks_padding = True
    merges_products = True
    updates_in_place = True
    merges_sliced_ops = True
    options = (INTERPRET,)
    packages = ("triton",)
    arguments = (
        Argument(
            "arch",
            "sm_90",
            "GPUs that code is made for ahead of time, with launches for the first: "
            "sm_90,sm_80.",
        ),
        Argument(
            "tune",
            "no",
            "yes: the best of several schedules for each kernel, compiled and compared.",
        ),
    )
    dialects: ClassVar = {"triton": "devproc.targets.triton.dialect:TRITON"}
    algorithms: ClassVar = {
        name: f"devproc.targets.triton.algorithms.{name}" for name in ALGORITHMS
    }
    tuner = "devproc.targets.triton.cost.tuner"
    passes: ClassVar = pass_paths(
        "devproc.targets.triton.transforms", (*REGION_PASSES, *BUFFER_PASSES, *PASSES)
    )
    stages: ClassVar = (
        Stage("kernels", passes=REGION_PASSES),
        Stage("buffers", passes=BUFFER_PASSES, device=GPU),
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
        """The GPUs, and whether the interpreter takes the place of the first."""
        from devproc.targets.triton.dialect import GPUAttr

        first, *others = archs_of(arguments["arch"])
        tune = str(arguments["tune"])
        if tune not in TUNE:
            raise CompileError(f"tune must be yes or no, not '{tune}'")
        return GPUAttr.get(first, option == INTERPRET, TUNE[tune], others)

    def missing(self, option: str = "") -> str | None:
        """That Triton is not installed, or that PyTorch sees no GPU."""
        if (why := missing_triton()) is not None:
            return why
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
            streams=4,
            idle_seconds=2e-6,
            event_seconds=1.5e-6,
        )

    def legal(self, ops: Sequence[Operation]) -> Sequence[str]:
        """All but what `SEQUENTIAL` lists."""
        from devproc.targets.triton.legality import SEQUENTIAL

        names = (inner.name for op in ops for inner in op.walk())
        return [SEQUENTIAL[name] for name in dict.fromkeys(names) if name in SEQUENTIAL]

    def keeps(self, op: Operation) -> bool:
        """Attention whose heads fit the registers of a program."""
        from devproc.targets.triton.legality import fits

        return fits(op)

    def efficiency(self, op: Operation) -> float:
        """Less than others for reductions, and where an algorithm does redundant work."""
        from devproc.targets.triton.efficiency import share_of

        return share_of(op)

    def build(self, module: ModuleOp) -> bytes:
        """The kernels with their launch parameters, without machine code."""
        from devproc.targets.triton.code import GPUCode
        from devproc.targets.triton.kernel import kernels_of, variants_of

        return GPUCode(kernels_of(module), (), variants_of(module)).to_bytes()

    def compile_ahead(
        self,
        code: bytes,
        options: Mapping[str, Any],
        folder: Path | None,
        unaligned: Collection[str] = (),
    ) -> tuple[bytes, Sequence[str]]:
        """Cubins for each `arch`, with their registers and spills."""
        require_triton()
        from devproc.targets.triton.binaries import add_binaries, describe

        archs = archs_of(options["arch"])
        made = add_binaries(_read(code), archs, unaligned)
        if folder is not None:
            for binary, cubin in made.binaries:
                (folder / f"{binary.name}.cubin").write_bytes(cubin)
        return made.to_bytes(), [describe(*compiled) for compiled in made.binaries]

    def problems(self, code: bytes, launches: Mapping[str, Sequence[str]]) -> list[str]:
        """Kernels that are missing, take other buffers, or have a grid that no GPU has, and
        binaries that are none."""
        from devproc.targets.triton.code import check_code

        return check_code(_read(code), launches)

    def load(
        self, code: bytes, weights: Mapping[str, Array], option: str = ""
    ) -> LoadedKernels:
        """The kernels on the device, compiled if they are not."""
        from devproc.targets.triton.launch import LoadedKernels

        return LoadedKernels(self.open_device(option), _read(code))

    def open_device(self, option: str) -> Device:
        """The interpreter, or PyTorch's current GPU; raises CompileError for none."""
        if (why := self.missing(option)) is not None:
            raise CompileError(f"cannot run here: {why}")
        if option:
            from devproc.targets.triton.interpreter import Interpreter

            return Interpreter()
        import torch

        from devproc.targets.triton.card import card

        return card(torch.cuda.current_device())

    def unload(self, handle: LoadedKernels) -> None:
        """Waits for what is still queued, since memory is released next."""
        handle.finish()

    def session(self, handle: LoadedKernels) -> AbstractContextManager[None]:
        """Makes the device the current one, and the call follow the one before."""
        return handle.session()

    def launch(
        self,
        handle: LoadedKernels,
        symbol: str,
        buffers: Sequence[torch.Tensor],
        queue: int = 0,
    ) -> None:
        """Queues one kernel on PyTorch's current stream; interpreted, runs it."""
        handle.prepare(symbol, buffers)(handle.device.stream())

    def sequence(
        self, handle: LoadedKernels, works: Sequence[Queued]
    ) -> Callable[[], None]:
        """Works with packed arguments, from the second call on as one graph."""
        return handle.sequence(works)

    def staging(self, handle: LoadedKernels, byte_count: int) -> torch.Tensor:
        """Page-locked memory; interpreted, any memory of the host."""
        return handle.device.staging(byte_count)

    def marker(self, handle: LoadedKernels) -> Marker:
        """An event on PyTorch's current stream."""
        from devproc.targets.triton.launch import StreamMarker

        return StreamMarker(handle.device)

    def synchronize(self, handle: LoadedKernels, queue: int = 0) -> None:
        """Waits for PyTorch's current stream."""
        handle.device.synchronize(handle.device.stream())

    def allocate(self, handle: LoadedKernels, byte_count: int) -> torch.Tensor:
        """Memory of the GPU; interpreted, of the host."""
        return handle.allocate(byte_count)

    def holds(self, handle: LoadedKernels, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies on a GPU."""
        return handle.device.holds(tensor)

    def upload(self, source: torch.Tensor, buffer: torch.Tensor) -> None:
        """Queues a copy; one of the host's memory by way of page-locked memory, so that the
        caller may change it at once."""
        import torch

        if source.is_cpu and not buffer.is_cpu:
            pinned = torch.cuda.is_available()
            staged = torch.empty(source.shape, dtype=source.dtype, pin_memory=pinned)
            source = staged.copy_(source)
        buffer.copy_(source.view(buffer.shape), non_blocking=True)


def _read(code: bytes) -> GPUCode:
    # Not at module level: listing the devices imports no code of theirs.
    from devproc.targets.triton.code import read_code

    return read_code(code)
