"""Rules of comparisons, bits and choices."""

from __future__ import annotations

from devproc.dialects.nn.compare import OPS
from devproc.op_rules.base import batches, images, slices
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

SLICING = dict.fromkeys(OPS, slices.elementwise)
BATCH = dict.fromkeys(OPS, batches.aligned)
CHANNELS_LAST = dict.fromkeys(OPS, images.elementwise)
COST = dict.fromkeys(OPS, Cost())
TOLERANCE = dict.fromkeys(OPS, Tolerance.EXACT)
