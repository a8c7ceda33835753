"""Tables of signal processing: folded to constants before this pass."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from devproc.dialects.nn.signal import OPS

NO_LOWERING: Mapping[type[Operation], str] = dict.fromkeys(OPS, "evaluated in @prepare")
