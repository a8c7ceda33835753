"""Emits a contraction directly, for algorithms that do not represent tiles as ops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import RegisterTileSchedule
from devproc.targets.cpu.algorithms.register_tile.factor_readers import (
    PanelReader,
    RowReader,
)
from devproc.targets.cpu.algorithms.register_tile.loops import PanelLoops
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.algorithms.register_tile.tile import RegisterTile
from devproc.targets.cpu.algorithms.vectors.loops import point_of
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.nest_emitter import PartEmitter

Fixed = Mapping[int | None, SSAValue]
"""The index of each loop that the caller fixes."""


def expand(
    roles: Roles,
    schedule: RegisterTileSchedule,
    emitter: Emitter,
    target: TargetAttr,
    fixed: Fixed | None = None,
) -> None:
    """Emit the tiles and the loops around them.

    `fixed`: the index of each loop that is not in `roles` (`contraction_of`).
    """
    emitter.location = roles.nest.anchor.location
    ContractionLoops(roles, schedule, emitter, target, fixed or {}).emit()


class ContractionLoops:
    """One contraction, with the tiles of a given class."""

    tile_class: ClassVar[type[RegisterTile]] = RegisterTile
    reader_class: ClassVar[type[PanelReader]] = PanelReader

    def __init__(
        self,
        roles: Roles,
        schedule: RegisterTileSchedule,
        emitter: Emitter,
        target: TargetAttr,
        fixed: Fixed,
    ):
        nest, lanes = roles.nest, roles.lanes(machine_of(target).vector_bits.data)
        self.context = PartEmitter(nest, roles.column, emitter, lanes)
        self.context.point = point_of(nest, emitter, fixed)
        self.roles, self.schedule = roles, schedule

    def emit(self) -> None:
        """Emit the loops, and the tiles inside."""
        roles, schedule, context = self.roles, self.schedule, self.context
        emitter, lanes = context.emitter, context.lanes
        roles.nest.view(emitter)
        readers = RowReader(roles, emitter), self.reader_class(roles, emitter, lanes)
        tile = self.tile_class(context, roles, schedule, readers)
        PanelLoops(roles, schedule, emitter, lanes, context.point).emit(tile.emit)
