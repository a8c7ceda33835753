"""Which products persistent programs can compute."""

from __future__ import annotations

from devproc.algorithms.base import Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PersistentTileSchedule
from devproc.targets.triton.algorithms.block_tile.plan import refuse as refuse_tile
from devproc.targets.triton.algorithms.block_tile.plan import tiling_of
from devproc.targets.triton.algorithms.persistent_tile.descriptors import described
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """None: tiles of `block_tile` are those that were measured."""
    return Refusal("no measurement prefers it to block_tile; a tuner compares them")


def refuse(
    nest: BlockNest, schedule: PersistentTileSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    problem = refuse_tile(nest, schedule, target)
    if problem is not None or schedule.loads == "pointers":
        return problem
    arch = arch_of(target)
    if not arch.has_tensor_copies:
        return f"{arch.name} copies no tensors by descriptors (TMA)"
    tiling = tiling_of(nest)
    assert not isinstance(tiling, Refusal)
    refusals: list[str] = []
    for product in tiling.products:
        for index in (product.a, product.b):
            found = described(nest, product, index, schedule)
            if not isinstance(found, Refusal):
                return None
            refusals.append(found.why)
    return f"descriptors read no factor: {'; '.join(dict.fromkeys(refusals))}"
