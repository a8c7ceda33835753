"""Windows over each channel with channels last, compared with PyTorch in float64."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn

import devproc

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
