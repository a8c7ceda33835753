"""Programs of reductions: several rows, each as one block or in a loop over blocks.

Positions past the end of a row hold the neutral element of each reduction.
"""

from __future__ import annotations

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockRowsSchedule
from devproc.targets.triton.algorithms.block_rows.chain import chain_of
from devproc.targets.triton.algorithms.block_rows.passes import Passes, Tile
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program


def expand(
    nest: BlockNest, schedule: BlockRowsSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: rows along the grid, a row in blocks."""
    chain = chain_of(nest)
    assert not isinstance(chain, Refusal), chain.why
    program.num_warps = schedule.warps
    Passes(program, chain, Tile(schedule.rows, schedule.width)).run()
