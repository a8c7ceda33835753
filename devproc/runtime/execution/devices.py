"""Devices beside the CPU: memory, kernels and order of a GPU, real or interpreted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import torch

from devproc.errors import CompileError
from devproc.runtime.calls.tensors import TORCH_DTYPES


class KernelLauncher(Protocol):
    """Compiled or interpreted GPU kernels by symbol."""

    def launch(self, symbol: str, operands: Sequence[torch.Tensor]) -> None:
        """Run one kernel on tensors of its device."""
        ...

    def session(self) -> AbstractContextManager[None]:
        """Surrounds the launches of one inference."""
        ...


NO_GPU = (
    "target 'cuda' needs a GPU that PyTorch can see; to check the GPU code without one, "
    "use the target 'cuda:interpret'"
)


def warn_without_gpu(target: str, arch: str) -> None:
    """Warns, at the line of the user's that compiles, of a program that cannot run here.

    That is a use of its own: to save the program, to read its code, to compile ahead of
    time for `arch`.
    """
    if target.endswith(":interpret") or torch.cuda.is_available():
        return
    warnings.warn(
        f"target '{target}': PyTorch sees no GPU here. The program can be inspected, "
        f"saved and compiled ahead of time for '{arch}', but a call will fail; to run the "
        f"GPU code without a GPU, use the target '{target}:interpret'",
        stacklevel=4,
    )


class StreamDevice:
    """A GPU with one stream: work is queued in order and runs behind the host's back.

    `torch_device` is "cuda", or "cpu" where the kernels run in Triton's interpreter.
    """

    def __init__(self, torch_device: str, kernels: KernelLauncher):
        if torch_device == "cuda" and not torch.cuda.is_available():
            raise CompileError(f"cannot run here: {NO_GPU}")
        self.torch_device = torch_device
        self.kernels = kernels

    def allocate(self, byte_count: int) -> torch.Tensor:
        """Bytes of device memory."""
        return torch.empty(byte_count, dtype=torch.uint8, device=self.torch_device)

    def upload(self, tensor: torch.Tensor) -> torch.Tensor:
        """A device copy of a host tensor (done once, at load)."""
        return tensor.to(self.torch_device, copy=True)

    def synchronize(self) -> None:
        """Wait until the stream has run dry."""
        if self.torch_device == "cuda":
            torch.cuda.synchronize()


def view_bytes(
    memory: torch.Tensor, offset: int, dtype: str, shape: Sequence[int]
) -> torch.Tensor:
    """A tensor over `memory` (uint8, one dimension) from byte `offset` on."""
    kind = TORCH_DTYPES[dtype]
    count = 1
    for size in shape:
        count *= size
    part = memory[offset : offset + count * kind.itemsize]
    return part.view(kind).view(tuple(shape))
