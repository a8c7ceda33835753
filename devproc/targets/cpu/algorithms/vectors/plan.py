"""Plans a nest in vectors: lanes, tiles, loops within a tile, ragged end, threads."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from devproc.algorithms.base import Choice, Decision
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import VectorsSchedule
from devproc.targets.cpu.algorithms.vectors.match import (
    VectorizableNest,
    parallel_loops,
)
from devproc.targets.cpu.algorithms.vectors.transposed_reads import (
    crossing_loop,
    strided_inputs,
)
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.combiners import accumulates_in_float
from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    body_work,
    grain_of,
    lanes_problem,
)
from devproc.targets.cpu.transforms.nests.long_sums import BLOCK, is_long
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    lanes_along,
    lanes_of_all,
    picks_elements,
    values_along,
    varying_values,
)

LINE_BITS = 512
"""Bytes of a cache line."""

FEWEST_SHARING, LEAST_SHARED = 4, 24
"""Fewest iterations of a loop, and of operations that are invariant in it, for which
the loop is moved innermost."""


def plan(found: VectorizableNest, family: str, target: TargetAttr) -> Decision:
    """The schedule of any nest that can be vectorised."""
    nest, loop = found.nest, found.loop
    schedule = schedule_of(found, target)
    terms = prod(nest.sizes[d] for d in nest.reductions)
    work = sum(body_work(op) for op in nest.bodies)
    return Choice(
        schedule,
        f"{nest.sizes[loop]} contiguous results of {terms} terms, {work} operations each;"
        f" vectors of {schedule.lanes}",
    )


def schedule_of(found: VectorizableNest, target: TargetAttr) -> VectorsSchedule:
    """The schedule of a nest."""
    nest, loop = found.nest, found.loop
    vector_bits, size = machine_of(target).vector_bits.data, nest.sizes[loop]
    varying = values_along(nest, loop)
    lanes = lanes_of_all(varying, vector_bits)
    work = sum(_work_of(op, varying[op]) for op in nest.bodies)
    crossing, inner = crossing_loop(nest, loop, found.fixed), None
    if crossing is not None:
        # As many vectors as fill a cache line, which is then written at once.
        vectors = max(1, LINE_BITS // vector_bits)
    else:
        vectors, inner = _vectors(nest, work), _inner_loop(found, varying)
    outer = parallel_loops(nest, loop, crossing, inner, *found.fixed)
    if work > 12 and _is_plain(nest, loop):
        lanes *= registers_at_once(-(-size // lanes))
    repeats = (
        vector_bits < LINE_BITS
        and (bool(outer) or crossing is not None)
        and size >= lanes
        and can_repeat(nest)
    )
    whole = size // (lanes * vectors)
    split, grain = split_of(nest.sizes, loop, outer, whole, nest.work, target)
    return VectorsSchedule(
        loop=loop,
        lanes=lanes,
        vectors=vectors,
        inner=inner,
        crossing=crossing,
        ragged="repeat" if repeats else "mask",
        block=block_of(nest),
        split=split,
        grain=grain,
    )


def refuse(
    found: VectorizableNest, schedule: VectorsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    nest, loop = found.nest, found.loop
    if schedule.loop != loop:
        return f"'loop' must be {loop}, along which the results are contiguous"
    for name in ("inner", "crossing", "split"):
        number = getattr(schedule, name)
        if number is not None and number not in parallel_loops(nest, *found.fixed):
            return f"'{name}': no parallel loop has the number {number}"
    if schedule.crossing is not None:
        if nest.reductions:
            return "'crossing' must be none: squares of inputs are not summed"
        if not strided_inputs(nest, loop, schedule.crossing):
            return f"'crossing': no input is contiguous along loop {schedule.crossing}"
    return vectors_problem(nest, schedule, target)


def vectors_problem(
    nest: Nest, schedule: VectorsSchedule, target: TargetAttr
) -> str | None:
    """Why the vectors of a schedule along its loop are not legal; None if they are."""
    loop, lanes = schedule.loop, schedule.lanes
    size = nest.sizes[loop]
    if schedule.ragged == "repeat":
        if size < lanes:
            return f"'ragged' must be mask: {size} elements are no whole vector"
        if not can_repeat(nest):
            return "'ragged' must be mask: the nest may read its outputs"
    if schedule.block is not None and not accumulates_in_float(nest.anchor):
        return "'block' must be none: nothing is a sum of floats"
    if schedule.split == loop and size < lanes * schedule.vectors:
        return f"'split': {size} elements are no whole tile"
    return lanes_problem(
        lanes, lanes_along(nest, loop, machine_of(target).vector_bits.data)
    )


def registers_at_once(count: int) -> int:
    """Registers of one vector value, of `count` in all, such that few are unused.

    LLVM emits each op for all registers of such a value, so their chains of operations
    are interleaved; with one chain after the other, a processor's out-of-order window
    covers too few.
    """
    return next(n for n in (4, 2, 1) if -(-count // n) * n <= 1.15 * count)


def can_repeat(nest: Nest) -> bool:
    """Whether iterations may be repeated: the nest does not read its outputs."""
    if nest.reductions or nest.epilogue is not None:
        return False
    body = nest.anchor.body.block
    if any(argument.uses for argument in body.args[len(nest.inputs) :]):
        return False
    written = [operand.origin for operand in nest.outputs]
    read = {o.origin for o in nest.inputs if o.is_memref}
    read |= {o.memref for o in body.ops if isinstance(o, memref.LoadOp)}
    return all(map(_is_own, written)) and all(
        isinstance(value, BlockArgument) and value not in written for value in read
    )


def _is_own(value: SSAValue) -> bool:
    """Whether a value is an argument of its kernel that does not alias another."""
    if not isinstance(value, BlockArgument):
        return False
    function = value.owner.parent_op()
    if not isinstance(function, FuncOp) or function.arg_attrs is None:
        return False
    return "llvm.noalias" in function.arg_attrs.data[value.index].data


def block_of(nest: Nest) -> int | None:
    """Terms of a block of a long float sum; None for other reductions."""
    sizes = [nest.sizes[d] for d in nest.reductions]
    return BLOCK if accumulates_in_float(nest.anchor) and is_long(sizes) else None


def split_of(
    sizes: Sequence[int],
    loop: int,
    outer: Sequence[int],
    tiles: int,
    work: int,
    target: TargetAttr,
) -> tuple[int | None, int | None]:
    """The loop that is spread over threads, the outermost long one, and its grain; None
    if that does not pay.

    `outer`: the loops around the vectorised one, of which `tiles` are the whole tiles;
    `work`: scalar operations of all loops.
    """
    threads = target.threads.data
    long = [d for d in outer if sizes[d] >= 4 * threads]
    # Otherwise there would be a parallel region per iteration of the outer loops.
    split = long[0] if long else loop
    around = outer[: outer.index(split)] if long else outer
    count = sizes[split] if long else tiles
    grain = grain_of(count, work // prod(sizes[d] for d in around), threads)
    return (split, grain) if grain else (None, None)


def _vectors(nest: Nest, work: int) -> int:
    """Vectors of a tile: enough to hide the latency of short bodies."""
    if work <= 4:
        return 8 if nest.reductions else 4
    return 2 if work <= 12 else 1


def _work_of(op: StructuredOp, varying: Sequence[SSAValue]) -> int:
    """Scalar operations of a body; with indexed loads, without those that are uniform
    over lanes."""
    if not picks_elements(op):
        return body_work(op)
    return max(1, sum(isinstance(value.owner, Operation) for value in varying))


def _inner_loop(
    found: VectorizableNest, varying: dict[StructuredOp, list[SSAValue]]
) -> int | None:
    """The loop that runs within each tile, because most of the index arithmetic of
    indexed loads is invariant in it; None for most nests."""
    nest = found.nest
    if nest.reductions or not picks_elements(nest.anchor):
        return None
    lanewise = set(varying[nest.anchor])
    shared = {
        d: len(lanewise.difference(varying_values(nest, nest.anchor, d)))
        for d in parallel_loops(nest, found.loop, *found.fixed)
        if nest.sizes[d] >= FEWEST_SHARING
    }
    best = max(shared, key=lambda d: shared[d], default=None)
    return best if best is not None and shared[best] >= LEAST_SHARED else None


def _is_plain(nest: Nest, loop: int) -> bool:
    """Whether all loads are vectors or uniform, and there are no reductions."""
    return not (
        nest.reductions
        or any(operand.stride(loop) not in (0, 1) for operand in nest.operands)
        or any(map(picks_elements, nest.bodies))
    )
