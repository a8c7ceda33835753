"""Tiles become machine vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from devproc.algorithms.base import TileEmitter
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp
from devproc.dialects.sched.tile import PartOp
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.tiles.scheduled import put_before, tiled_nests
from devproc.transforms.cpu.tiles.unroller import Unroller
from devproc.transforms.cpu.tiles.unused import erase_unused


def unroll_tiles(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace all tiles of a kernel, and erase their nests."""
    found, ops = tiled_nests(kernel, target)
    if not ops:
        return
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    emitters: dict[str, TileEmitter] = {}
    for name, nest in found.items():
        tiling = nest.algorithm.tiling
        assert tiling is not None
        emitter.location = nest.op.location
        emitters[name] = tiling.emitter(nest.nest, nest.schedule, emitter, target)
        put_before(nest.op, emitter.take())
    unroller = Unroller(emitter, emitters)
    run: dict[Operation, None] = {}
    for op in list(kernel.body.block.ops):
        is_around = bool(op.regions) and not isinstance(op, NestOp)
        if is_around or isinstance(op, PartOp) or run.keys() & owners(op):
            run[op] = None
            continue
        unroller.block(list(run))
        put_before(op, emitter.take())
        run = {}
    unroller.erase_replaced()
    for nest in found.values():
        nest.op.detach()
        nest.op.erase()
    erase_unused(kernel.body.block)


def owners(op: Operation) -> set[Operation | Block]:
    """What makes the operands of an op."""
    return {value.owner for value in op.operands}


@dataclass(frozen=True)
class UnrollTilesPass(ModulePass):
    """Makes machine vectors of tiles."""

    name = "unroll-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            unroll_tiles(kernel, target)
