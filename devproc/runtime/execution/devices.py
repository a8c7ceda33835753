"""A GPU, real or interpreted: its memory, kernels and stream."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from math import prod
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
        """A context for the launches of one inference."""
        ...


NO_GPU = (
    "target 'cuda' needs a GPU that PyTorch can see; to check the GPU code without one, "
    "use the target 'cuda:interpret'"
)


def warn_without_gpu(target: str, arch: str) -> None:
    """Warns, at the line of the user that compiles, that the program cannot run here.

    It can be saved, inspected, and compiled ahead of time for `arch`.
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
    """A GPU with one stream: work is queued in order and runs asynchronously.

    `torch_device` is "cuda", or "cpu" where the kernels run in Triton's interpreter.
    """

    def __init__(self, torch_device: str, kernels: KernelLauncher):
        if torch_device == "cuda" and not torch.cuda.is_available():
            raise CompileError(f"cannot run here: {NO_GPU}")
        self.torch_device = torch_device
        self.kernels = kernels

    def allocate(self, byte_count: int) -> torch.Tensor:
        """Uninitialised device memory."""
        return torch.empty(byte_count, dtype=torch.uint8, device=self.torch_device)

    def upload(self, tensor: torch.Tensor) -> torch.Tensor:
        """A device copy of a host tensor; called once for each weight, at load."""
        return tensor.to(self.torch_device, copy=True)

    def synchronize(self) -> None:
        """Waits until all queued work is done."""
        if self.torch_device == "cuda":
            torch.cuda.synchronize()


def view_bytes(
    memory: torch.Tensor, offset: int, dtype: str, shape: Sequence[int]
) -> torch.Tensor:
    """A tensor over `memory` (uint8, one dimension) from byte `offset` on."""
    kind = TORCH_DTYPES[dtype]
    part = memory[offset : offset + prod(shape) * kind.itemsize]
    return part.view(kind).view(tuple(shape))
