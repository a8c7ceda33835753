"""Reference of the elementary functions."""

from __future__ import annotations

import torch

from devproc.dialects.nn.elementary import UNARY, Atan2Op, PowOp
from devproc.reference.base.meaning import Meaning, plain

REFERENCE: dict[type, Meaning] = {
    **{op: plain(getattr(torch, op.name.removeprefix("nn."))) for op in UNARY},
    Atan2Op: plain(torch.atan2),
    PowOp: plain(torch.pow),
}
"""op class -> function of the op and its operands."""
