"""Recurrent networks beside PyTorch's modules."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_leaves

import devproc
from devproc.driver import make_context, module_text, parse_module, run_stages
from devproc.entry import verify
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.stages import STAGES

NETWORKS: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
    "lstm": (nn.LSTM(4, 5, 2, bidirectional=True), (3, 2, 4)),
    "lstm_projected": (nn.LSTM(4, 5, 2, proj_size=3, batch_first=True), (2, 3, 4)),
    "lstm_one_step": (nn.LSTM(4, 5, bias=False), (1, 2, 4)),
    "lstm_no_batch": (nn.LSTM(4, 5, bidirectional=True), (3, 4)),
    "gru": (nn.GRU(4, 5, 2, bidirectional=True, batch_first=True), (2, 3, 4)),
    "gru_no_bias": (nn.GRU(4, 5, bias=False), (3, 2, 4)),
    "rnn_tanh": (nn.RNN(4, 5, 2, bidirectional=True), (3, 2, 4)),
    "rnn_relu": (nn.RNN(4, 5, nonlinearity="relu", bias=False), (3, 2, 4)),
    "lstm_cell": (nn.LSTMCell(4, 5), (3, 4)),
    "gru_cell": (nn.GRUCell(4, 5, bias=False), (3, 4)),
    "rnn_cell": (nn.RNNCell(4, 5, nonlinearity="relu"), (3, 4)),
    "rnn_tanh_cell": (nn.RNNCell(4, 5), (4,)),
}


def compiled(module: nn.Module, *inputs: Any, target: str = "cpu") -> devproc.Program:
    exported = torch.export.export(module.eval(), inputs, strict=False)
    return devproc.compile(exported, target, threads=1, cache=False)


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str) -> None:
    module, shape = NETWORKS[name]
    x = torch.randn(shape)
    found = compiled(module, x)(x)
    torch.testing.assert_close(found, module(x), check_stride=False)


@pytest.mark.parametrize("name", ["lstm_projected", "gru_no_bias"])
def test_network_on_interpreted_triton(name: str) -> None:
    module, shape = NETWORKS[name]
    x = torch.randn(shape)
    found = compiled(module, x, target="cuda:interpret")(x)
    torch.testing.assert_close(found, module(x), check_stride=False)


def test_state_from_outside_in_double_precision() -> None:
    module = nn.LSTM(3, 4, 2, bidirectional=True).double()
    x = torch.randn(2, 3, 3, dtype=torch.float64)
    state = torch.randn(4, 3, 4).double(), torch.randn(4, 3, 4).double()
    found = compiled(module, x, state)(x, state)
    torch.testing.assert_close(found, module(x, state), rtol=1e-12, atol=1e-14)


KINDS = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}
SIZES = [(1, 3, 7), (37, 3, 2), (256, 1, 2), (5, 1, 100)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("hidden", "batch", "steps"), SIZES)
def test_no_further_from_double_precision_than_pytorch(
    kind: str, hidden: int, batch: int, steps: int
) -> None:
    module = KINDS[kind](3, hidden, 2)
    x = torch.randn(steps, batch, 3)
    exported = torch.export.export(module.eval(), (x,), strict=False)
    program = devproc.compile(exported, threads=1, precision="strict", cache=False)
    exact, theirs = copy.deepcopy(module).double()(x.double()), module(x)
    for found, other, right in zip(*map(tree_leaves, (program(x), theirs, exact))):
        error, allowed = ((v - right).abs().max() for v in (found, other))
        assert error <= 2 * allowed + 1.2e-7


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_dtypes(dtype: torch.dtype) -> None:
    module = nn.GRU(3, 5, 2, bidirectional=True).to(dtype)
    x = torch.randn(4, 2, 3).to(dtype)
    found = compiled(module, x)(x)
    tolerance = 4 * torch.finfo(dtype).eps
    for value, right in zip(
        tree_leaves(found), tree_leaves(module.double()(x.double()))
    ):
        assert value.dtype == dtype
        assert (value - right).abs().max() <= tolerance


@pytest.mark.parametrize("kind", KINDS)
def test_nan_and_infinity_spread_as_in_pytorch(kind: str) -> None:
    module, x = KINDS[kind](3, 5, 2), torch.randn(6, 4, 3)
    x[2, 1, 0], x[3, 0, 1], x[1, 2, 2] = torch.nan, torch.inf, -torch.inf
    found = compiled(module, x)(x)
    torch.testing.assert_close(found, module(x), equal_nan=True, check_stride=False)


def test_empty_batch() -> None:
    module, x = nn.LSTM(3, 5), torch.randn(4, 0, 3)
    torch.testing.assert_close(compiled(module, x)(x), module(x), check_stride=False)


@cache
def gru_of(steps: int) -> str:
    """A program of so many steps as text: PyTorch takes 8 ms to export one step."""
    torch.manual_seed(0)
    module, x = nn.GRU(4, 5, bidirectional=True), torch.randn(steps, 2, 4)
    exported = torch.export.export(module.eval(), (x,), strict=False)
    return module_text(read_source(exported).module)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_code_does_not_depend_on_the_number_of_steps(target: str) -> None:
    """Twice as many steps: the same ops at each stage, but for the layer before the
    loop, whose tiles depend on its rows.
    """
    counts: list[list[int]] = []
    for steps in (256, 512):
        ir = parse_module(gru_of(steps))
        options = target_options(target, 1, "default")
        set_options(ir, options, {})
        counts.append([])
        for stage in STAGES:
            run_stages(ir, make_context(), [stage])
            counts[-1].append(sum(1 for _ in ir.walk()))
    for few, many in zip(*counts, strict=True):
        assert abs(few - many) <= 0.02 * few


def test_one_step_needs_no_loop() -> None:
    program = compiled(nn.LSTM(4, 5), torch.randn(1, 2, 4))
    assert "nn.loop" not in program.ir("tensor")


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_every_way_to_run_it(target: str, tmp_path: Path) -> None:
    """Saved, from JSON, traced, op by op, with checks, in a pipeline, with two threads."""
    module, x = nn.LSTM(4, 5, 2, bidirectional=True).eval(), torch.randn(3, 2, 4)
    exported = torch.export.export(module, (x,), strict=False)
    wanted = module(x)

    def check(found: Any) -> None:
        torch.testing.assert_close(found, wanted, check_stride=False)

    program = devproc.compile(exported, target, threads=1, cache=False)
    program.save(tmp_path / "saved")
    check(devproc.load(tmp_path / "saved")(x))
    check(program.trace(tmp_path / "trace", x))
    trace = (tmp_path / "trace").read_text()
    # On the CPU, each kernel in each step of a loop.
    launches = trace.count('"cat": "launch"')
    assert launches >= 2 * len(x) if target == "cpu" else "loop" in trace
    bounds = target == "cpu"
    checked = devproc.compile(
        exported, target, threads=2, cache=False, check_bounds=bounds
    )
    check(checked(x))
    devproc.export_json(
        exported, tmp_path / "p.json", weights=tmp_path / "p.safetensors"
    )
    check(devproc.compile(tmp_path / "p.json", target, cache=False)(x))
    assert verify(exported, target, inputs={"input": x}).passed
    pipe = devproc.pipeline("sequence")
    given = pipe.input("x", "float32", (3, 2, 4))
    pipe.output("y", pipe.model(exported, pipe.scale(given, 0.5))[0])
    found = devproc.compile(pipe, target, cache=False)(x=2 * x)["y"]
    torch.testing.assert_close(found, wanted[0], check_stride=False)


class Streaming(nn.Module):
    """Keeps the hidden state from one call to the next."""

    hidden: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(3, 5)
        self.register_buffer("hidden", torch.zeros(1, 2, 5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        output, hidden = self.gru(x, self.hidden)
        self.hidden.copy_(hidden)
        return output


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_hidden_state_from_call_to_call(target: str) -> None:
    module = Streaming()
    parts = torch.randn(3, 2, 2, 3)
    program = compiled(module, parts[0], target=target)
    module.hidden.zero_()
    for part in parts:
        torch.testing.assert_close(program(part), module(part), check_stride=False)


def test_no_state_is_copied_from_step_to_step() -> None:
    """Two kernels for a step: the product, and all that follows it."""
    rows = compiled(nn.LSTM(4, 5), torch.randn(50, 2, 4)).report().kernels.rows
    assert sorted(row.launches for row in rows) == [1, 1, 1, 2, 50, 50]


def test_weights_of_a_loop_are_packed() -> None:
    """The product of a step streams its weight as that of any layer does."""
    program = compiled(nn.LSTM(4, 64), torch.randn(3, 1, 4))
    assert program.ir("kernels").count("nn.pack") == 2


def test_dropout_between_layers_is_for_training() -> None:
    module = nn.LSTM(4, 5, 2, dropout=0.5)
    x = torch.randn(3, 2, 4)
    torch.testing.assert_close(compiled(module, x)(x), module(x), check_stride=False)
    exported = torch.export.export(module.train(), (x,), strict=False)
    with pytest.raises(devproc.UnsupportedError, match="dropout"):
        devproc.compile(exported, "cpu")


def test_each_result_of_a_recurrence_is_compared() -> None:
    """`devproc.verify` has a row for the outputs of all steps and for each last state."""
    exported = torch.export.export(nn.LSTM(4, 5).eval(), (torch.randn(6, 2, 4),))
    result = devproc.verify(exported, threads=1)
    assert result.passed
    assert str(result).count("nn.loop") == 3
