"""Higher-order operators: graphs that are only carried, and those that branch or loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.while_loop import while_loop
from torch._ops import HigherOrderOperator
from torch.utils.checkpoint import checkpoint

import devproc

X = torch.randn((3, 4), generator=torch.Generator().manual_seed(0))
W = torch.randn((4, 4), generator=torch.Generator().manual_seed(1))


class Model(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor, w: torch.Tensor) -> Any:
        return self.function(x, w)


def export(function: Callable[..., Any], strict: bool) -> torch.export.ExportedProgram:
    return torch.export.export(Model(function).eval(), (X, W), strict=strict)


def higher_order(exported: torch.export.ExportedProgram) -> list[str]:
    """Names of the higher-order operators of a program."""
    nodes = exported.graph.nodes
    return [n.target.name() for n in nodes if isinstance(n.target, HigherOrderOperator)]


def no_grad(x: torch.Tensor, w: torch.Tensor) -> Any:
    with torch.no_grad():
        y = x @ w
        with torch.enable_grad():
            z = y.exp()
    return z + x, y


def inference_mode(x: torch.Tensor, w: torch.Tensor) -> Any:
    with torch.inference_mode():
        y = x @ w
    return y.relu() - x


def autocast(x: torch.Tensor, w: torch.Tensor) -> Any:
    """A product in bfloat16, a softmax in float32, a sum in the promoted dtype."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ w
        z = torch.softmax(y, -1)
        total = y + x
    return y, z, total, x @ w


def half_autocast(x: torch.Tensor, w: torch.Tensor) -> Any:
    with torch.autocast("cpu", dtype=torch.float16):
        return nn.functional.linear(x, w, w[0]), torch.cat([x @ w, x])


def nested_autocast(x: torch.Tensor, w: torch.Tensor) -> Any:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = x @ w
        with torch.autocast("cpu", enabled=False):
            z = y.float() @ w
    return y, z


def checkpointed(x: torch.Tensor, w: torch.Tensor) -> Any:
    def part(x: torch.Tensor) -> torch.Tensor:
        return (x @ w).exp()

    return checkpoint(part, x, use_reentrant=False) + 1


def region(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (x @ w).relu() + 1


# PyTorch compiles it once. Its annotation is the one of a decorator with arguments, too.
block: Any = torch.compiler.nested_compile_region(region)


def regions(x: torch.Tensor, w: torch.Tensor) -> Any:
    return block(block(x, w), w) * 2


def hints(x: torch.Tensor, w: torch.Tensor) -> Any:
    def body(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return x @ w

    return hints_wrapper(body, (x, w), {}, hints={"memory": "low"}).exp() + 1


@pytest.mark.parametrize(
    ("function", "strict", "carrier"),
    [
        (no_grad, False, "wrap_with_set_grad_enabled"),
        (no_grad, True, "wrap_with_set_grad_enabled"),
        (inference_mode, False, None),
        (autocast, False, "wrap_with_autocast"),
        (autocast, True, "wrap_with_autocast"),
        (half_autocast, False, "wrap_with_autocast"),
        (nested_autocast, False, "wrap_with_autocast"),
        (checkpointed, False, None),
        (regions, True, "invoke_subgraph"),
        (hints, True, "hints_wrapper"),
    ],
)
def test_carried_graphs(
    function: Callable[..., Any], strict: bool, carrier: str | None
) -> None:
    exported = export(function, strict)
    found = higher_order(exported)
    assert carrier in found if carrier else not found
    x = torch.flip(X, [0])
    with torch.no_grad():
        torch.testing.assert_close(devproc.compile(exported)(x, W), function(x, W))


def test_activation_checkpoint() -> None:
    """The wrapper that training graphs have; this exporter writes it only in part."""
    exported = export(regions, strict=True)
    graph = exported.graph_module.graph
    for node in graph.nodes:
        if node.target is torch.ops.higher_order.invoke_subgraph:
            node.target = torch.ops.higher_order.tag_activation_checkpoint
            node.args = (node.args[0], *node.args[2:])
    assert higher_order(exported) == ["tag_activation_checkpoint"] * 2
    torch.testing.assert_close(devproc.compile(exported)(X, W), regions(X, W))


def branch(x: torch.Tensor, w: torch.Tensor) -> Any:
    return torch.cond(x.sum() > 0, torch.relu, torch.exp, (x,))


def loop(x: torch.Tensor, w: torch.Tensor) -> Any:
    def more(i: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return i < 3

    def body(i: torch.Tensor, x: torch.Tensor) -> Any:
        return i + 1, x * 2

    return while_loop(more, body, (torch.tensor(0), x))


def rows(x: torch.Tensor, w: torch.Tensor) -> Any:
    return map_rows(lambda row, *_: torch.exp(row), x)


@pytest.mark.parametrize("fallback", [None, "torch"])
@pytest.mark.parametrize(
    ("function", "name"),
    [(branch, "cond"), (loop, "while_loop"), (rows, "map_impl")],
)
def test_control_flow_is_refused(
    function: Callable[..., Any], name: str, fallback: str | None
) -> None:
    with pytest.raises(devproc.UnsupportedError) as caught:
        devproc.compile(export(function, strict=False), fallback=fallback)
    (problem,) = caught.value.problems
    assert problem.what.startswith(name)
    assert f"control flow that depends on data ({name})" in problem.why
    assert "unroll the loop" in problem.remedy
    assert "test_wrappers.py" in problem.where


def test_an_unknown_wrapper_is_refused() -> None:
    exported = export(regions, strict=True)
    for node in exported.graph.nodes:
        if node.target is torch.ops.higher_order.invoke_subgraph:
            node.target = torch.ops.higher_order.run_const_graph
    with pytest.raises(
        devproc.UnsupportedError, match="operator run_const_graph, which"
    ):
        devproc.compile(exported)


def test_autocast_that_cannot_be_resolved() -> None:
    # The strict exporter records float32 for what the inner region returns.
    exported = export(nested_autocast, strict=True)
    with pytest.raises(devproc.UnsupportedError, match=r"autocast.*strict=False"):
        devproc.compile(exported)
