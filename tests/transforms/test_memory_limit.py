"""Limits of a device's memory: what fits, what it costs, and what cannot fit."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import nn
from torch.export import export
from xdsl.dialects.builtin import ModuleOp

import devproc
from devproc.backend.placement import Placement
from devproc.dialects.dev import TargetAttr
from devproc.driver import parse_module
from devproc.errors import CompileError
from devproc.options import set_options
from devproc.transforms.placed.assignment.cost_model import CostModel
from devproc.transforms.placed.assignment.memory_limit import (
    assigned_within_limits,
    memory_needed,
)
from devproc.transforms.placed.assignment.minimum_cut import total_ns
from devproc.transforms.placed.assignment.problem import Problem, problem_of
from devproc.transforms.placed.assignment.requests import read_requests
from devproc.transforms.placed.place_ops import placeable_ops
from tests.transforms.devices import devices
from tests.transforms.test_place_ops import places

__all__ = ["devices"]
pytestmark = pytest.mark.usefixtures("devices")

LAYERS = 6
BYTES = 64 * 64 * 4
"""Of a value, and of a weight."""


def layers(limit: int | None, target: str = "cpu+alpha", **asked: str) -> ModuleOp:
    """Products one after the other, each with a weight of its own."""
    t = "tensor<64x64xf32>"
    lines = [
        f"%w{i} = nn.weight @w{i} hash \"0\" : {t}\n"
        f"%v{i + 1} = nn.linear %v{i}, %w{i} : ({t}, {t}) -> {t} loc(\"l{i}\")"
        for i in range(LAYERS)
    ]  # fmt: skip
    text = f"func.func @main(%v0: {t}) -> {t} {{ {' '.join(lines)}\n"
    module = parse_module(text + f"func.return %v{LAYERS} : {t} }}")
    memory = () if limit is None else (("alpha", limit),)
    placement = Placement(devices=tuple(asked.items()), memory=memory)
    set_options(module, TargetAttr.get(target), placement)
    return module


def problem(module: ModuleOp) -> Problem:
    (main,) = module.body.block.ops
    ops = placeable_ops(main.regions[0].block)
    target = module.attributes["devproc.target"]
    assert isinstance(target, TargetAttr)
    requests = read_requests(module, ops, target.device_names)
    devices = tuple(dict.fromkeys(("cpu", *target.device_names)))
    return problem_of(ops, devices, CostModel(target), requests, {})


def test_memory_of_a_chain() -> None:
    """Weights, and the input and output of one layer at a time."""
    found = problem(layers(None))
    everything = [1] * LAYERS
    assert memory_needed(found, everything, 1) == (2 * BYTES, LAYERS * BYTES)
    assert memory_needed(found, everything, 0) == (BYTES, 0)
    one = [0, 0, 1, 0, 0, 0]
    assert memory_needed(found, one, 1) == (2 * BYTES, BYTES)


@pytest.mark.parametrize("target", ["cpu+alpha", "alpha", "cpu+beta+alpha"])
@pytest.mark.parametrize("count", range(LAYERS + 1))
def test_as_much_as_fits(count: int, target: str) -> None:
    """The limit is kept; without one, all products are on the device."""
    limit = (count + 2) * BYTES
    chosen = [p.device.data for p in places(layers(limit, target))]
    assert chosen.count("alpha") <= count
    if count in (0, LAYERS):
        assert chosen.count("alpha") == count
    assert [p.device.data for p in places(layers(None, target))] == ["alpha"] * LAYERS


@pytest.mark.parametrize("seed", range(12))
def test_against_all_placements_that_fit(seed: int) -> None:
    """Never worse than the host alone; in a chain, close to the best."""
    rng = random.Random(seed)
    found = problem(layers(rng.randrange(2, 9) * BYTES))
    times = [[rng.randint(2_000, 40_000) for _ in range(LAYERS)], [100] * LAYERS]
    found = replace(found, times=times)
    where = assigned_within_limits(found)
    costs = {
        w: total_ns(found.times, found.flows, w)
        for w in product(range(2), repeat=LAYERS)
        if sum(memory_needed(found, list(w), 1)) <= found.limits[1]
    }
    assert tuple(where) in costs
    assert costs[tuple(where)] <= costs[(0,) * LAYERS]
    assert costs[tuple(where)] <= 1.1 * min(costs.values())


def test_what_cannot_fit_says_how_much_it_needs() -> None:
    module = layers(3 * BYTES, **{"l1": "alpha", "l2": "alpha"})
    need, weights = 4 * BYTES, 2 * BYTES
    with pytest.raises(CompileError) as caught:
        places(module)
    text = str(caught.value)
    assert f"the memory of 'alpha' is limited to {3 * BYTES:,} bytes" in text
    assert f"the 2 ops that have to be there need {need:,}" in text
    assert f"{weights:,} for weights" in text


def test_the_reason_says_that_memory_is_short() -> None:
    chosen = places(layers(2 * BYTES))
    assert {p.device.data for p in chosen} == {"cpu"}
    assert "faster, but for its memory" in chosen[0].why.data


@pytest.mark.parametrize("kilobytes", [80, 112, 128])
def test_the_memory_plan_keeps_the_limit(kilobytes: int) -> None:
    """The arena of the compiled program, and the weights of the device's code."""
    torch.manual_seed(0)
    chain = [nn.Linear(64, 64, bias=False) for _ in range(LAYERS)]
    exported = export(nn.Sequential(*chain).eval(), (torch.randn(64, 64),))
    limit = kilobytes << 10
    asked = Placement(memory=(("alpha", limit),))
    program = devproc.compile(exported, "cpu+alpha", placement=asked, cache=False)
    arena = program.report().memory.arenas["alpha"]
    weights = len(program.artifact.code_weights["alpha"]) * BYTES
    assert weights > 0
    assert arena + weights <= limit
    x = torch.randn(64, 64)
    torch.testing.assert_close(program(x), exported.module()(x).detach())
