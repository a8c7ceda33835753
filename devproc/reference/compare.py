"""Reference of the comparisons, selections and bitwise ops."""

from __future__ import annotations

import torch

from devproc.dialects.nn import compare as nn
from devproc.reference.base.meaning import Meaning, plain

REFERENCE: dict[type, Meaning] = {
    nn.AndOp: plain(torch.bitwise_and),
    nn.EqOp: plain(torch.eq),
    nn.LeOp: plain(torch.le),
    nn.LtOp: plain(torch.lt),
    nn.OrOp: plain(torch.bitwise_or),
    nn.ShiftLeftOp: plain(torch.bitwise_left_shift),
    nn.ShiftRightOp: plain(torch.bitwise_right_shift),
    nn.WhereOp: plain(torch.where),
    nn.XorOp: plain(torch.bitwise_xor),
}
"""op class -> function of the op and its operands."""
