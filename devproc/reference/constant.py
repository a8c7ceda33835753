"""Reference of the constants."""

from __future__ import annotations

from torch import Tensor

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.reference.conversion.tensors import constant_to_torch


def _constant(op: ConstantOp) -> tuple[Tensor, ...]:
    return (constant_to_torch(op.value),)


REFERENCE = {ConstantOp: _constant}
"""op class -> function of the op and its operands."""

NO_REFERENCE = {WeightOp: "its value lies in the weight table, not in the op"}
"""op class -> why it has no function here."""
