"""Recurrent networks beside PyTorch's modules."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import devproc

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


def test_kernels_do_not_depend_on_the_number_of_steps() -> None:
    """A step's index is data: the code of one step serves them all."""
    counts: list[int] = []
    for steps in (2, 4):
        program = compiled(nn.GRU(4, 5), torch.randn(steps, 2, 4))
        counts.append(len(program.report().kernels.rows))
    assert counts[0] == counts[1]


def test_dropout_between_layers_is_for_training() -> None:
    module = nn.LSTM(4, 5, 2, dropout=0.5)
    x = torch.randn(3, 2, 4)
    torch.testing.assert_close(compiled(module, x)(x), module(x), check_stride=False)
    exported = torch.export.export(module.train(), (x,), strict=False)
    with pytest.raises(devproc.UnsupportedError, match="dropout"):
        devproc.compile(exported, "cpu")
