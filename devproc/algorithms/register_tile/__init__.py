"""Contractions as tiles of sums that never leave the registers.

out[b..., m, n] += lhs[b..., m, k...] * rhs[b..., k..., n]: linear layers, matrix products,
convolutions. A tile is a few rows m by a few vectors along n; after Goto and van de Geijn,
"Anatomy of High-Performance Matrix Multiplication", 2008.

    for each panel of columns, for each tile of rows:
        7 x 3 sums = 0
        for each k:
            3 vectors of the panel
            for each of 7 rows: broadcast lhs[m, k], 3 multiply-adds
        epilogue on the sums, 21 stores

It takes every contraction with vectors along its outputs; a weight is stored in panels as
wide as a tile (`#dev.layout`), so that it is read front to back.
"""

from devproc.algorithms.base import Algorithm
from devproc.algorithms.register_tile.layout import panel_layout
from devproc.algorithms.register_tile.plan import plan, refuse
from devproc.algorithms.register_tile.roles import match
from devproc.dialects.sched import RegisterTileSchedule

ALGORITHM = Algorithm(
    schedule=RegisterTileSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=panel_layout,
)
