"""Reference of the matrix products."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.reference.meaning import plain

REFERENCE = {LinearOp: plain(F.linear), MatmulOp: plain(torch.matmul)}
"""op class -> function of the op and its operands."""
