"""Value checks: lowered or erased before this pass."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from devproc.dialects.nn.checks import OPS

NO_LOWERING: Mapping[type[Operation], str] = dict.fromkeys(
    OPS, "erased by `lower-value-checks`, or composed of other ops"
)
"""op class -> why it has no loop form."""
