"""Contractions as tiles whose sums stay in registers.

out[b..., m, n] += lhs[b..., m, k...] * rhs[b..., k..., n]: linear layers, matrix
products, convolutions. A tile is a few rows m by a few vectors along n; after Goto and
van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.

    for each panel of columns, for each tile of rows:                  sched.tile
        7 x 3 sums = 0                                                 sched.start
        for each k:
            3 vectors of the panel                                     sched.term
            for each of 7 rows: broadcast lhs[m, k], 3 multiply-adds
        epilogue on the sums, 21 stores                                sched.finish

It computes every contraction that can be vectorised along its outputs. A weight is
packed into panels as wide as a tile (`#dev.layout`), so that it is read sequentially.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import RegisterTileSchedule
from devproc.targets.cpu.algorithms.register_tile.layout import (
    panel_layout,
    refuse_layout,
)
from devproc.targets.cpu.algorithms.register_tile.plan import plan, refuse
from devproc.targets.cpu.algorithms.register_tile.roles import match

ALGORITHM = Algorithm(
    schedule=RegisterTileSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    tiled=True,
    layout=panel_layout,
    refuse_layout=refuse_layout,
    straight_code=("window",),
)
