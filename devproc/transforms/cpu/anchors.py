"""The anchor of a kernel, with its fill and its epilogue, as tiles or as vectors.

What contractions and windows share: register tiles where the anchor is a product that is
summed up, else vectors along the outputs.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps, Refusal
from devproc.algorithms.block_float.expand import block_float_of
from devproc.algorithms.pixel_tile.expand import WindowTiles, pixel_loop
from devproc.algorithms.register_tile.expand import ContractionLoops
from devproc.algorithms.register_tile.roles import match_contraction
from devproc.algorithms.vectors.vector_nest import VectorNest
from devproc.dialects.dev import BlockFloatAttr, LayoutAttr, TargetAttr
from devproc.ir.layouts.block_float import QUARTERS
from devproc.transforms.cpu.groups import match_group, without_epilogue
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import is_parallel, structured_ops
from devproc.transforms.cpu.nests.linear_loops import takes_epilogue
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import can_vectorize_nest, vector_loop

OWN_LAYOUTS = ("winograd", "winograd_line", "strassen", "inner_product")
"""Algorithms of weights in a layout that no other reads."""


def expand_own_layouts(
    function: FuncOp, family: str, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the products whose weight has a layout of its own."""
    for name in OWN_LAYOUTS:
        taker = algorithm(name)
        for nest in list(taker.match(KernelOps(structured_ops(function), family))):
            decision = taker.plan(nest, family, target)
            if isinstance(decision, Refusal):
                raise PassFailedException(
                    f"'{name}' does not take it: {decision.why}; give the weight a layout"
                    f" #{LayoutAttr.name}"
                )
            taker.expand(nest, decision.schedule, emitter, target)
            emitter.replace(nest.ops)


def schedule_nest(
    nest: Nest, emitter: Emitter, target: TargetAttr, rows_outside: bool
) -> bool:
    """Emit one contraction; False where it has to stay."""
    nest.simplify()
    loops = loops_of(nest, emitter, target, rows_outside)
    if loops is None:
        if block_float_of(nest) is not None:
            raise PassFailedException(
                f"no vectors along the outputs of this product with a weight in"
                f" {BlockFloatAttr.name}, or not {QUARTERS} to a panel; give it a layout"
                f" {LayoutAttr.name}"
            )
        return False
    loops.emit()
    return True


def loops_of(
    nest: Nest,
    emitter: Emitter,
    target: TargetAttr,
    rows_outside: bool,
    still: Collection[int | None] = (),
) -> ContractionLoops | VectorNest | None:
    """The loops of a simplified nest; None where it has to stay.

    `still`: parallel loops that stand where the caller puts them.
    """
    column = vector_loop(nest)
    if column is None:
        return None
    roles = match_contraction(nest, column)
    # How the factors are read is the contraction's own affair.
    others = [operand for operand in nest.operands if operand not in nest.inputs]
    if roles is not None and can_vectorize_nest(nest, column, others):
        roles.row = None if roles.row in still else roles.row
        roles.outer = [loop for loop in roles.outer if loop not in still]
        loops = ContractionLoops(roles, emitter, target, rows_outside)
        if loops.fits:
            return loops
    if not can_vectorize_nest(nest, column):
        return None
    vector_bits, threads = target.vector_bits.data, target.threads.data
    pixels = pixel_loop(nest, column)
    if pixels is None or pixels in still:
        vectors = VectorNest(nest, column, emitter, vector_bits, threads)
    else:
        vectors = WindowTiles(nest, column, pixels, emitter, vector_bits, threads)
    vectors.outer = [loop for loop in vectors.outer if loop not in still]
    return vectors


def schedule_kernel(
    function: FuncOp, target: TargetAttr, rows_outside: bool = False
) -> None:
    """Schedule the anchor of a kernel, with its fill and its epilogue.

    `rows_outside`: whether a tile of rows stays while the columns pass, or the reverse.
    """
    emitter = Emitter(function.body.block)
    family = "window" if rows_outside else "contraction"
    expand_own_layouts(function, family, emitter, target)
    ops = structured_ops(function)
    for position, op in enumerate(ops):
        if all(is_parallel(op)):
            continue
        nest = match_group(ops, position)
        if block_float_of(nest) and not takes_epilogue(nest):
            nest = without_epilogue(nest)
        emitter.location = op.location
        if schedule_nest(nest, emitter, target, rows_outside):
            emitter.replace(nest.ops)
