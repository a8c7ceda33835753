"""Rules of checks of values: they are lowered before any of these passes."""

from __future__ import annotations

from devproc.dialects.nn.checks import OPS
from devproc.op_rules.base import reasons
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, reasons.CHECKED)
BATCH = dict.fromkeys(OPS, reasons.CHECKED)
CHANNELS_LAST = dict.fromkeys(OPS, reasons.CHECKED)
COST = dict.fromkeys(OPS, reasons.CHECKED)
TOLERANCE = dict.fromkeys(OPS, Tolerance.EXACT)
