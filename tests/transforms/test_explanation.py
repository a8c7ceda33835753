"""Explanations: what they say would change the choice does change it."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.backend import Link
from devproc.driver import parse_module
from devproc.errors import CompileError
from devproc.report.placement import explain_ops
from devproc.transforms.placed.assignment.explanation import Alternative
from tests.transforms.devices import Alpha, Beta, devices
from tests.transforms.test_place_ops import places

__all__ = ["devices"]
pytestmark = pytest.mark.usefixtures("devices")

OPS = ("exp", "tanh", "sqrt", "sin")


def program(seed: int, target: str) -> ModuleOp:
    """Six ops; each reads one or two earlier values of an odd size."""
    rng = random.Random(seed)
    t = f"tensor<{rng.randint(20, 60)}x{rng.randint(20, 80)}xf32>"
    lines: list[str] = []
    for number, name in enumerate(OPS, 1):
        a, b = rng.randrange(number), number - 1
        lines += [
            f"%t{number} = nn.{name} %v{a} : ({t}) -> {t} loc(\"m.{name}\")\n",
            f"%v{number} = nn.add %t{number}, %v{b} : ({t}, {t}) -> {t}\n",
        ]  # fmt: skip
    return parse_module(
        f'builtin.module attributes {{devproc.target = #dev.target<"{target}",'
        ' precision = "default", threads = 1, '
        "cpu = #cpu.machine<vector_bits = 256>>} {"
        f" func.func @main(%v0: {t}) -> {t} {{ {''.join(lines)}"
        f" func.return %v{len(OPS)} : {t} }} }}"
    )


def device_of(seed: int, target: str, index: int) -> str:
    return places(program(seed, target))[index].device.data


def found(seed: int, target: str, index: int) -> dict[str, Alternative]:
    (one,), more = explain_ops(program(seed, target), f"m.{OPS[index]}", 5)
    assert not more
    assert one.device == device_of(seed, target, 2 * index)
    return {row.device: row for row in one.alternatives}


@pytest.mark.parametrize(
    ("seed", "target"),
    [*((seed, "cpu+alpha") for seed in range(6)), (0, "cpu+alpha+beta")],
)
def test_what_would_change_it_changes_it(
    seed: int, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rate or the time the device wins, and with a little less it does not."""
    rng = random.Random(100 + seed)
    for class_ in (Alpha, Beta):
        link = Link(rng.uniform(1e-7, 1e-6), rng.uniform(2e8, 2e11))
        monkeypatch.setattr(class_, "link", link)
        monkeypatch.setattr(
            class_, "fast", rng.sample([f"nn.{name}" for name in OPS], 2)
        )
    classes = {"alpha": Alpha, "beta": Beta}
    checked = 0
    for index in range(len(OPS)):
        name = f"nn.{OPS[index]}"
        for device, row in found(seed, target, index).items():
            assert not row.reasons
            if row.rate_to_win is not None:
                class_ = classes[row.link_device]
                back = 0.99 if row.rate_to_win > row.link_rate else 1.01
                for rate, wins in (
                    (row.rate_to_win, True),
                    (row.rate_to_win * back, False),
                ):
                    with monkeypatch.context() as change:
                        link = Link(class_.link.seconds, rate)
                        change.setattr(class_, "link", link)
                        now = device_of(seed, target, 2 * index)
                        assert (now == device) == wins, (device, row)
                        checked += 1
            if row.time_to_win_us is not None and device != "cpu":
                for time, wins in (
                    (row.time_to_win_us, True),
                    (row.time_to_win_us * 1.01 + 0.002, False),
                ):
                    with monkeypatch.context() as change:
                        change.setattr(classes[device], "seconds", {name: 1e-6 * time})
                        assert (device_of(seed, target, 2 * index) == device) == wins
                        checked += 1
    assert checked


def test_neighbours_and_text() -> None:
    (one,), more = explain_ops(program(1, "cpu+alpha"), "m.tanh", 5)
    assert not more
    text = str(one)
    assert text.startswith(f"nn.tanh (m.tanh) is on {one.device}: ")
    assert "  reads from " in text
    assert "  is read by nn.add (unknown source) on " in text
    relations = [n.relation for n in one.neighbours]
    assert relations == ["reads from", "is read by"]


def test_impossible_and_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Alpha, "refused", {"nn.exp": "no table"})
    (one,), _ = explain_ops(program(0, "cpu+alpha"), "m.exp", 1)
    assert str(one.alternatives[0]) == "alpha: impossible, no table"
    (one,), _ = explain_ops(program(0, "alpha"), "m.tanh", 1)
    assert str(one.alternatives[0]) == "cpu: impossible, the target is without it"


def test_a_glob_of_many_and_of_none() -> None:
    explained, more = explain_ops(program(0, "cpu+alpha"), "nn.add", 2)
    assert (len(explained), more) == (2, len(OPS) - 2)
    with pytest.raises(CompileError, match=r"'nn\.ad' matches no op.*mean 'nn\.add'"):
        explain_ops(program(0, "cpu+alpha"), "nn.ad", 2)
