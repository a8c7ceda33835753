"""Schedule of reduction kernels (leaves every kernel to lower-linalg-to-loops for now)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class ScheduleReductionPass(ModulePass):
    """Leaves every kernel as it is for now."""

    name = "schedule-reduction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass
