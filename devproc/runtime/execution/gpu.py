"""The GPU kernels of a program: launched by Triton, or run in its interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch

from devproc.runtime.execution.devices import StreamDevice
from devproc.targets.triton.kernel import TritonKernel


class CompiledKernels:
    """Kernels on a real GPU; each is compiled at its first launch."""

    def __init__(self, kernels: Mapping[str, TritonKernel]):
        from devproc.targets.triton.launch import Launcher

        self._launchers = {name: Launcher(k) for name, k in kernels.items()}

    def launch(self, symbol: str, operands: Sequence[torch.Tensor]) -> None:
        """Queue one kernel on the current stream."""
        self._launchers[symbol](*operands)

    def session(self) -> AbstractContextManager[None]:
        """Nothing to prepare."""
        return nullcontext()


class InterpretedKernels:
    """Kernels in Triton's interpreter, on host memory (slow; for checking)."""

    def __init__(self, kernels: Mapping[str, TritonKernel]):
        self._kernels = kernels

    def launch(self, symbol: str, operands: Sequence[torch.Tensor]) -> None:
        """Run one kernel to its end."""
        from devproc.targets.triton.interpret import launch

        launch(self._kernels[symbol], *operands)

    def session(self) -> AbstractContextManager[None]:
        """Replaces Triton's library by its interpreter, once per inference."""
        from devproc.targets.triton.interpret import interpreting

        return interpreting()


def make_device(
    devices: str, kernels: Mapping[str, TritonKernel]
) -> StreamDevice | None:
    """The GPU of a target such as "cpu+cuda:interpret"; None for "cpu"."""
    if "cuda" not in devices:
        return None
    if devices.endswith(":interpret"):
        return StreamDevice("cpu", InterpretedKernels(kernels))
    return StreamDevice("cuda", CompiledKernels(kernels))
