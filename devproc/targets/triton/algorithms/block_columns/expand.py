"""Programs of reductions over columns: adjacent columns, in blocks or a loop over them."""

from __future__ import annotations

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockColumnsSchedule
from devproc.targets.triton.algorithms.block_rows.chain import chain_of
from devproc.targets.triton.algorithms.block_rows.passes import Passes, Tile
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program


def expand(
    nest: BlockNest,
    schedule: BlockColumnsSchedule,
    program: Program,
    target: TargetAttr,
) -> None:
    """The whole kernel: columns along the grid, each in blocks."""
    chain = chain_of(nest)
    assert not isinstance(chain, Refusal), chain.why
    program.num_warps = schedule.warps
    tile = Tile(schedule.columns, schedule.height, columns_first=True)
    Passes(program, chain, tile).run()
