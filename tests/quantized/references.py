"""What the integer operators mean, in NumPy's int64; and programs to compare with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import devproc

Array = NDArray[Any]


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


def compiled(
    function: Callable[..., Any], *inputs: Array, target: str = "cpu", threads: int = 2
) -> Any:
    """What the compiled function gives."""
    tensors = tuple(torch.from_numpy(value) for value in inputs)
    exported = torch.export.export(Function(function), tensors)
    program = devproc.compile(exported, target=target, threads=threads, cache=False)
    return program(*inputs)


def check(
    function: Callable[..., Any], wanted: Array, *inputs: Array, target: str = "cpu"
) -> None:
    """The eager and the compiled function give these elements, of this dtype."""
    eager = function(*(torch.from_numpy(value) for value in inputs)).numpy()
    for found in (eager, np.asarray(compiled(function, *inputs, target=target))):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def int8s(*shape: int, seed: int = 0) -> Array:
    """Random int8, with many of the extreme values."""
    random = np.random.default_rng([seed, *shape])
    values = random.integers(-128, 128, shape, np.int8)
    extremes = random.choice(np.array([-128, 127], np.int8), shape)
    return np.where(random.random(shape) < 0.2, extremes, values)


def int32s(*shape: int, seed: int = 0) -> Array:
    """Random int32 of all magnitudes, with the extreme values."""
    random = np.random.default_rng([seed, *shape])
    values = random.integers(-(2**31), 2**31, shape) >> random.integers(0, 32, shape)
    extremes = random.choice(np.array([-(2**31), 2**31 - 1]), shape)
    return np.where(random.random(shape) < 0.1, extremes, values).astype(np.int32)


def convolution(
    x: Array,
    weight: Array,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Array:
    """The int32 convolution, a tap at a time."""
    (top, left), (kh, kw) = padding, weight.shape[2:]
    wide = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (top, top), (left, left)))
    height, width = (
        (size - d * (k - 1) - 1) // s + 1
        for size, d, k, s in zip(
            wide.shape[2:], dilation, (kh, kw), stride, strict=True
        )
    )
    outputs, channels = len(weight) // groups, weight.shape[1]
    total = np.zeros((len(x), len(weight), height, width), np.int64)
    for group, p, q in np.ndindex(groups, kh, kw):
        rows = slice(
            p * dilation[0], p * dilation[0] + (height - 1) * stride[0] + 1, stride[0]
        )
        columns = slice(
            q * dilation[1], q * dilation[1] + (width - 1) * stride[1] + 1, stride[1]
        )
        mine = slice(group * outputs, (group + 1) * outputs)
        image = wide[:, group * channels : (group + 1) * channels, rows, columns]
        taps = weight[mine, :, p, q].astype(np.int64)
        total[:, mine] += np.einsum("nchw,oc->nohw", image, taps)
    return total.astype(np.int32)


def rescaled(
    x: Array,
    multiplier: Array,
    shift: Array,
    zeros: tuple[int, int] = (0, 0),
    limits: tuple[int, int] = (-128, 127),
) -> Array:
    """TOSA's `apply_scale_32` in Python's integers, which have no limit."""
    values = x.astype(object) - zeros[0]
    one = np.array(1, object)
    half = one << (shift.astype(object) - 1)
    scaled = (values * multiplier.astype(object) + half) >> shift.astype(object)
    return np.clip(scaled + zeros[1], *limits)
