"""PyTorch's own operators on int8 and int32, between the products of integer models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.quantized.references import Array, check, int8s, int32s

TARGETS = ("cpu", "cuda:interpret")
MAKERS = (int8s, int32s)


def pooled(x: Array) -> Array:
    """Windows of 3 x 2, 2 x 1 apart, with padding 1 and 0, by NumPy."""
    least = np.iinfo(x.dtype).min
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)), constant_values=least)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 2), (2, 3))
    return windows[:, :, ::2].max((-2, -1))


CASES: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Array], Array]]] = {
    "relu": (torch.relu, lambda x: np.maximum(x, 0)),
    "clamp": (lambda x: x.clamp(-100, 31), lambda x: np.clip(x, -100, 31)),
    "max_pool2d": (lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 0)), pooled),
    "add": (lambda x: x + x.flip(2), lambda x: x + x[:, :, ::-1]),
    "maximum": (
        lambda x: torch.maximum(x, x.mT.mT.flip(0)),
        lambda x: np.maximum(x, x[::-1]),
    ),
    "sum": (
        lambda x: x.sum((2, 3), dtype=torch.int32),
        lambda x: x.sum((2, 3), dtype=np.int32),
    ),
    "widened sum": (lambda x: x.sum(1), lambda x: x.sum(1, dtype=np.int64)),
    "amax": (lambda x: x.amax(3), lambda x: x.max(3)),
    "reshape": (lambda x: x.reshape(3, -1), lambda x: x.reshape(3, -1)),
    "permute": (
        lambda x: x.permute(0, 2, 3, 1).contiguous(),
        lambda x: x.transpose(0, 2, 3, 1),
    ),
    "slice": (lambda x: x[:, 1:, ::2, -3:], lambda x: x[:, 1:, ::2, -3:]),
    "cat": (
        lambda x: torch.cat([x, x[:, :2]], 1),
        lambda x: np.concatenate([x, x[:, :2]], 1),
    ),
    "pad": (
        lambda x: F.pad(x, (1, 2, 0, 1), value=-7),
        lambda x: np.pad(x, ((0, 0), (0, 0), (0, 1), (1, 2)), constant_values=-7),
    ),
    "int32": (
        lambda x: x.to(torch.int32) * 3,
        lambda x: x.astype(np.int32) * np.int32(3),
    ),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("case", CASES)
def test_operator(case: str, make: Callable[..., Array], target: str) -> None:
    function, reference = CASES[case]
    x = make(3, 5, 9, 7)
    check(function, np.ascontiguousarray(reference(x)), x, target=target)
