"""Seeds the generators that tests draw from, so that each run has the same numbers.

Hooks of pytest, which each conftest.py at the top of a tree of tests imports.
"""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest
import torch


def seed_generators(name: str) -> None:
    """Seeds all global generators with the number that belongs to a name."""
    seed = zlib.crc32(name.encode())
    random.seed(seed)
    np.random.seed(seed)
    # `torch.manual_seed` takes a millisecond, to note its stack for CUDA.
    torch.default_generator.manual_seed(seed)


@pytest.hookimpl(tryfirst=True)
def pytest_collectstart(collector: pytest.Collector) -> None:
    """Seeds before a module is imported, for some draw inputs then."""
    if isinstance(collector, pytest.Module):
        seed_generators("module")


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> None:
    """Seeds before a fixture, which draws the same numbers whichever test comes first."""
    seed_generators(fixturedef.argname)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Seeds before a test.

    Each has numbers of its own: programs with equal weights are compiled once, so that a
    test which changes the compiler would get the program of the test before.
    """
    seed_generators(item.nodeid)
