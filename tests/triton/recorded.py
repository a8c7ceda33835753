"""Programs for a GPU on a recorder, in the place of a card."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager

import pytest
import torch
from torch import nn

import devproc
from devproc.backend.installed import backend
from devproc.ir.garbage import own_garbage_collected
from devproc.targets.triton.device import Device


@contextmanager
def on_device(device: Device) -> Generator[None]:
    """Within which programs for `cuda` are loaded on a device.

    A program that is gone waits for its stream, at the latest at the end of the context.
    """
    cuda = backend("cuda")
    with pytest.MonkeyPatch.context() as patch, own_garbage_collected():
        patch.setattr(cuda, "open_device", lambda option: device)
        patch.setattr(cuda, "missing", lambda option="": None)
        yield


def program_of(
    model: nn.Module, *inputs: torch.Tensor, target: str = "cuda", **options: object
) -> devproc.Program:
    """The compiled program of a model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(model.eval(), inputs)
        return devproc.compile(exported, target, threads=1, **options)  # pyright: ignore[reportArgumentType]
