"""The weights that values come from."""

from __future__ import annotations

from xdsl.dialects import memref, tensor
from xdsl.ir import Block, SSAValue

from devproc.dialects.dev import RegionOp
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.loop import LoopOp
from devproc.dialects.plan import ViewOp


def weight_behind(value: SSAValue) -> WeightOp | None:
    """The weight that a value is, through views, regions and loops; None for others."""
    owner = value.owner
    if isinstance(owner, ViewOp):
        return weight_behind(owner.source)
    if isinstance(owner, Block):
        island = owner.parent_op()
        if isinstance(island, RegionOp):
            return weight_behind(island.inputs[owner.args.index(value)])
        if isinstance(island, LoopOp):
            place = owner.args.index(value)
            invariant = place >= len(island.sequences) + len(island.initial)
            return weight_behind(island.operands[place]) if invariant else None
        return None
    return owner if isinstance(owner, WeightOp) else None


def is_read_by_element(value: SSAValue) -> bool:
    """Whether the loops of a kernel read a value only at computed indices."""
    uses = list(value.uses)
    loads = (tensor.ExtractOp, memref.LoadOp)
    return bool(uses) and all(isinstance(use.operation, loads) for use in uses)
