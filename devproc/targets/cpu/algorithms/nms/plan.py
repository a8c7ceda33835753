"""Plans a suppression: kept boxes that are compared at a time, and threads."""

from __future__ import annotations

from math import gcd
from typing import TypeAlias

from xdsl.dialects.builtin import f32

from devproc.algorithms.base import Choice, Decision
from devproc.algorithms.single_op import SingleOp, match_each
from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.sequential import NmsOp
from devproc.dialects.sched import NmsSchedule
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of, lanes_of
from devproc.targets.cpu.transforms.loops.vector_types import memref_of

CANDIDATE_WORK = 2
"""Scalar operations per score; few are high enough to cost more."""

NmsNest: TypeAlias = SingleOp[NmsOp]

match = match_each(NmsOp, SingleOp[NmsOp])


def plan(nest: NmsNest, family: str, target: TargetAttr) -> Decision:
    """The schedule: whole registers of kept boxes; images are spread over threads."""
    images, scores = memref_of(nest.op.scores).get_shape()
    room = room_of(nest)
    # Except in handwritten kernels, the buffer is a multiple of any register.
    lanes = gcd(lanes_of(f32, machine_of(target).vector_bits.data), room)
    grain = grain_of(images, images * scores * CANDIDATE_WORK, target.threads.data)
    why = f"{images} images of {scores} scores; room for {room} boxes in whole vectors"
    return Choice(NmsSchedule(lanes=lanes, grain=grain), why)


def refuse(nest: NmsNest, schedule: NmsSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a suppression."""
    if room_of(nest) % schedule.lanes:
        return f"'lanes' must divide the {room_of(nest)} boxes that there is room for"
    return None


def room_of(nest: NmsNest) -> int:
    """The number of boxes of an image that the buffer can hold."""
    return memref_of(nest.op.kept).get_shape()[-1]
