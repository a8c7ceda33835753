"""Higher-order operators that only wrap a graph, which is inlined.

`torch.no_grad`, activation checkpoints, regions compiled once and hints affect how PyTorch
runs or trains a graph, not what it computes. Autocast does, and is resolved into casts
beforehand (see `source.functional`).
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.fx import GraphModule

from devproc.frontends.torch_export.graph.problems import CONTROL_FLOW, Refusal

AUTOCAST = "wrap_with_autocast"

LEADING = {
    "tag_activation_checkpoint": 0,
    "hints_wrapper": 0,
    "invoke_subgraph": 0,
    "wrap_with_set_grad_enabled": 1,
}
"""Wrapper -> the number of arguments before its graph."""


def carried_graph(
    name: str, arguments: Sequence[Any]
) -> tuple[GraphModule, Sequence[Any]]:
    """The graph of a wrapper and its operands; raises Refusal for another operator."""
    if name not in LEADING:
        raise _refusal(name)
    graph, *operands = arguments[LEADING[name] :]
    if not isinstance(graph, GraphModule):
        raise _refusal(name)
    if name == "hints_wrapper":
        return graph, operands[0]
    # The second argument of a region that is compiled once is its identifier.
    return graph, operands[1:] if name == "invoke_subgraph" else operands


def _refusal(name: str) -> Refusal:
    if name in CONTROL_FLOW:
        return Refusal(
            f"control flow that depends on data ({name}) is not supported",
            "compute both branches and select, unroll the loop, or decide before export",
        )
    if name == AUTOCAST:
        return Refusal(
            "PyTorch could not resolve this autocast region into casts",
            "export with strict=False, or cast explicitly",
        )
    return Refusal(
        f"the higher-order operator {name}, which calls a graph, is not supported",
        "export the model without it",
    )
