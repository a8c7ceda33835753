"""Schedules that DevProc ships for kernels of the benchmark models."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
import transformers as tr
from torch import nn
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.sched.parsing import parse_schedule
from devproc.errors import CompileError
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.cost import ranking, shipped, tuner
from devproc.targets.triton.cost.program_kernels import kernel_nests
from devproc.tools.commands.common.modules import scheduled_kernels
from tests.zoo.build import Call

SOFTMAX = "#sched.block_rows<rows = 1, width = 1024, warps = 1>"


@pytest.fixture(autouse=True)
def nothing_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CompileError("a candidate is compiled")

    monkeypatch.setattr(ranking, "machine_codes", refuse)
    monkeypatch.setattr(ranking.settings, "cache_dir", lambda: None)


def scheduled(
    model: nn.Module,
    *shape: int,
    dtype: torch.dtype = torch.bfloat16,
    tune: str = "yes",
) -> tuple[Sequence[FuncOp], TargetAttr]:
    """The kernels of a model for images or rows at stage `schedules`, for a GPU."""
    inputs = (torch.randn(shape).to(dtype),)
    with torch.no_grad():
        program = torch.export.export(model.eval().to(dtype), inputs)
    module = read_source(program).module
    set_options(module, target_options("cuda", tune=tune), None)
    return scheduled_kernels(module)["cuda"], target_of(module)


def test_a_known_kernel_compiles_nothing() -> None:
    ((kernel,), _) = scheduled(nn.Softmax(-1), 4096, 1000)
    assert [str(nest.schedule) for nest in kernel_nests(kernel)] == [SOFTMAX]


def test_another_shape_dtype_or_precision_is_not_known() -> None:
    with pytest.raises(CompileError, match="a candidate is compiled"):
        scheduled(nn.Softmax(-1), 4095, 1000)
    with pytest.raises(CompileError, match="a candidate is compiled"):
        scheduled(nn.Softmax(-1), 4096, 1000, dtype=torch.float16)


def test_what_is_not_legal_any_more_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = {
        key: ("#sched.blocks<size = 64, warps = 1>", time)
        for key, (_, time) in shipped.entries().items()
    }
    monkeypatch.setattr(shipped, "entries", lambda: known)
    with pytest.raises(CompileError, match="a candidate is compiled"):
        scheduled(nn.Softmax(-1), 4096, 1000)


def test_on_a_gpu_its_own_times_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuner, "card_name", lambda: "made up")
    with pytest.raises(CompileError, match="a candidate is compiled"):
        scheduled(nn.Softmax(-1), 4096, 1000)


def test_without_tuning_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "entries", None)
    scheduled(nn.Softmax(-1), 4096, 1000, tune="no")


def test_entries_are_schedules_with_times() -> None:
    for text, microseconds in shipped.entries().values():
        assert str(parse_schedule(text)) == text
        assert microseconds > 0


def test_a_benchmark_model_is_known() -> None:
    """Else `python benchmarks/gpu_tuned.py` adds the kernels that have changed."""
    config = tr.ResNetConfig(
        depths=[2, 2, 2, 2],
        hidden_sizes=[64, 128, 256, 512],
        layer_type="basic",
        num_labels=1000,
    )
    model = tr.ResNetForImageClassification(config)
    call = Call(model, ["pixel_values"], ["logits"])
    kernels, target = scheduled(call, 1, 3, 224, 224, tune="no")
    unknown = [
        kernel.sym_name.data
        for kernel in kernels
        for nest in kernel_nests(kernel)
        if shipped.shipped_choice(kernel, nest, target) is None
    ]
    assert not unknown
