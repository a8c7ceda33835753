"""Vectors of another length than this machine's own, and other processors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from devproc.targets.cpu.machine import cpu_target


@contextmanager
def vectors(bits: int) -> Iterator[None]:
    """Code of the native target has vectors of so many bits, at most the machine's own:
    code for longer ones uses instructions that it lacks.
    """
    bits = min(bits, cpu_target.host_vector_bits())
    with patch(
        "devproc.targets.cpu.machine.cpu_target.host_vector_bits", return_value=bits
    ):
        yield


def needs(cpu: str) -> None:
    """Skip where this machine is not such a CPU."""
    why = cpu_target.why_not_here(cpu_target.required_cpu(cpu))
    if why is not None:
        pytest.skip(why)
