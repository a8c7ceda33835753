"""A recorder in the place of a card, for one test."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from devproc.targets.triton.recording.recorder import Recorder
from tests.triton.recorded import on_device


@pytest.fixture
def recorder() -> Generator[Recorder]:
    """The device on which programs for `cuda` are loaded."""
    device = Recorder()
    with on_device(device):
        yield device
