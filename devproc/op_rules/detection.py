"""Rules of the ops on boxes."""

from __future__ import annotations

from devproc.dialects.nn.detection import NmsOp
from devproc.op_rules.base import reasons
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.tolerances import Tolerance

SLICING = {NmsOp: reasons.BY_PLACE}
BATCH = {NmsOp: "the boxes of one image compete with each other"}
CHANNELS_LAST = {NmsOp: reasons.NO_IMAGE}
COST = {NmsOp: Cost(is_anchor=True)}
TOLERANCE = {NmsOp: Tolerance.EXACT}
