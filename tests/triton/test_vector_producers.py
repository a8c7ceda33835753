"""Norms that are part of the products of a matrix and one vector, against float64."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

import devproc
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.code import read_code


class Normed(nn.Module):
    """A norm, a product or two with an activation, and the residual."""

    def __init__(self, norm: nn.Module, size: int, gated: bool) -> None:
        super().__init__()
        self.norm = norm
        self.up = nn.Linear(size, 37, bias=not gated)
        self.gate = nn.Linear(size, 37, bias=False) if gated else None
        self.down = nn.Linear(37, size)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        up = self.up(y)
        if self.gate is not None:
            up = nn.functional.silu(self.gate(y)) * up
        return x + self.down(up)


CASES = {
    "RMS": (nn.RMSNorm, 96, True, torch.float32),
    "odd": (nn.RMSNorm, 75, False, torch.float32),
    "half": (nn.RMSNorm, 96, True, torch.bfloat16),
    "layer norm": (nn.LayerNorm, 96, False, torch.float32),
    "long": (nn.LayerNorm, 4100, False, torch.float32),
}


@pytest.mark.parametrize("case", CASES)
def test_values(case: str) -> None:
    norm, size, gated, dtype = CASES[case]
    torch.manual_seed(0)
    model = Normed(norm(size), size, gated).eval().requires_grad_(False).to(dtype)
    x = (torch.randn(1, 1, size) * 3 + 1).to(dtype)
    program = devproc.compile(
        torch.export.export(model, (x,)), "cuda:interpret", cache=False
    )
    kernels = read_code(program.artifact.code["cuda"]).kernels
    assert [name.endswith("_vector") for name in kernels] == [True, False]
    found, wanted = program(x).double(), model.double()(x.double())
    error = float((found - wanted).norm() / wanted.norm())
    assert error < (2e-7 if dtype == torch.float32 else 6e-3)
    kernel = next(iter(kernels.values()))
    code = compile_kernel(kernel, "sm_90").resources()
    assert (code.spilled_bytes, code.count("LDL", "STL")) == (0, 0)


def test_values_that_are_not_finite() -> None:
    model = Normed(nn.RMSNorm(75), 75, gated=True).eval().requires_grad_(False)
    x = torch.randn(1, 75)
    program = devproc.compile(torch.export.export(model, (x,)), "cuda:interpret")
    for place, value in ((74, torch.nan), (0, torch.inf)):
        x[0, place] = value
        assert torch.equal(program(x).isnan(), model(x).isnan())


def test_several_rows_have_a_kernel_of_their_own() -> None:
    model = Normed(nn.RMSNorm(96), 96, gated=False).eval()
    x = torch.randn(2, 96)
    program = devproc.compile(torch.export.export(model, (x,)), "cuda:interpret")
    families = [row.family for row in program.report().kernels.rows]
    assert families == ["reduction", "contraction", "contraction"]
