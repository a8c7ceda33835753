"""Convolutions by boxes of the image: values beside PyTorch, refusals, machine code."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn

import devproc
from devproc.algorithms import algorithm
from devproc.dialects.dev import target_of
from devproc.dialects.sched import BoxGemmSchedule
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.archs import find_arch
from devproc.tuning import candidates
from tests.algorithms.test_gpu import kernel_ops, program_of, scheduled
from tests.algorithms.test_gpu_windows import convolved
from tests.targets import target_attr
from tests.triton import windows
from tests.triton.windows import Window

CONV = Window(2, (7, 9), 20, 3, padding=1)


def box(rows: int, columns: int, **fields: object) -> BoxGemmSchedule:
    """A schedule of 32 channels by steps of 16."""
    usual = {"n": 32, "k": 16, "warps": 4, "stages": 3, "precision": "tf32x3"}
    return BoxGemmSchedule(rows=rows, columns=columns, **(usual | fields))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("window", "schedule"),
    [
        (CONV, box(4, 8)),
        (CONV, box(16, 1, k=32)),
        (replace(CONV, padding=2, dilation=2), box(8, 4)),
        (replace(CONV, padding=0), box(1, 32)),
        (replace(CONV, kernel=5, padding=3), box(2, 8, k=16)),
        (replace(CONV, n=1, size=(16, 32)), box(8, 16, n=16)),
    ],
    ids=["plain", "narrow", "dilated", "unpadded", "wide", "whole"],
)
def test_values(window: Window, schedule: BoxGemmSchedule) -> None:
    assert convolved(window, 36, schedule) < 1e-6  # pyright: ignore[reportArgumentType]


class Block(nn.Module):
    """A convolution with what follows it in a residual block."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(24, 24, 3, padding=1), nn.BatchNorm2d(24)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalised, added to the input, and without what is negative."""
        return (self.norm(self.conv(x)) + x).relu()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_program_by_schedules_of_the_user(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    model, x = Block().eval().to(dtype), torch.randn(2, 24, 11, 13).to(dtype)
    with torch.no_grad():
        exported = torch.export.export(model, (x,))
        schedules = {"conv*": str(box(4, 8))}
        made = devproc.compile(
            exported, "cuda:interpret", cache=False, schedules=schedules
        )
        assert "block_shape=[1, 4, 8, 16]" in made.ir("triton-source")
        exact = model.double()(x.double())
    torch.testing.assert_close(made(x).double(), exact, rtol=0.03, atol=0.03)


@pytest.mark.parametrize(
    ("window", "channels", "arch", "why"),
    [
        (replace(CONV, stride=2), 36, "sm_90", "do not lie next to each other"),
        (replace(CONV, c=3), 36, "sm_90", "it has groups, or too few channels"),
        (replace(CONV, groups=2), 36, "sm_90", "it has groups, or too few channels"),
        (
            replace(CONV, c=21),
            36,
            "sm_90",
            "a stride of 5292 bytes is no multiple of 16",
        ),
        (CONV, 35, "sm_90", "a stride of 140 bytes is no multiple of 16"),
        (CONV, 36, "sm_80", r"sm_80 copies no tensors by descriptors \(TMA\)"),
    ],
)
def test_refused(window: Window, channels: int, arch: str, why: str) -> None:
    kernel, taker = kernel_ops(windows.conv2d(window, channels)), algorithm("box_gemm")
    nest = taker.nest_of(kernel)
    problem = taker.problem(nest, box(4, 8), target_attr("cuda", arch=arch))
    assert problem is not None
    assert why.replace("\\", "") in problem


def test_machine_code() -> None:
    """Boxes come by the tensor memory accelerator, to wgmma, without spills."""
    text = windows.conv2d(Window(32, (56, 56), 64, 3, padding=1, element="bf16"), 128)
    chosen = box(8, 16, n=128, k=64, warps=8)
    kernel = program_of(text, chosen)
    # 7 x 4 rectangles of each of 32 images.
    assert kernel.grid == (32 * 28, 1, 1)
    compiled = compile_kernel(kernel)
    found = compiled.resources()
    assert any("UTMALDG.4D" in each.opcode for each in found.instructions)
    assert found.count("HGMMA") > 0
    assert (found.count("LDGSTS"), found.count("LDL", "STL")) == (0, 0)
    assert found.spilled_bytes == 0
    assert found.shared_bytes <= find_arch("sm_90").program_shared_bytes
    older = compile_kernel(kernel, "sm_80").resources()
    assert older.count("UTMALDG", "LDL", "STL") == 0


def test_candidates() -> None:
    """Of 14 x 14 results, rectangles of 16 x 8 cover the fewest others."""
    window = Window(32, (14, 14), 256, 3, padding=1, element="bf16")
    module, _ = scheduled(windows.conv2d(window, 256))
    kernel = next(op for op in module.ops if op.name == "func.func")
    (found,) = candidates(kernel, target_of(module)).values()  # pyright: ignore[reportArgumentType]
    boxes = [s for s in found[:12] if isinstance(s, BoxGemmSchedule)]
    assert len(boxes) == 3
    assert {(each.rows, each.columns) for each in boxes} == {(16, 8)}
