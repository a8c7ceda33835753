"""Loops over steps: their bodies are lowered; the loops launch the kernels."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from devproc.dialects.nn import loop as nn

LOWERINGS = {}

NO_LOWERING: Mapping[type[Operation], str] = {
    nn.LoopOp: "stays a loop around the launches of its body",
    nn.YieldOp: "hands the values of a step to nn.loop",
}
