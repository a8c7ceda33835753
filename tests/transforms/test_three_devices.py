"""Programs over the host and two more devices: copies, syncs, values, composites."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, product

import pytest
import torch
from torch import nn
from torch.export import export
from xdsl.dialects.builtin import ModuleOp

import devproc
from devproc.dialects import dev
from devproc.driver import make_context, make_pass, parse_module
from devproc.errors import CompileError
from devproc.ir.verification.verify import verify_module
from devproc.transforms.placed.assignment.minimum_cut import (
    Flow,
    Unit,
    assign,
    total_ns,
)
from tests.transforms.devices import Alpha, devices
from tests.transforms.test_place_ops import places, random_flows, random_tree

__all__ = ["devices"]

TARGET = "cpu+alpha+beta"


class Model(nn.Module):
    """Products, exponentials, and an op that goes from one device to the other."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(7, 5), nn.Linear(5, 3)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        hidden = self.first(x)
        waves = torch.exp(hidden)
        y = self.second(waves) * self.first.weight.sum()
        return y, waves + hidden, torch.sort(y, -1).values


PLACEMENT = {
    "*": "cpu",
    "nn.linear": "alpha",
    "nn.exp": "beta",
    "nn.add": "beta",
}


@pytest.mark.usefixtures("devices")
def test_values_and_copies() -> None:
    """PyTorch's results; between two devices, two copies and a sync before the second."""
    torch.manual_seed(1)
    exported = export(Model().eval(), (torch.randn(11, 7),))
    program = devproc.compile(exported, TARGET, placement=PLACEMENT, cache=False)
    with torch.no_grad():
        for x in (torch.randn(11, 7), torch.full((11, 7), torch.nan)):
            found = program(x)
            for value, wanted in zip(found, exported.module()(x), strict=True):
                torch.testing.assert_close(value, wanted, equal_nan=True)
    module = parse_module(program.ir("placed"))
    copies = [op for op in module.walk() if isinstance(op, dev.CopyOp)]
    ends = [
        (dev.device_of(c.source.type), dev.device_of(c.result.type)) for c in copies
    ]
    assert ("alpha", "cpu") in ends
    assert ("cpu", "beta") in ends
    assert all("cpu" in pair for pair in ends)
    for copy in copies:
        first = copy.source.owner
        if isinstance(first, dev.CopyOp):
            between, synced = copy.prev_op, set[str]()
            while between is not first:
                assert between is not None
                if isinstance(between, dev.SyncOp):
                    synced.add(between.device.data)
                between = between.prev_op
            assert dev.device_of(first.source.type) in synced


@pytest.mark.usefixtures("devices")
def test_a_missing_sync_between_two_devices_is_found() -> None:
    exported = export(Model().eval(), (torch.randn(11, 7),))
    program = devproc.compile(exported, TARGET, placement=PLACEMENT, cache=False)
    module = parse_module(program.ir("placed"))
    verify_module(module)
    syncs = [op for op in module.walk() if isinstance(op, dev.SyncOp)]
    assert {sync.device.data for sync in syncs} == {"alpha", "beta"}
    for number in range(len(syncs)):
        changed = module.clone()
        found = [op for op in changed.walk() if isinstance(op, dev.SyncOp)]
        found[number].detach()
        with pytest.raises(Exception, match=r"before the dev\.sync"):
            verify_module(changed)


def random_units(
    rng: random.Random, times: list[list[int]], pinned: dict[int, int]
) -> list[Unit]:
    """Units without overlap on a device; some of their ops are impossible alone."""
    units: list[Unit] = []
    for device in range(1, len(times)):
        free = [op for op in range(len(times[0])) if op not in pinned]
        rng.shuffle(free)
        while len(free) > 1:
            size = rng.randint(2, 3)
            members, free = tuple(free[:size]), free[size:]
            if len(members) < 2:
                break
            alone = sum(times[device][op] for op in members)
            units.append(Unit(members, device, rng.randint(1, max(alone, 1))))
    return units


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("devices", [2, 3])
@pytest.mark.parametrize("flows_of", [random_flows, random_tree])
def test_units_against_all(
    seed: int, devices: int, flows_of: Callable[[random.Random, int, int], list[Flow]]
) -> None:
    """The cheapest with two devices, else as good as any two devices."""
    rng = random.Random(seed)
    ops = rng.randint(2, 9 if devices == 2 else 6)
    times = [[rng.randint(0, 80) for _ in range(ops)] for _ in range(devices)]
    flows = flows_of(rng, ops, devices)
    pinned = {op: rng.randrange(devices) for op in range(ops) if rng.random() < 0.1}
    units = random_units(rng, times, pinned)
    costs = {
        where: total_ns(times, flows, where, units)
        for where in product(range(devices), repeat=ops)
        if all(where[op] == device for op, device in pinned.items())
    }
    found = tuple(assign(times, flows, pinned, units))
    free = [op for op in range(ops) if op not in pinned]
    for pair in combinations(range(devices), 2):
        two = (c for w, c in costs.items() if {w[op] for op in free} <= {*pair})
        assert costs[found] <= min(two)


CHAIN = """
builtin.module attributes {{devproc.target = #dev.target<"{target}",
    precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>}} {{
  func.func @main(%x: tensor<33x65xf32>) -> tensor<33x65xf32> {{
    %a = nn.exp %x : (tensor<33x65xf32>) -> tensor<33x65xf32> loc("m.a"("m.py":3:0))
    %b = nn.tanh %a : (tensor<33x65xf32>) -> tensor<33x65xf32> loc("m.b"("m.py":4:0))
    %c = nn.relu %b : (tensor<33x65xf32>) -> tensor<33x65xf32> loc("m.c"("m.py":5:0))
    func.return %c : tensor<33x65xf32>
  }}
}}"""


def chain(target: str) -> ModuleOp:
    return parse_module(CHAIN.format(target=target))


@pytest.fixture
def fast_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """`alpha` computes nn.exp and nn.tanh together, in no time."""
    monkeypatch.setattr(Alpha, "composite", ("nn.exp", "nn.tanh"))
    monkeypatch.setattr(Alpha, "refused", {"nn.tanh": "there is no table of nn.tanh"})
    monkeypatch.setattr(Alpha, "seconds", {"nn.exp": 1e-9, "nn.tanh": 1e-9})


@pytest.mark.usefixtures("devices", "fast_pair")
@pytest.mark.parametrize("target", [TARGET, "cpu+alpha", "alpha"])
def test_a_composite_goes_as_a_whole(target: str) -> None:
    found = places(chain(target))
    assert [p.device.data for p in found[:2]] == ["alpha", "alpha"]
    if target != "alpha":
        assert "as 'pair' of 2 ops; rejected cpu" in found[1].why.data


@pytest.mark.usefixtures("devices", "fast_pair")
def test_a_composite_that_is_too_slow_is_placed_op_by_op(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Alpha, "seconds", {"nn.exp": 1.0, "nn.tanh": 1.0})
    found = places(chain("cpu+alpha"))
    assert [p.device.data for p in found] == ["cpu"] * 3
    assert "rejected alpha: 1e+06 us as 'pair' of 2 ops" in found[1].why.data


@pytest.mark.usefixtures("devices")
def test_reasons_of_what_is_not_legal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Alpha, "refused", {"nn.tanh": "there is no table of nn.tanh"})
    found = places(chain("cpu+alpha"))
    assert found[1].why.data.endswith("rejected alpha: there is no table of nn.tanh")
    (first, second, _) = places(chain("alpha"))
    assert (first.device.data, first.why.data) == ("alpha", "the only device")
    assert second.device.data == "cpu"
    assert second.why.data == "rejected alpha: there is no table of nn.tanh"


@pytest.mark.usefixtures("devices")
def test_what_no_device_can_compute_is_one_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All such ops, with the reasons of each device and the lines of the user."""
    monkeypatch.setattr(Alpha, "refused", {"nn.tanh": "no table", "nn.exp": "no unit"})
    monkeypatch.setattr(
        "devproc.targets.cpu.backend.CPU.legal",
        lambda _, ops: ["too hot"] if ops[0].name != "nn.relu" else [],
    )
    for target in ("cpu+alpha", "alpha"):
        with pytest.raises(CompileError) as caught:
            places(chain(target))
        text = str(caught.value)
        assert "nn.exp (m.a at m.py:3): cpu: too hot; alpha: no unit" in text
        assert "nn.tanh (m.b at m.py:4): cpu: too hot; alpha: no table" in text


@pytest.mark.usefixtures("devices")
def test_a_request_that_no_op_can_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Alpha, "refused", {"nn.tanh": "no table"})
    module = chain("cpu+alpha")
    pass_ = make_pass("place-ops")
    context = make_context()
    module.attributes["devproc.placement"] = parse_module(
        'builtin.module attributes {x = [["nn.tanh", "alpha"]]} {}'
    ).attributes["x"]
    with pytest.raises(CompileError, match=r"'nn\.tanh' on 'alpha' is not .*no table"):
        pass_.apply(context, module)
    module.attributes["devproc.placement"] = parse_module(
        'builtin.module attributes {x = [["nn.*", "alpha"]]} {}'
    ).attributes["x"]
    found = places(module)
    assert [p.device.data for p in found] == ["alpha", "cpu", "alpha"]
    assert found[1].why.data.startswith("not on alpha, as requested by the user")
