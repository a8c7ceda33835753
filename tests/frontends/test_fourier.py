"""Fourier transforms within a program, beside PyTorch and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import torch

import devproc
from devproc.errors import UnsupportedError
from devproc.frontends.torch_export.importer import import_program
from tests.frontends.imported import export


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    return torch.randn(shape, generator=generator, dtype=dtype)


def compiled(model: Callable[..., Any], *args: torch.Tensor) -> Any:
    return devproc.compile(export(model, args), threads=1, cache=False)(*args)


def as_real(value: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(value.resolve_conj()) if value.is_complex() else value


def close(found: Any, wanted: Any, **tolerance: Any) -> None:
    torch.testing.assert_close(found, wanted, equal_nan=True, **tolerance)


LENGTHS = (1, 2, 3, 8, 13, 60, 64, 67, 66, 128, 131, 400, 1024, 1155, 4096)
MOST = 4
"""How far a result may be from that in float64, in distances of PyTorch's own."""


def transforms(rows: torch.Tensor, columns: torch.Tensor) -> list[torch.Tensor]:
    """One along the last axis, and one along another."""
    found = [torch.fft.rfft(rows, norm="ortho"), torch.fft.fft(columns, dim=0)]
    back = torch.fft.irfft(found[0], rows.shape[-1], norm="ortho")
    parts = [torch.view_as_real(v) for v in (*found, torch.fft.ifft(found[1], dim=0))]
    return [*parts, back]


def exact(rows: Any, columns: Any) -> list[Any]:
    """The same in extended precision, by SciPy."""
    first: Any = scipy.fft.rfft(rows, norm="ortho")
    second: Any = scipy.fft.fft(columns, axis=0)
    found = [np.stack([v.real, v.imag], -1) for v in (first, second)]
    return [*found, np.stack([columns, 0 * columns], -1), rows]


def check_transforms(rows: torch.Tensor, columns: torch.Tensor) -> None:
    wide = [x.numpy().astype(np.longdouble) for x in (rows, columns)]
    found, theirs = compiled(transforms, rows, columns), transforms(rows, columns)
    for mine, his, value in zip(found, theirs, exact(*wide), strict=True):
        distance = [np.abs(v.numpy() - value).max() for v in (mine, his)]
        rounding = torch.finfo(rows.dtype).eps * np.abs(value).max()
        assert distance[0] <= MOST * (distance[1] + rounding)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("length", LENGTHS)
def test_transforms_of_each_length(length: int, dtype: torch.dtype) -> None:
    check_transforms(random(3, length, dtype=dtype), random(length, 3, dtype=dtype))


def test_transforms_of_a_short_axis_beside_a_long_one() -> None:
    check_transforms(random(400, 3), random(3, 400))


@pytest.mark.parametrize("norm", ["forward", "backward", "ortho"])
def test_transforms_of_several_axes(norm: str) -> None:
    def model(x: torch.Tensor) -> list[torch.Tensor]:
        fft = torch.fft
        z = torch.complex(x, x.flip(2))
        found = [
            *(fft.fft2(x, norm=norm), fft.ifft2(z, norm=norm), fft.fftn(z, norm=norm)),
            *(fft.rfft2(x, dim=(1, 2), norm=norm), fft.rfftn(x, norm=norm)),
            *(fft.irfft2(z, s=(9, 7), norm=norm), fft.irfftn(z, norm=norm)),
            *(fft.hfft(z, norm=norm), fft.ihfft(x, norm=norm), fft.irfft(x, norm=norm)),
            *(fft.fft(x, n=20, norm=norm), fft.rfft(x, n=3, dim=1, norm=norm)),
        ]
        return [as_real(value) for value in found]

    x = random(2, 6, 10, 7, dtype=torch.float64).transpose(1, 3)
    close(compiled(model, x), model(x), rtol=1e-10, atol=1e-10)


def test_a_long_prime_is_refused() -> None:
    with pytest.raises(UnsupportedError) as caught:
        import_program(export(lambda x: torch.fft.rfft(x).real, (random(2053),)))
    text = str(caught.value)
    assert "a Fourier transform of length 2053, which has no small factors" in text
    assert "pad to a length" in text


@pytest.mark.parametrize("center", [True, False])
def test_short_time_transforms(center: bool) -> None:
    window = torch.hamming_window(20)

    def model(x: torch.Tensor) -> list[torch.Tensor]:
        options = {"window": window, "center": center, "win_length": 20}
        found = torch.stft(x, 24, 5, return_complex=True, **options)
        whole = torch.stft(x, 24, normalized=True, onesided=False, return_complex=True)
        turned = found * torch.polar(torch.ones(13, 1), torch.full((13, 1), 0.1))
        back = [
            torch.istft(turned, 24, 5, window=torch.hann_window(24) + 0.1, length=90),
            torch.istft(whole, 24, normalized=True, onesided=False),
        ]
        return [found.abs(), found.angle(), *back]

    x = random(2, 100)
    close(compiled(model, x), model(x), rtol=1e-4, atol=2e-5)
