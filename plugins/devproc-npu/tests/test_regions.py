"""Regions on the simulator, bit for bit against PyTorch."""

from __future__ import annotations

import pytest
import torch
from regions import function_text, launch, lowered, tensor_type

pytestmark = pytest.mark.usefixtures("npu")

FULL = "clamp -128 127"
ALL = "clamp -2147483648 2147483647"


def rescaled(x: torch.Tensor, multiplier, shift, low=-128, high=127) -> torch.Tensor:
    """RESCALE as TOSA 1.0 writes it down, in 64 bits."""
    multiplier, shift = torch.as_tensor(multiplier), torch.as_tensor(shift)
    scaled = (x.long() * multiplier + (1 << (shift.long() - 1))) >> shift.long()
    return scaled.clamp(low, high).to(torch.int8 if high < 128 else torch.int32)


def int8(*shape: int) -> torch.Tensor:
    """Random, with the extremes."""
    x = torch.randint(-128, 128, shape, dtype=torch.int8)
    x.flatten()[:1], x.flatten()[-1:] = -128, 127
    return x


CONVOLUTIONS = [
    # n, c, h, w, o, kernel, stride, padding
    (1, 3, 8, 8, 4, (3, 3), 1, 1),
    (2, 5, 9, 11, 19, (3, 3), 2, 1),
    (3, 16, 7, 7, 33, (1, 1), 1, 0),
    (2, 3, 15, 13, 17, (7, 7), 2, 3),
    (1, 20, 6, 10, 7, (1, 3), 1, 0),
    (2, 8, 1, 1, 5, (1, 1), 2, 0),
]


@pytest.mark.parametrize("sizes", CONVOLUTIONS, ids=str)
def test_convolution_bias_rescale_relu(sizes: tuple) -> None:
    n, c, h, w, o, kernel, stride, padding = sizes
    torch.manual_seed(o)
    x, weight = int8(n, c, h, w), int8(o, c, *kernel)
    bias = torch.randint(-(2**31), 2**31 - 1, (o, 1, 1), dtype=torch.int32)
    bias[o // 2 :] >>= 16
    multiplier = torch.randint(1 << 30, 2**31 - 1, (o, 1, 1), dtype=torch.int32)
    shift = torch.randint(35, 48, (o, 1, 1), dtype=torch.int8)
    sums = torch.nn.functional.conv2d(
        x.double(), weight.double(), None, stride, padding
    ).int()
    y = rescaled(sums + bias, multiplier, shift).relu()
    types = {
        "x": tensor_type(x.shape, "i8"), "w": tensor_type(weight.shape, "i8"),
        "b": tensor_type(bias.shape, "i32"), "s": tensor_type(bias.shape, "i8"),
        "c": tensor_type(y.shape, "i32"), "y": tensor_type(y.shape, "i8"),
    }  # fmt: skip
    body = """
      %w = nn.weight @w hash "1f" : {w}
      %b = nn.weight @b hash "2f" : {b}
      %m = nn.weight @m hash "3f" : {b}
      %s = nn.weight @s hash "4f" : {s}
      %c = nn.conv2d %a0, %w stride [{t}, {t}] padding [{p}, {p}] dilation [1, 1] groups 1
        : ({x}, {w}) -> {c}
      %d = nn.add %c, %b : ({c}, {b}) -> {c}
      %r = nn.rescale %d, %m, %s zero 0 to i8 zero 0 clamp -128 127 : ({c}, {b}, {s}) -> {y}
      %y = nn.relu %r : ({y}) -> {y}
      func.return %y : {y}
    """.format(**types, t=stride, p=padding)
    weights = {
        "w": weight.numpy(), "b": bias.numpy(),
        "m": multiplier.numpy(), "s": shift.numpy(),
    }  # fmt: skip
    module = lowered(function_text([types["x"]], body, [types["y"]]))
    run = launch(module, weights, [x], [y])
    assert torch.equal(run.results[0], y)
    assert run.report.operations == run.estimate.operations
    assert run.report.byte_counts == run.estimate.byte_counts
