"""Reference of the activations."""

from __future__ import annotations

from torch.nn import functional as F

from devproc.dialects.nn.activations import GeluOp, HardsigmoidOp, HardswishOp, SiluOp
from devproc.reference.base.meaning import plain, unary

REFERENCE = {
    GeluOp: unary(lambda op, x: F.gelu(x, approximate=op.approximate.data)),
    HardsigmoidOp: plain(F.hardsigmoid),
    HardswishOp: plain(F.hardswish),
    SiluOp: plain(F.silu),
}
"""op class -> function of the op and its operands."""
