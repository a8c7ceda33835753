"""What a program refuses: to be copied, and numbers of threads that are none."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
import torch

import devproc
from devproc.entry import verify
from devproc.errors import BundleError, CompileError, DevProcError
from devproc.program import Program

SOURCE = torch.export.export(torch.nn.Softmax(-1), (torch.zeros(3, 5),))


@pytest.fixture(scope="module")
def program() -> Program:
    return devproc.compile(SOURCE, threads=cast(Any, np.int64(1)))


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies(program: Program, way: Callable[[Any], Any]) -> None:
    with pytest.raises(DevProcError, match=r"program\.save.*devproc\.load"):
        way(program)
    with pytest.raises(DevProcError, match=r"save"):
        way({"model": program}) if way is not copy.copy else way(program)
    with pytest.raises(DevProcError, match=r"dict\(program\.state\)"):
        way(program.state)


BAD = (10_000, 1.5, "a", "2", 0, -5, True, False, 1 << 70, [2], np.float32(2))


@pytest.mark.parametrize("threads", BAD)
def test_numbers_of_threads(program: Program, threads: Any) -> None:
    wanted = r"threads=.*an integer from 1 to 1024"
    for cache in (True, False):
        with pytest.raises(CompileError, match=wanted):
            devproc.compile(SOURCE, threads=threads, cache=cache)
    with pytest.raises(CompileError, match=wanted):
        verify(SOURCE, threads=threads)
    artifact = replace(program.artifact, threads=threads)
    with pytest.raises(BundleError, match=wanted):
        Program(artifact, program.weights)


def test_threads_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVPROC_NUM_THREADS", "10000")
    with pytest.raises(CompileError, match="threads=10000"):
        devproc.compile(SOURCE)
