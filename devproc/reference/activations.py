"""What the activations mean."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F

from devproc.dialects.nn.activations import GeluOp, HardsigmoidOp, HardswishOp, SiluOp


def _gelu(op: GeluOp, x: Tensor) -> tuple[Tensor, ...]:
    return (F.gelu(x, approximate=op.approximate.data),)


def _hardsigmoid(op: HardsigmoidOp, x: Tensor) -> tuple[Tensor, ...]:
    return (F.hardsigmoid(x),)


def _hardswish(op: HardswishOp, x: Tensor) -> tuple[Tensor, ...]:
    return (F.hardswish(x),)


def _silu(op: SiluOp, x: Tensor) -> tuple[Tensor, ...]:
    return (F.silu(x),)


REFERENCE = {
    GeluOp: _gelu,
    HardsigmoidOp: _hardsigmoid,
    HardswishOp: _hardswish,
    SiluOp: _silu,
}
"""op class -> function of the op and its operands."""
