"""The parts of an opened op as one unit of a device."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.backend import Composite
from devproc.backend.opened import opened
from devproc.driver import make_context, make_pass, parse_module
from tests.transforms.devices import Alpha, devices
from tests.transforms.test_place_ops import places

__all__ = ["devices"]
pytestmark = pytest.mark.usefixtures("devices")

T = "tensor<33x65xf32>"


def program() -> ModuleOp:
    """Two softmaxes of different lines, the second of the first, after decomposition."""
    module = parse_module(f"""
builtin.module attributes {{devproc.target = #dev.target<"cpu+alpha", threads = 1,
    precision = "default", cpu = #cpu.machine<vector_bits = 256>>}} {{
  func.func @main(%x: {T}) -> {T} {{
    %a = nn.exp %x : ({T}) -> {T} loc("m.exp")
    %b = nn.softmax %a axis -1 : ({T}) -> {T} loc("m.first"("m.py":3:0))
    %c = nn.softmax %b axis -1 : ({T}) -> {T} loc("m.second"("m.py":4:0))
    func.return %c : {T}
  }}
}}""")
    for name in ("decompose-nn", "canonicalize", "cse", "dce"):
        make_pass(name).apply(make_context(), module)
    return module


def test_the_parts_of_each() -> None:
    ops = list(next(iter(program().body.block.ops)).regions[0].block.ops)
    pattern = opened("nn.softmax")
    found = [m for op in ops if (m := pattern.match(op))]
    assert len(found) == 2
    names = [[op.name for op in match] for match in found]
    assert names[0] == names[1]
    assert {"nn.exp", "nn.reduce_sum", "nn.reduce_max"} <= set(names[0])
    assert not {*found[0]} & {*found[1]}
    assert not any(opened("nn.layer_norm").match(op) for op in ops)


def test_a_part_that_others_read() -> None:
    """An inner value with a reader outside: the op cannot go as a whole."""
    module = program()
    (function,) = module.body.block.ops
    block = function.regions[0].block
    last = block.last_op
    inner = next(op for op in block.ops if op.name == "nn.reduce_sum")
    assert last is not None
    last.operands = [inner.results[0]]
    matched = [op for op in block.ops if opened("nn.softmax").match(op)]
    assert len(matched) == 1


def test_a_device_for_softmax(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parts are illegal alone, and go together; the exponential before them stays."""
    parts = ("nn.exp", "nn.reduce_max", "nn.reduce_sum", "nn.sub", "nn.div", "nn.mul")
    monkeypatch.setattr(Alpha, "refused", dict.fromkeys(parts, "only in a softmax"))
    monkeypatch.setattr(Alpha, "fast", parts)

    def patterns(_: Alpha) -> Sequence[Composite]:
        return [opened("nn.softmax")]

    monkeypatch.setattr(Alpha, "patterns", patterns)
    found = places(program())
    assert [place.device.data for place in found] == ["cpu"] + ["alpha"] * 10
    assert all("as 'nn.softmax' of 5 ops" in place.why.data for place in found[1:])
