"""What is read off structured ops, beside xDSL's own answers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
import xdsl.builder
from torch import nn
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import SSAValue

import devproc
from devproc.dialects.linalg_extra import PlainFillOp
from devproc.driver import module_text, parse_module
from devproc.ir.program.structured import captured, loop_sizes


class Net(nn.Module):
    """Windows, strides, broadcasts, reductions and indexed reads."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 3, stride=2, padding=1)
        self.norm = nn.LayerNorm(7)
        self.table = nn.Embedding(11, 7)

    def forward(self, x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        """(2, 3, 9, 13) pixels and two numbers of rows."""
        y = F.max_pool2d(self.conv(x), 3, 2, 1).mean(2)
        return self.norm(y[:, :4, :1] * self.table(i)[:, None])


@pytest.fixture(scope="module")
def text() -> str:
    inputs = (torch.zeros(2, 3, 9, 13), torch.tensor([3, 10]))
    exported = torch.export.export(Net().eval(), inputs)
    return devproc.compile(exported, cache=False).ir("kernels")


def test_loop_sizes(text: str) -> None:
    generics = [op for op in parse_module(text).walk() if isinstance(op, GenericOp)]
    assert len(generics) > 5
    for op in generics:
        assert loop_sizes(op) == op.get_static_loop_ranges()


def test_captured_values(text: str) -> None:
    found = 0
    for op in parse_module(text).walk():
        if isinstance(op, GenericOp):
            inside: set[SSAValue] = {*op.body.block.args}
            inside.update(r for inner in op.body.block.ops for r in inner.results)
            used = [v for inner in op.body.block.ops for v in inner.operands]
            outside = list(dict.fromkeys(v for v in used if v not in inside))
            assert captured(op) == outside
            found += len(outside)
    assert found


def test_fills_take_no_implicit_builder(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It changes a class for all threads: two that compile at once would break it."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("an implicit builder")

    plain = [op for op in parse_module(text).walk() if isinstance(op, FillOp)]
    assert plain
    for op in plain:
        theirs = FillOp(list(op.inputs), list(op.outputs), [r.type for r in op.results])
        assert type(op) is PlainFillOp
        assert theirs.body.is_structurally_equivalent(op.body)
    monkeypatch.setattr(xdsl.builder, "ImplicitBuilder", refuse)
    assert module_text(parse_module(text)) == text
    devproc.compile(
        torch.export.export(nn.Linear(3, 5).eval(), (torch.zeros(2, 3),)), cache=False
    )
