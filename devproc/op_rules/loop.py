"""Rules of loops: none, their bodies are blocks of their own."""

from __future__ import annotations

from devproc.dialects.nn.loop import OPS, LoopOp, YieldOp

SLICING = dict.fromkeys(OPS, "its steps depend on each other")
BATCH = {
    LoopOp: "its first dimension is that of the steps",
    YieldOp: "it ends the body of a loop",
}
CHANNELS_LAST = dict.fromkeys(OPS, "its body is a block of its own")
COST = {
    LoopOp: "the cost of its body times its steps",
    YieldOp: "it computes nothing",
}
TOLERANCE = dict.fromkeys(OPS, "the ops of the body have theirs")
