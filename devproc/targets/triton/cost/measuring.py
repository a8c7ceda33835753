# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Times of kernels on the GPU of this process."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from devproc.targets.triton.kernel import TritonKernel, as_signed, jit_function

ELEMENTS = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
}
"""Triton's name of an element -> the dtype of a tensor of them."""

WARMUP, ROUNDS, IN_GRAPH = 3, 10, 20


def card_name() -> str:
    """The GPU that PyTorch sees; empty without one."""
    return torch.cuda.get_device_name() if torch.cuda.is_available() else ""


def kernel_seconds(kernel: TritonKernel, argument_bytes: Sequence[int]) -> float:
    """The median time of one launch with arguments of these sizes."""
    tensors = arguments_of(kernel, argument_bytes, "cuda")
    return seconds(partial(launch, kernel, tensors), graph=True)


def arguments_of(
    kernel: TritonKernel, argument_bytes: Sequence[int], device: str
) -> list[torch.Tensor]:
    """A tensor for each argument: random floats, and zeros, which index anything."""
    found: list[torch.Tensor] = []
    for type_, size in zip(kernel.arg_types, argument_bytes, strict=True):
        dtype = ELEMENTS[type_.removeprefix("*")]
        count = max(1, size // dtype.itemsize)
        if dtype.is_floating_point:
            found.append(torch.randn(count, device=device).to(dtype))
        else:
            found.append(torch.zeros(count, dtype=dtype, device=device))
    return found


def launch(kernel: TritonKernel, tensors: Sequence[Any]) -> None:
    """Queues one launch, through Triton's own entry."""
    import triton

    # For tensor descriptors, which programs make in memory of the launch.
    triton.set_allocator(_scratch)
    jit_function(kernel)[kernel.grid](
        *map(as_signed, tensors),
        num_warps=kernel.num_warps,
        num_stages=kernel.num_stages,
        enable_fp_fusion=True,
    )


def _scratch(size: int, alignment: int, stream: int | None) -> torch.Tensor:
    return torch.empty(size, dtype=torch.int8, device="cuda")


def seconds(call: Callable[[], object], graph: bool = False) -> float:
    """The median time of a call on the device, or of its replay in a CUDA graph.

    A graph holds the call several times, so that the launch of the graph is not timed.
    """
    for _ in range(WARMUP):
        call()
    torch.cuda.synchronize()
    if not graph:
        return statistics.median(_timed(call) for _ in range(ROUNDS))
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        for _ in range(IN_GRAPH):
            call()
    return statistics.median(_timed(recorded.replay) for _ in range(ROUNDS)) / IN_GRAPH


def _timed(call: Callable[[], object]) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3
