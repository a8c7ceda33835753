"""Layers that compute with complex numbers, as models have them, beside PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import devproc
from devproc.entry import verify
from tests.frontends.imported import export


def random(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    return torch.randn(shape, generator=generator)


def compiled(model: Any, *args: torch.Tensor, **options: Any) -> Any:
    exported = export(model, args)
    return devproc.compile(exported, threads=1, cache=False, **options)(*args)


def close(found: Any, wanted: Any, **tolerance: Any) -> None:
    torch.testing.assert_close(found, wanted, **tolerance)


class Rotary(nn.Module):
    """Rotary embedding as Llama's first code has it: a complex buffer."""

    turns: torch.Tensor

    def __init__(self, conjugate: bool = False) -> None:
        super().__init__()
        angles = torch.outer(torch.arange(5.0), torch.tensor([1.0, 0.1, 0.01]))
        turns = torch.polar(torch.ones_like(angles), angles)
        self.register_buffer("turns", turns.conj() if conjugate else turns)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pairs = torch.view_as_complex(x.float().reshape(2, 4, 5, 3, 2))
        return torch.view_as_real(pairs * self.turns).flatten(3).type_as(x)


class ComputedRotary(nn.Module):
    """As in DeepSeek V2 and Llama 4: the frequencies of the positions, in the graph."""

    frequency: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("frequency", 1 / 100 ** (torch.arange(0, 6, 2) / 6))
        self.project = nn.Linear(24, 48, bias=False)

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        lines = self.frequency[None, :, None].expand(x.shape[0], -1, 1)
        angles = (lines @ positions[:, None].float()).transpose(1, 2)
        turns = torch.polar(torch.ones_like(angles), angles)
        query, key = self.project(x).view(2, 5, 2, 4, 6).unbind(2)
        query, key = (
            torch.view_as_real(
                torch.view_as_complex(v.float().reshape(2, 5, 4, 3, 2))
                * turns[:, :, None, :]
            )
            .flatten(3)
            .transpose(1, 2)
            for v in (query, key)
        )
        return nn.functional.scaled_dot_product_attention(query, key, key)


class Mixing(nn.Module):
    """FNet's layer: two transforms, of which only the real part is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.dense = nn.LayerNorm(12), nn.Linear(12, 12)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(x + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real)
        return self.norm(x + torch.fft.fftn(self.dense(x), dim=(1, 2)).real)


class Filter(nn.Module):
    """GFNet's layer: a filter of complex numbers, kept as pairs."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(random(7, 4, 10, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.view(2, 7, 7, 10)
        x = torch.fft.rfft2(x, dim=(1, 2), norm="ortho")
        x = x * torch.view_as_complex(self.weight)
        x = torch.fft.irfft2(x, s=(7, 7), dim=(1, 2), norm="ortho")
        return x.reshape(2, 49, 10)


class Operator(nn.Module):
    """A layer of a Fourier neural operator: a complex parameter, and an update in place
    of what is zero elsewhere.
    """

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.view_as_complex(random(3, 4, 5, 2)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.fft.rfft(x)
        out = torch.zeros(2, 4, y.shape[-1], dtype=torch.cfloat)
        out[:, :, :5] = torch.einsum("bix,iox->box", y[:, :, :5], self.weight)
        return torch.fft.irfft(out, n=x.shape[-1])


class Spectral(nn.Module):
    """LaMa's transform: the parts as channels of a convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(6, 6, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.fft.rfftn(x, dim=(-2, -1), norm="ortho")
        y = torch.stack((y.real, y.imag), -1).permute(0, 1, 4, 2, 3)
        y = torch.relu(self.conv(y.reshape(2, 6, 8, 5)))
        y = y.view(2, 3, 2, 8, 5).permute(0, 1, 3, 4, 2).contiguous()
        y = torch.complex(y[..., 0], y[..., 1])
        return torch.fft.irfftn(y, s=x.shape[-2:], dim=(-2, -1), norm="ortho")


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[torch.Tensor, ...]]] = {
    "rotary": (Rotary, (random(2, 4, 5, 6),)),
    "rotary, conjugate": (lambda: Rotary(True), (random(2, 4, 5, 6),)),
    "rotary, bfloat16": (Rotary, (random(2, 4, 5, 6).bfloat16(),)),
    "computed rotary": (
        ComputedRotary,
        (random(2, 5, 24), torch.arange(5).repeat(2, 1)),
    ),
    "fnet": (Mixing, (random(2, 9, 12),)),
    "gfnet": (Filter, (random(2, 49, 10),)),
    "neural operator": (Operator, (random(2, 3, 14),)),
    "lama": (Spectral, (random(2, 3, 8, 8),)),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str) -> None:
    torch.manual_seed(0)
    make, inputs = MODELS[name]
    model = make().eval()
    wanted = model(*inputs)
    close(compiled(model, *inputs), wanted, rtol=1e-5, atol=1e-5)
    core = export(model, inputs).run_decompositions()
    found = devproc.compile(core, threads=1, cache=False)(*inputs)
    close(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["rotary", "gfnet"])
def test_models_on_gpu_code(name: str) -> None:
    make, inputs = MODELS[name]
    model = make().eval()
    found = compiled(model, *inputs, target="cuda:interpret")
    close(found, model(*inputs), rtol=1e-5, atol=1e-5)


def test_a_saved_and_a_changed_buffer(tmp_path: Path) -> None:
    """The parts are weights of their own: later changes do not reach the program, and
    the cache tells programs apart that differ in them alone.
    """
    model, x = Rotary().eval(), random(2, 4, 5, 6)
    wanted = model(x)
    torch.export.save(export(model, (x,)), tmp_path / "rotary.pt2")
    program = devproc.compile(export(model, (x,)))
    model.turns.mul_(1j)
    close(program(x), wanted)
    close(devproc.compile(tmp_path / "rotary.pt2")(x), wanted)
    close(devproc.compile(export(model, (x,)))(x), model(x))
    program.save(tmp_path / "rotary.devproc")
    close(devproc.load(tmp_path / "rotary.devproc")(x), wanted)


def test_constants_of_the_forward_pass() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        return (x * torch.tensor([1.0, 0.5j, 2 - 1j, 0])).abs() + abs(torch.tensor(3j))

    close(compiled(model, random(3, 4)), model(random(3, 4)))


def test_verification_knows_the_parts() -> None:
    result = verify(export(Filter(), (random(2, 49, 10),)), threads=1)
    assert result.passed, result.summary()
