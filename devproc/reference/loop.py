"""Loops have no reference of their own: the interpreter runs their bodies."""

from __future__ import annotations

from devproc.dialects.nn.loop import LoopOp, YieldOp

REFERENCE = {}
"""op class -> function of the op and its operands."""

NO_REFERENCE = {
    LoopOp: "the interpreter runs its body, step by step",
    YieldOp: "hands the values of a step to nn.loop",
}
"""op class -> why it has no function here."""
