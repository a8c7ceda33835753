"""Kernels that read at computed indices: Pillow's 8-bit resampling, exactly."""

from __future__ import annotations

import torch

from tests.triton.programs import resample_bytes
from tests.triton.support import run


def test_resample_of_bytes() -> None:
    rows, source, size, taps = 5, 31, 12, 4
    x = torch.randint(0, 256, (rows, source), dtype=torch.uint8)
    first = torch.arange(size, dtype=torch.int32) * 2 + 1
    table = torch.randint(-400_000, 2_000_000, (size, taps), dtype=torch.int32)
    out = torch.zeros(rows, size, dtype=torch.uint8)
    assert run(resample_bytes(rows, source, size, taps), x, first, table, out) == 1
    columns = first[:, None].long() + torch.arange(taps)
    total = (x[:, columns].int() * table).sum(-1) + (1 << 21)
    assert torch.equal(out, (total >> 22).clamp(0, 255).to(torch.uint8))
