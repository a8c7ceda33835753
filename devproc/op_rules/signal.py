"""Rules of tables that are computed once: filters, transforms, windows."""

from __future__ import annotations

from devproc.dialects.nn.signal import OPS
from devproc.op_rules.base import reasons
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, reasons.KNOWN)
BATCH = dict.fromkeys(OPS, reasons.KNOWN)
CHANNELS_LAST = dict.fromkeys(OPS, reasons.KNOWN)
COST = dict.fromkeys(OPS, reasons.KNOWN)
TOLERANCE = dict.fromkeys(OPS, Tolerance.ROUNDED)
