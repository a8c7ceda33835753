"""Convolutions and pools of channels-last images on the GPU: plans, refusals, values.

Printed programs run under Triton's interpreter beside PyTorch in float64.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockWindowSchedule, ImplicitGemmSchedule
from devproc.targets.triton.algorithms.implicit_gemm.tiles import Sizes, best_parts
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.archs import find_arch
from tests.algorithms.test_gpu import (
    GPU,
    LINEAR,
    STRICT,
    kernel_ops,
    launch,
    planned,
    program_of,
)
from tests.triton import programs, windows
from tests.triton.windows import Window

CONV = Window(2, (7, 9), 20, 3, padding=1)
STEM = Window(2, (11, 9), 3, 5, stride=2, padding=2)
POOL = Window(2, (9, 7), 20, 3, stride=2, padding=1)


def nchw(x: Tensor) -> Tensor:
    """An NHWC image as PyTorch has it, in float64."""
    return x.double().permute(0, 3, 1, 2)


def convolved(window: Window, o: int, schedule: ImplicitGemmSchedule | None) -> float:
    """The largest error of a program of a convolution, relative to its largest result."""
    torch.manual_seed(0)
    text, g, k = windows.conv2d(window, o), window.groups, window.kernel
    x = torch.randn(window.n, *window.size, window.c)
    w = torch.randn(k, k, window.c // g, o)
    bias, out = torch.randn(o), torch.full((window.n, *window.results, o), torch.nan)
    (found,) = planned(text)
    assert found.algorithm.name == "implicit_gemm"
    chosen = schedule or found.choice.schedule
    launch(program_of(text, chosen), [x, w, bias, out], 1)
    wanted = F.conv2d(
        nchw(x), w.double().permute(3, 2, 0, 1), bias.double(), window.stride,
        window.padding, window.dilation, g,
    ).relu()  # fmt: skip
    return float((nchw(out) - wanted).abs().max() / wanted.abs().max())


@pytest.mark.parametrize(
    ("window", "o"),
    [
        (CONV, 35),
        (STEM, 18),
        (Window(1, (6, 7), 37, 1, stride=2), 33),
        (Window(2, (9, 8), 16, 3, padding=4, dilation=3), 17),
        (Window(2, (5, 6), 40, 3, padding=1, groups=2), 36),
        (Window(2, (6, 5), 16, 3, padding=1), 1),
    ],
    ids=["3x3", "stem", "1x1 stride", "dilated", "groups", "one output"],
)
def test_convolution(window: Window, o: int) -> None:
    assert convolved(window, o, None) < 1e-6


def test_channels_of_a_step_keep_their_alignment() -> None:
    """Of a remainder Triton 3.6 knows none, and loads 2 bytes at a time."""
    (found,) = planned(windows.conv2d(Window(2, (7, 9), 128, 3, padding=1), 64))
    schedule = found.choice.schedule.replace(k=32)
    source = program_of(
        windows.conv2d(Window(2, (7, 9), 128, 3, padding=1), 64), schedule
    )
    assert "for k in range(0, 1152, 32)" in source.source
    assert "k % " not in source.source


@pytest.mark.parametrize(
    "changes",
    [
        {"m": 32, "n": 32, "k": 16, "group": 3},
        {"m": 128, "n": 16, "k": 64, "stages": 4, "warps": 8},
        {"m": 64, "n": 64, "k": 32, "precision": "ieee"},
    ],
)
def test_other_tiles(changes: dict[str, int]) -> None:
    (found,) = planned(windows.conv2d(CONV, 35))
    schedule = found.choice.schedule.replace(**changes)
    assert isinstance(schedule, ImplicitGemmSchedule)
    assert convolved(CONV, 35, schedule) < 1e-6


def test_elements_after_the_last_channel_are_masked() -> None:
    """20 channels in steps of 32: what follows in memory is not part of a sum."""
    text = windows.conv2d(CONV, 17)
    x, w = torch.randn(2, 7, 9, 20), torch.randn(3, 3, 20, 17)
    x[:, 3] = torch.nan
    bias, out = torch.zeros(17), torch.zeros(2, 7, 9, 17)
    launch(program_of(text, planned(text)[0].choice.schedule), [x, w, bias, out], 1)
    assert out[:, [0, 1, 5, 6]].isfinite().all()
    assert out[:, 2:5].isnan().all()


@pytest.mark.parametrize(
    ("schedule"),
    [None, BlockWindowSchedule(pixels=8, channels=8, warps=1)],
)
def test_windows_of_channels(schedule: BlockWindowSchedule | None) -> None:
    x, w = torch.randn(2, 9, 7, 20), torch.randn(3, 3, 20)
    out = torch.full((2, *POOL.results, 20), torch.nan)
    for text, tensors in (
        (windows.depthwise(POOL), [x, w, out]),
        (windows.max_pool2d(POOL), [x, out]),
    ):
        if "max" in text:
            x[1, 3, 4, 5] = torch.nan
        (found,) = planned(text)
        assert found.algorithm.name == "block_window"
        launch(program_of(text, schedule or found.choice.schedule), tensors, 1)
        wanted = (
            F.max_pool2d(nchw(x), 3, 2, 1)
            if "max" in text
            else F.conv2d(
                nchw(x), w.double().permute(2, 0, 1)[:, None], None, 2, 1, 1, 20
            )
        )
        torch.testing.assert_close(
            nchw(out), wanted, rtol=1e-5, atol=1e-5, equal_nan=True
        )


def test_large_windows_loop_over_lines() -> None:
    window = Window(1, (10, 9), 5, 9)
    text = windows.max_pool2d(window)
    x, out = torch.randn(1, 10, 9, 5), torch.zeros(1, *window.results, 5)
    kernel = program_of(text, planned(text)[0].choice.schedule)
    launch(kernel, [x, out], 1)
    assert torch.equal(nchw(out), F.max_pool2d(nchw(x), 9, 1))
    assert "for k in range(0, 9)" in kernel.source


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (LINEAR, "implicit_gemm", "no window slides over the left operand"),
        (LINEAR, "block_window", "a kernel of family 'contraction' has no windows"),
        (
            programs.conv2d(2, 20, (7, 9), 35, 3, padding=1),
            "implicit_gemm",
            "the channels of a pixel are not contiguous",
        ),
        (
            programs.max_pool2d(1, 4, (8, 8), 2, 2, 0),
            "block_window",
            "channels are not the last dimension",
        ),
        (
            windows.conv2d(CONV, 35),
            "block_window",
            "channels are not the last dimension",
        ),
        (
            windows.conv2d(Window(1, (3, 3), 20, 3), 35),
            "implicit_gemm",
            "tl.dot would multiply a single row or column",
        ),
        (windows.max_pool2d(POOL), "implicit_gemm", "the body is no sum of products"),
    ],
)
def test_refused(text: str, name: str, why: str) -> None:
    kernel, taker = kernel_ops(text), algorithm(name)
    nest = taker.nest_of(kernel)
    assert nest is not None
    assert taker.plan(nest, kernel.family, GPU) == Refusal(why)


@pytest.mark.parametrize(
    ("text", "changes", "target", "problem"),
    [
        (
            windows.conv2d(CONV, 35),
            {"m": 2048, "n": 1024},
            GPU,
            "a block of 2048 x 1024 has more than Triton's 1048576 elements",
        ),
        (
            windows.conv2d(CONV, 35),
            {"precision": "tf32x3"},
            STRICT,
            "'precision' must be ieee where the target's is strict",
        ),
        (
            windows.max_pool2d(POOL),
            {"pixels": 2048, "channels": 1024},
            GPU,
            "a block of 2048 x 1024 has more than Triton's 1048576 elements",
        ),
    ],
)
def test_illegal(
    text: str, changes: dict[str, int], target: TargetAttr, problem: str
) -> None:
    (found,) = planned(text)
    schedule = found.choice.schedule.replace(**changes)
    assert found.algorithm.problem(found.nest, schedule, target) == problem


def test_reasons() -> None:
    reasons: list[str] = []
    for text in (windows.conv2d(CONV, 35), windows.max_pool2d(POOL)):
        decision = planned(text)[0].choice
        assert isinstance(decision, Choice)
        reasons.append(decision.why)
    assert reasons == [
        "126 pixels x 35 channels of 9 x 20 terms are 4 x 2 tiles",
        "40 pixels of 20 channels, 4 x 32 for each program",
    ]


@pytest.mark.parametrize(
    ("pixels", "taps", "terms", "is_split"),
    [(49, 9, 512, True), (49, 1, 2048, True), (32 * 3136, 9, 64, False)],
)
def test_sums_are_split_where_tiles_are_few(
    pixels: int, taps: int, terms: int, is_split: bool
) -> None:
    sizes = Sizes(pixels, 512, taps, terms, 1, 2, "ieee")
    parts = best_parts(sizes, None, find_arch("sm_90"))
    assert (parts > 1) == is_split
    assert terms % parts == 0


@pytest.mark.parametrize(
    ("side", "is_split"), [(128, True), (127, False)], ids=["even", "odd"]
)
def test_windows_of_groups_are_split(side: int, is_split: bool) -> None:
    """The convolution of positions of Wav2Vec2, for one second."""
    sizes = Sizes(50, 48, side, 48, 16, 2, "ieee")
    parts = best_parts(sizes, side, find_arch("sm_90"))
    assert (parts > 1) == is_split
    assert side % parts == 0


@pytest.mark.parametrize("form", [{}, {"stride": (1, 2), "dilation": (2, 1)}])
def test_parts_of_a_window(form: dict[str, Any]) -> None:
    torch.manual_seed(0)
    module = nn.Conv2d(64, 96, (3, 64), padding=(2, 32), groups=2, **form).eval()
    x = torch.randn(2, 64, 5, 9)
    exported = torch.export.export(module, (x,))
    program = devproc.compile(exported, target="cuda:interpret", cache=False)
    parts = re.search(r"memref<2x\d+x\d+x(\d+)x2x48xf32,", program.ir("buffers"))
    assert parts is not None
    assert int(parts[1]) > 1
    wanted = module.double()(x.double())
    error = (program(x).double() - wanted).abs().max() / wanted.abs().max()
    assert error < 1e-6


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_machine_code(arch: str) -> None:
    """Copies of 16 bytes to shared memory while tensor cores multiply."""
    text = windows.conv2d(Window(2, (56, 56), 64, 3, padding=1, element="f16"), 64)
    kernel = program_of(text, planned(text)[0].choice.schedule)
    compiled = compile_kernel(kernel, arch)
    found = compiled.resources()
    assert found.spilled_bytes == 0
    assert found.count("HMMA", "HGMMA") > 0
    assert "cp.async.cg.shared.global" in compiled.ptx
    assert found.count("FFMA") == 0
