"""How a register tile reads the two factors of its products.

The rhs is loaded as vectors of a panel, the lhs as one number for each row of the tile.
Packed factors (`#dev.layout` with one tile, on columns or rows) are read sequentially.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from devproc.dialects.dev import LayoutAttr
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.transforms.loops.access import (
    apply_map,
    layout_of,
    load_element,
    physical_view,
)
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


def packed_indices(
    emitter: Emitter,
    operand: Operand,
    layout: LayoutAttr,
    loop: int,
    point: Sequence[SSAValue],
    panel: SSAValue,
    inside: SSAValue,
) -> list[SSAValue]:
    """The indices of the element `inside` a panel, of an operand tiled along `loop`."""
    at = list(point)
    at[loop] = emitter.index(0)
    logical = apply_map(emitter, operand.map, at)
    tiled = AffineDimExpr(loop)
    outer = [
        panel if operand.map.results[d] == tiled else logical[d]
        for d in layout.order_of_dims
    ]
    return [*outer, inside]


@dataclass(frozen=True)
class Panel:
    """Columns that are computed together: the first, the panel number, how many."""

    start: SSAValue
    number: SSAValue
    size: int


class PanelReader:
    """Reads vectors of the rhs along the columns."""

    def __init__(self, roles: Roles, emitter: Emitter, lanes: int):
        self.roles, self.emitter, self.lanes = roles, emitter, lanes
        operand = roles.rhs.operand
        self.operand = operand
        self.layout = layout_of(operand.value) if roles.panel else None
        self.stride = operand.stride(roles.column) or 1
        self.memory = physical_view(emitter, operand.value)

    def read(
        self, point: Sequence[SSAValue], panel: Panel, bodies: Sequence[VectorBody]
    ) -> Iterator[SSAValue]:
        """The vectors of a panel at a point, one for each body."""
        for index, body in enumerate(bodies):
            yield self._vector(point, panel, index * self.lanes, body)

    def _vector(
        self, point: Sequence[SSAValue], panel: Panel, offset: int, body: VectorBody
    ) -> SSAValue:
        """The vector `offset` columns after the start of a panel, at a point.

        A packed panel is padded to its width, so it needs no mask.
        """
        emitter, column = self.emitter, self.roles.column
        point = list(point)
        if self.layout is None:
            point[column] = emitter.offset(panel.start, offset)
            indices = apply_map(emitter, self.operand.map, point)
            if self.stride > 1:
                return body.load_strided(self.memory, indices, self.stride)
            return body.load(self.memory, indices)
        indices = packed_indices(
            emitter,
            self.operand,
            self.layout,
            column,
            point,
            panel.number,
            emitter.index(offset),
        )
        return emitter.load_vector(self.memory, indices, self.lanes)


class RowReader:
    """Reads one number of the lhs for each row of a tile.

    In a packed lhs the rows of a tile are adjacent: `width` rows are a panel, and a
    tile lies within one.
    """

    def __init__(self, roles: Roles, emitter: Emitter):
        self.roles, self.emitter = roles, emitter
        self.operand = roles.lhs.operand
        self.width = roles.packed_rows
        self.layout = layout_of(self.operand.value) if self.width else None
        self.memory = physical_view(emitter, self.operand.value)

    def stand_at(self, rows: Sequence[SSAValue]) -> None:
        """Begin a tile of these rows."""
        self.rows = rows
        if self.width:
            self.panel = self.emitter.div(rows[0], self.width)
            self.first = self.emitter.mod(rows[0], self.width)

    def read(self, point: list[SSAValue], number: int) -> SSAValue:
        """The number of row `number` of the tile, at a point."""
        emitter, loop = self.emitter, self.roles.row
        if loop is None or self.layout is None:
            if loop is not None:
                point[loop] = self.rows[number]
            return load_element(emitter, self.operand.value, self.operand.map, point)
        indices = packed_indices(
            emitter,
            self.operand,
            self.layout,
            loop,
            point,
            self.panel,
            emitter.offset(self.first, number),
        )
        return emitter.load(self.memory, indices)
