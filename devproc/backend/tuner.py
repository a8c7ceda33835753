"""`Tuner`: how a device compares schedules of its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from devproc.dialects.dev import TargetAttr


@dataclass(frozen=True)
class Tuned:
    """What a tuner found for one nest of a kernel."""

    kernel: str
    nest: str
    planned: str
    """The schedule without tuning."""
    best: str
    planned_microseconds: float | None
    """None if the planned schedule cannot run."""
    best_microseconds: float
    by: str
    """Where the times are from: "measured" or "modelled"."""
    tried: int
    """Schedules that were compared."""


class Tuner:
    """Compares schedules; this one has nothing to compare.

    `kernels` are those of the device at stage `schedules`, with the target of their
    compilation.
    """

    def rank(self, kernels: Sequence[FuncOp], target: TargetAttr) -> None:
        """Replaces nests by `sched.variants` with times, where the options of the
        compilation ask for it; the best one is taken."""

    def tune(self, kernels: Sequence[FuncOp], target: TargetAttr) -> Sequence[Tuned]:
        """The best of several schedules of each nest, kept for `rank`."""
        return ()

    def pages(self, kernels: Sequence[FuncOp], target: TargetAttr) -> Sequence[str]:
        """A description of each kernel and its schedules, for developers."""
        return ()
