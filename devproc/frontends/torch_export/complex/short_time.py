"""Short-time Fourier transforms and their inverse; rows of `fourier`.

PyTorch's own decompositions write to a window of zeros, which its tracer does not follow.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from devproc.frontends.torch_export.graph.builder import ImportRule
from devproc.frontends.torch_export.graph.composites import composed_of
from devproc.frontends.torch_export.graph.problems import Refusal


def short_time(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """`stft` without padding: the transforms of frames, each times the window."""
    if align_to_window:
        raise Refusal("align_to_window is not supported", "use the default")
    hop = n_fft // 4 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    frames = x.unfold(-1, n_fft, hop)
    if window is not None or size < n_fft:
        frames = frames * _centered(window, size, n_fft, x.real)
    whole = frames.is_complex() if onesided is None else not onesided
    transform = torch.ops.aten.fft_fft if whole else torch.ops.aten.fft_rfft
    norm = "ortho" if normalized else "backward"
    found = transform(frames, None, -1, norm).transpose(-1, -2)
    if return_complex is None:
        return_complex = frames.is_complex()
    return found if return_complex else torch.view_as_real(found)


def centered_short_time(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    *rest: Any,
) -> Tensor:
    """`stft` with padding of half a frame on each side."""
    if center:
        batch = functional.pad(
            x.reshape(1, -1, x.shape[-1]), [n_fft // 2] * 2, pad_mode
        )
        x = batch.reshape([*x.shape[:-1], batch.shape[-1]])
    return short_time(x, n_fft, hop_length, win_length, window, *rest)


def _centered(window: Tensor | None, size: int, n_fft: int, like: Tensor) -> Tensor:
    """The window, or ones, in the middle of n_fft zeros."""
    if window is None:
        window = torch.ones(size, dtype=like.dtype)
    left = (n_fft - size) // 2
    return functional.pad(window, [left, n_fft - size - left])


def inverse_short_time(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """`istft`: overlap-add of the frames, divided by the overlap-add of the squared
    windows. PyTorch's decomposition checks whether that is 0, which depends on data.
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    window = _centered(window, size, n_fft, x.real)
    batch, count = x.reshape(-1, *x.shape[-2:]), x.shape[-1]
    norm = "ortho" if normalized else "backward"
    if return_complex:
        frames = torch.ops.aten.fft_ifft(batch.transpose(1, 2), None, -1, norm)
    else:
        half = batch.transpose(1, 2)[..., : n_fft // 2 + 1]
        frames = torch.ops.aten.fft_irfft(half, n_fft, -1, norm)
    squares = (window * window).expand(1, count, n_fft)
    end = n_fft + hop * (count - 1)
    start, stop = n_fft // 2 if center else 0, end - (n_fft // 2 if center else 0)
    stop = stop if length is None else start + length
    wave, total = (
        _overlapped(v, hop)[:, start:stop] for v in (frames * window, squares)
    )
    wave = functional.pad(wave / total, [0, max(stop - end, 0)])
    return wave.reshape([*x.shape[:-2], wave.shape[-1]])


def _overlapped(frames: Tensor, hop: int) -> Tensor:
    """The overlap-add of frames (batch, count, size) that are `hop` apart."""
    if frames.is_complex():
        parts = (_overlapped(part, hop) for part in (frames.real, frames.imag))
        return torch.complex(*parts)
    _, count, size = frames.shape
    places = ([1, size + hop * (count - 1)], [1, size], [1, 1], [0, 0], [1, hop])
    return torch.ops.aten.col2im(frames.transpose(1, 2), *places)[:, 0, 0]


SHORT_TIME: dict[str, ImportRule] = {
    "aten.istft.default": composed_of(inverse_short_time),
    "aten.stft.center": composed_of(centered_short_time),
    "aten.stft.default": composed_of(short_time),
}
"""ATen overload -> import rule."""
