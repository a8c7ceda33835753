"""Plans vectors of pixels: lanes, the ragged end, threads."""

from __future__ import annotations

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ChannelsSchedule
from devproc.targets.cpu.algorithms.channels.match import Pixels, pixels_of
from devproc.targets.cpu.algorithms.vectors.plan import can_repeat, split_of
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp, lanes_problem
from devproc.targets.cpu.transforms.nests.nest import Nest

FEWEST_PIXELS = 8
"""With fewer iterations of the enclosing loop, most lanes would be unused."""


def plan(found: Pixels, family: str, target: TargetAttr) -> Decision:
    """The schedule of vectors of pixels, unless there are few pixels."""
    if found.around < FEWEST_PIXELS:
        return Refusal(f"{found.around} pixels leave most lanes empty")
    first, lanes = found.channels[0], _register(found, target)
    loop = first.pixels
    tiles = first.sizes[loop] // lanes
    split, grain = split_of(first.sizes, loop, range(loop), tiles, first.work, target)
    return Choice(
        ChannelsSchedule(lanes=lanes, ragged="mask", split=split, grain=grain),
        f"{found.count} channels of {first.sizes[loop]} pixels; {lanes} fit a register",
    )


def refuse(found: Pixels, schedule: ChannelsSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for pixels."""
    first = found.channels[0]
    size = first.sizes[first.pixels]
    if schedule.split is not None and schedule.split > first.pixels:
        return f"'split': no loop has the number {schedule.split}"
    if schedule.split == first.pixels and size < schedule.lanes:
        return f"'split': {size} pixels are no whole vector"
    if schedule.ragged == "repeat" and size < schedule.lanes:
        return f"'ragged' must be mask: {size} pixels are no whole vector"
    if schedule.ragged == "repeat" and not can_repeat(Nest(found.op)):
        return "'ragged' must be mask: the op may read its outputs"
    return lanes_problem(schedule.lanes, _register(found, target))


def takes(op: StructuredOp) -> bool:
    """Whether an op is computed in vectors of pixels."""
    found = pixels_of(op)
    return found is not None and found.around >= FEWEST_PIXELS


def _register(found: Pixels, target: TargetAttr) -> int:
    """Pixels that a register holds of each type."""
    return min(c.lanes(machine_of(target).vector_bits.data) for c in found.channels)
