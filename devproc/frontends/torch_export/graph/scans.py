"""`scan`: a graph that runs once for each step of tensors, as the body of a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from torch.fx import GraphModule
from xdsl.ir import Region, SSAValue

from devproc.dialects.nn.loop import LoopOp, YieldOp, loop_body
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal

SCAN = "scan"
"""The name of the higher-order operator."""


def scan(
    b: GraphBuilder,
    run: Callable[[GraphModule, Sequence[Any]], Sequence[Any]],
    graph: GraphModule,
    initial: list[Any],
    sequences: list[Any],
    invariants: list[Any],
) -> list[SSAValue] | None:
    """The carried values after the last step, then the stacked ones.

    `run` imports a graph, whose problems it records; None where a value is missing because
    of one. Raises Refusal for complex numbers.
    """
    if not _are_tensors([*sequences, *initial, *invariants]):
        return None
    location, count = b.location, len(initial)
    body = loop_body(sequences, [*initial, *invariants])
    now, others = body.args[: len(sequences)], body.args[len(sequences) :]
    with b.inside(body):
        found = run(graph, [*others[:count], *now, *others[count:]])
        if not _are_tensors(found):
            return None
        b.insert(YieldOp(found[:count], found[count:]))
    steps = shape_of(sequences[0])[0]
    loop = LoopOp(steps, False, (sequences, initial, invariants), Region(body))
    b.location = location
    b.insert(loop)
    return [*loop.final, *loop.stacked]


def _are_tensors(values: Sequence[Any]) -> TypeGuard[Sequence[SSAValue]]:
    """Whether no value is missing; raises Refusal for complex numbers."""
    if any(isinstance(value, Complex) for value in values):
        raise Refusal(
            "a scan of complex numbers is not supported",
            "carry the real and the imaginary part (torch.view_as_real)",
        )
    return all(isinstance(value, SSAValue) for value in values)
