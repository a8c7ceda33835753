"""The anchors of a kernel, with their fills and epilogues: by algorithm, or as vectors.

What contractions and windows share until each nest has its schedule in the IR.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps, Refusal
from devproc.algorithms.inner_product.expand import InnerProductLoops, inner_product_of
from devproc.algorithms.pixel_tile import expand as pixel_tile
from devproc.algorithms.pixel_tile.plan import schedule_of as plan_pixels
from devproc.algorithms.pixel_tile.plan import window_of
from devproc.algorithms.register_tile import expand as register_tile
from devproc.algorithms.register_tile.plan import schedule_of as plan_tiles
from devproc.algorithms.register_tile.roles import contraction_of
from devproc.algorithms.strassen.expand import StrassenLoops, strassen_of
from devproc.algorithms.vectors.expand import expand as expand_vectors
from devproc.algorithms.vectors.match import VectorizableNest, reductions
from devproc.algorithms.vectors.plan import schedule_of as plan_vectors
from devproc.algorithms.winograd.expand import WinogradLoops, winograd_of
from devproc.algorithms.winograd_line.expand import WinogradLines, winograd_line_of
from devproc.dialects.dev import LayoutAttr, TargetAttr
from devproc.dialects.sched import RegisterTileSchedule
from devproc.transforms.cpu.groups import match_group, without_epilogue
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import is_parallel, structured_ops
from devproc.transforms.cpu.nests.linear_loops import takes_epilogue
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import can_vectorize_nest, vector_loop


def schedule_nest(nest: Nest, emitter: Emitter, target: TargetAttr) -> bool:
    """Emit a product whose weight has a layout of its own; False for any other."""
    if len(nest.inputs) == 2 and winograd_of(nest.inputs[1]) is not None:
        WinogradLoops(nest, emitter, target).emit()
        return True
    if winograd_line_of(nest) is not None:
        WinogradLines(nest, emitter, target).emit()
        return True
    if strassen_of(nest) is not None:
        StrassenLoops(nest, emitter, target).emit()
        return True
    if inner_product_of(nest) is not None:
        InnerProductLoops(nest, emitter, target).emit()
        return True
    return False


def emit_line(
    nest: Nest,
    emitter: Emitter,
    target: TargetAttr,
    fixed: Mapping[int | None, SSAValue],
) -> bool:
    """Emit a simplified nest on one thread; False where there are no vectors.

    `fixed`: the index of each loop that the caller fixes.
    """
    roles = contraction_of(nest, fixed)
    tiles = roles and plan_tiles(roles, "bottleneck", target)
    if roles is not None and isinstance(tiles, RegisterTileSchedule):
        tiles = tiles.replace(spread=0, grain=None)
        register_tile(roles, tiles, emitter, target, fixed)
        return True
    window = window_of(nest, fixed)
    if window is not None:
        pixels = plan_pixels(window, target).replace(split=None, grain=None)
        pixel_tile(window, pixels, emitter, target, fixed)
        return True
    column = vector_loop(nest)
    if column is None or not can_vectorize_nest(nest, column):
        return False
    found = VectorizableNest(nest, column)
    vectors = plan_vectors(found, target).replace(split=None, grain=None)
    expand_vectors(found, vectors, emitter, target, fixed)
    return True


def schedule_kernel(function: FuncOp, target: TargetAttr, family: str) -> None:
    """Schedule the anchors of a kernel, with their fills and epilogues."""
    emitter = Emitter(function.body.block)
    ops = structured_ops(function)
    for position, op in enumerate(ops):
        if all(is_parallel(op)):
            continue
        nest = match_group(ops, position)
        needs_vectors = strassen_of(nest) or inner_product_of(nest)
        if needs_vectors and not takes_epilogue(nest):
            nest = without_epilogue(nest)
        emitter.location = op.location
        if schedule_nest(nest, emitter, target):
            emitter.replace(nest.ops)
    for name in ("block_float", "register_tile", "pixel_tile"):
        taker = algorithm(name)
        for nest in list(taker.match(KernelOps(structured_ops(function), family))):
            decision = taker.plan(nest, family, target)
            if isinstance(decision, Choice):
                taker.expand(nest, decision.schedule, emitter, target)
                emitter.replace(nest.ops)
            elif name == "block_float":
                raise _unreadable(name, decision)
    for nest in list(reductions(KernelOps(structured_ops(function), family))):
        emitter.location = nest.nest.anchor.location
        expand_vectors(nest, plan_vectors(nest, target), emitter, target)
        emitter.replace(nest.ops)


def _unreadable(name: str, refusal: Refusal) -> PassFailedException:
    """The error where an algorithm refuses a nest whose weight no other reads."""
    hint = f"give the weight a layout #{LayoutAttr.name}"
    return PassFailedException(f"'{name}' does not take it: {refusal.why}; {hint}")
