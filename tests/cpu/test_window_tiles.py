"""Windows with channels last, over each channel and over all, beside float64."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.accuracy import FACTOR, float64_outputs, relative_error

FORMS = {
    "ragged-channels": (45, {"kernel_size": 3, "padding": 1}, (2, 9, 13)),
    "few-channels": (5, {"kernel_size": (3, 5), "padding": (1, 2)}, (1, 8, 11)),
    "strided": (40, {"kernel_size": 5, "padding": 2, "stride": (2, 3)}, (3, 14, 17)),
    "dilated": (33, {"kernel_size": 3, "dilation": 2}, (2, 9, 10)),
    "one-pixel": (64, {"kernel_size": 3, "padding": 1}, (2, 1, 1)),
    "long-sums": (18, {"kernel_size": 19, "padding": 9}, (1, 21, 20)),
}


@pytest.mark.parametrize("form", FORMS)
def test_equals_pytorch(form: str) -> None:
    torch.manual_seed(7)
    channels, options, (n, height, width) = FORMS[form]
    window = nn.Conv2d(channels, channels, groups=channels, **options)
    module = nn.Sequential(nn.Conv2d(6, channels, 1), window, nn.Conv2d(channels, 3, 1))
    x = torch.randn(n, 6, height, width)
    exported = torch.export.export(module.eval(), (x,))
    program = devproc.compile(exported, threads=2, cache=False)
    result = program(x.numpy())
    with torch.no_grad():
        wanted = deepcopy(module).double()(x.double()).numpy()
        error = np.abs(module(x).numpy() - wanted).max()
    assert np.abs(result - wanted).max() <= max(4 * error, 3e-6)


@pytest.mark.parametrize(("channels", "size"), [(300, 3), (512, 2), (70, 5)])
def test_long_sums_over_taps_and_channels(channels: int, size: int) -> None:
    """In blocks at any depth of the loops: one accumulator for all channels of a line of
    taps would err by 5e-7 to 6e-7."""
    torch.manual_seed(channels)
    layer, x = nn.Conv2d(channels, 40, size), torch.randn(2, channels, 9, 11)
    program = devproc.compile(
        torch.export.export(layer.eval(), (x,)), precision="strict", cache=False
    )
    (exact,) = float64_outputs(layer, (x,))
    with torch.no_grad():
        their_error = relative_error(layer(x), exact)
    error = relative_error(program(x), exact)
    assert error <= FACTOR * their_error
    assert error <= 3.5e-7
