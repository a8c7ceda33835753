"""Whole integer models: every int8 tensor equals that of the eager model bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from tests.quantized_models import quantize_bert_layer, quantize_resnet18


def check(model: nn.Module, x: torch.Tensor, target: str = "cpu") -> None:
    """Integers are equal; float32 is close, where its functions are not PyTorch's."""
    wanted = model(x)
    program = devproc.compile(
        torch.export.export(model, (x,)), target=target, threads=2, cache=False
    )
    for found, value in zip(program(x.numpy()), wanted, strict=True):
        if value.dtype == torch.float32:
            np.testing.assert_allclose(found, value.numpy(), rtol=1e-5, atol=1e-5)
            continue
        assert value.dtype == torch.int8
        assert value.unique().numel() > 16
        np.testing.assert_array_equal(found, value.numpy())


@pytest.mark.parametrize(("size", "width", "batch"), [(64, 8, 2), (75, 5, 3)])
def test_resnet18(size: int, width: int, batch: int) -> None:
    model = quantize_resnet18(size, width, classes=37)
    check(model, torch.randn(batch, 3, size, size))


@pytest.mark.parametrize(
    ("hidden", "heads", "tokens", "batch"), [(48, 3, 17, 2), (64, 4, 32, 1)]
)
def test_bert_layer(hidden: int, heads: int, tokens: int, batch: int) -> None:
    check(
        quantize_bert_layer(hidden, heads, tokens), torch.randn(batch, tokens, hidden)
    )
