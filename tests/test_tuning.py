"""Candidates of a tuner: legal, close to the planned schedule, with the same values."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from xdsl.context import Context

from devproc.algorithms import algorithm
from devproc.dialects.dev import target_of
from devproc.dialects.sched import NestOp, RegisterTileSchedule, Schedule
from devproc.driver import make_pass
from devproc.targets.triton import interpret
from devproc.targets.triton.kernel import kernels_of
from devproc.tuning import candidates
from tests.cpu.native_kernels import (
    TO_LOOPS,
    generic,
    kernel,
    kernel_of,
    memref_type,
    run_kernel,
    run_passes,
)
from tests.targets import target_attr
from tests.triton import programs
from tests.triton.support import parse

RNG = np.random.default_rng(9)
X = RNG.standard_normal((13, 37)).astype(np.float32)
Y = RNG.standard_normal((37, 45)).astype(np.float32)
ARRAYS = [X, Y, np.empty((13, 45), np.float32)]


def product():
    """A matrix product at stage `schedules`."""
    types = [memref_type(array) for array in ARRAYS]
    body = "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %y0, %p : f32"
    kinds = ["parallel", "parallel", "reduction"]
    text = "%zero = arith.constant 0.0 : f32\n"
    text += f"linalg.fill ins(%zero : f32) outs(%a2 : {types[2]})\n"
    text += generic(["m, k", "k, n", "m, n"], kinds, types, 2, body, "m, n, k")
    module = kernel("contraction", types, text, threads=1)
    return run_passes(module, ["choose-schedules"])


def schedules() -> list[Schedule]:
    module = product()
    (found,) = candidates(kernel_of(module), target_of(module)).values()
    return found


def test_candidates_are_close_and_legal() -> None:
    planned, *others = schedules()
    assert isinstance(planned, RegisterTileSchedule)
    assert len(others) >= 3
    assert len({str(schedule) for schedule in schedules()}) == len(others) + 1
    for other in others:
        differ = [n for n, v in other.values.items() if planned.values[n] != v]
        assert len(differ) == 1
        assert other.fixed == planned.fixed
    assert algorithm("register_tile").schedule is type(planned)


@pytest.mark.parametrize("index", range(5))
def test_candidates_give_the_same_digits(index: int) -> None:
    found = schedules()
    chosen = found[index % len(found)]
    results: list[np.ndarray] = []
    for schedule in (found[0], chosen):
        module = product()
        (nest,) = (op for op in module.walk() if isinstance(op, NestOp))
        nest.properties["schedule"] = schedule
        arrays = [array.copy() for array in ARRAYS]
        run_kernel(module, arrays, [*TO_LOOPS, "expand-math"])
        results.append(arrays[-1])
    np.testing.assert_array_equal(results[0], results[1])


def linear():
    """A linear layer for the GPU at stage `schedules`."""
    module = parse(programs.linear(100, 70, 75))
    make_pass("choose-schedules").apply(Context(), module)
    return module


@pytest.mark.parametrize(
    ("element", "arch", "offered"),
    [("bf16", "sm_90", True), ("bf16", "sm_80", False), ("f32", "sm_90", False)],
)
def test_candidates_of_other_algorithms(element: str, arch: str, offered: bool) -> None:
    """Persistent programs with descriptors, where factors pass through them as they are."""
    module = parse(programs.linear(4096, 4096, 512, element))
    module.attributes["devproc.target"] = target_attr("cuda", arch=arch)
    make_pass("choose-schedules").apply(Context(), module)
    (found,) = candidates(kernel_of(module), target_of(module)).values()
    assert found[0].algorithm == "block_tile"
    persistent = [s for s in found[:12] if s.algorithm == "persistent_tile"]
    assert bool(persistent) == offered
    counts = {s.values["programs"] for s in persistent}
    assert not offered or ((132 in counts or 264 in counts) and len(counts) > 1)


def test_candidates_for_the_gpu() -> None:
    module = linear()
    (found,) = candidates(kernel_of(module), target_of(module)).values()
    planned, *others = found
    assert planned.algorithm == "block_tile"
    changed = {n for o in others for n, v in o.values.items() if planned.values[n] != v}
    assert changed >= {"m", "n", "k", "stages"}
    x, w, bias = torch.randn(100, 75), torch.randn(70, 75), torch.randn(70)
    wanted = x.double() @ w.double().T + bias
    for other in others:
        module, out = linear(), torch.full((100, 70), torch.nan)
        (nest,) = (op for op in module.walk() if isinstance(op, NestOp))
        nest.properties["schedule"] = other
        make_pass("convert-linalg-to-triton").apply(Context(), module)
        (program,) = kernels_of(module).values()
        interpret.launch(program, x, w, bias, out)
        torch.testing.assert_close(out.double(), wanted, rtol=0, atol=3e-5)
