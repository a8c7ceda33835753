"""Concatenations, paddings and rotations read wide vectors, and only what they choose."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import devproc
from tests.triton.test_rows import Function, Model, kernels_of, machine_code

IMAGE, BORDER = (2, 90, 110, 32), (0, 0, 3, 0, 1, 2)

CASES: dict[str, Function] = {
    "concat": (lambda x: torch.cat([x, x * 2, x + 1], -1)),
    "concat of axes": (lambda x: torch.cat([torch.cat([x, -x], 2), torch.cat([x + 1, x], 2)], 1)),
    "pad": (lambda x: torch.nn.functional.pad(x, BORDER)),
    "pad with a number": (lambda x: torch.nn.functional.pad(x, BORDER, value=-2.5)),
    "roll": (lambda x: torch.roll(x, (3, -2), (1, 2))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_vectors_of_16_bytes(name: str, dtype: torch.dtype) -> None:
    kernels = kernels_of(CASES[name], torch.zeros(IMAGE, dtype=dtype))
    for kernel in kernels:
        assert "ld.global.v4.b32" in machine_code(kernel), kernel.source
        assert "tl.minimum" not in kernel.source


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("shape", [(2, 9, 11, 32), (1, 5, 7, 3), (3, 4, 6, 100)])
def test_values(name: str, shape: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    x[0, 0, 0] = torch.nan

    model = Model(CASES[name]).eval()
    exported = torch.export.export(model, (x,))
    program = devproc.compile(exported, "cuda:interpret", cache=False)
    np.testing.assert_array_equal(program(x), model(x))
