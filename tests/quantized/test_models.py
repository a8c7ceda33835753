"""Whole integer models: every int8 tensor equals that of the eager model bit for bit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from tests.quantized_models import quantize_bert_layer, quantize_resnet18


def check(model: nn.Module, x: torch.Tensor, target: str = "cpu") -> None:
    """Integers are equal; float32 is close, where its functions are not PyTorch's."""
    wanted = model(x)
    exported = torch.export.export(model, (x,))
    program = devproc.compile(exported, target=target, threads=2, cache=False)
    for found, value in zip(program(x.numpy()), wanted, strict=True):
        if value.dtype == torch.float32:
            np.testing.assert_allclose(found, value.numpy(), rtol=1e-5, atol=1e-5)
            continue
        assert value.dtype == torch.int8
        assert value.unique().numel() > 16
        np.testing.assert_array_equal(found, value.numpy())


LOADED = """
import sys, numpy, devproc
x = numpy.load(sys.argv[2])
program = devproc.compile(sys.argv[1], cache=False)
numpy.save(sys.argv[3], numpy.asarray(program(x)[1]))
"""


def test_saved_export_needs_no_import(tmp_path: Path) -> None:
    """The operators of a `.pt2` file are known where only `devproc` is imported."""
    model, x = quantize_bert_layer(16, 2, 5), torch.randn(1, 5, 16)
    paths = [str(tmp_path / name) for name in ("m.pt2", "x.npy", "y.npy")]
    torch.export.save(torch.export.export(model, (x,)), paths[0])
    np.save(paths[1], x.numpy())
    subprocess.run([sys.executable, "-c", LOADED, *paths], check=True)
    np.testing.assert_array_equal(np.load(paths[2]), model(x)[1].numpy())


def test_op_by_op() -> None:
    """Integers of each op equal its reference, also where the compiler chose the layout."""
    model, x = quantize_resnet18(33, 4, classes=7), torch.randn(2, 3, 33, 33)
    exported = torch.export.export(model, (x,))
    assert devproc.verify(exported, threads=2, check_bounds=True).passed


@pytest.mark.parametrize(("size", "width", "batch"), [(75, 5, 3)])
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
