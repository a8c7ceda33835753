"""Maps each op of a block program to the dimensions that the program traverses."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from devproc.algorithms.base import Refusal
from devproc.targets.triton.transforms.to_triton.flow import Exprs, Flow, substituted
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.nest import BlockNest


@dataclass(frozen=True)
class Step:
    """One op of a program, with its dimensions."""

    number: int
    generic: Generic
    dims: Exprs | None
    """Its dimensions in those of the program; None: its readers compute it."""


def walk(
    nest: BlockNest,
    anchor: Generic,
    walked: Collection[int],
    defers: Callable[[int], bool],
    is_parallel_to_anchor: Callable[[Generic], bool] = lambda generic: False,
    own_dims: Callable[[Generic], Exprs | None] = lambda generic: None,
) -> list[Step] | Refusal:
    """The dimensions of each op of a nest, in a program over these anchor dimensions.

    `defers`: whether an op, by number, that only later ops read is computed by its
    readers. `is_parallel_to_anchor`: whether an elementwise op has the anchor's
    dimensions; the dimensions of other ops are inferred. `own_dims`: those of a reduction
    that has others than the anchor.
    """
    if any(number < 0 for number, _ in nest.last_writers):
        # Another program might overwrite the part written by this one.
        return Refusal("an output is written in several steps")
    flow, steps = Flow(nest.arguments, anchor), list[Step]()
    for number, generic in enumerate(nest.generics):
        if nest.can_defer(number) and defers(number):
            dims = None
        elif (own := own_dims(generic)) is not None:
            dims = own
        elif generic.reductions or is_parallel_to_anchor(generic):
            dims = identity(generic)
        else:
            dims = aligned(flow, generic, anchor, walked)
            if dims is None:
                return Refusal("two ops of the kernel have different dimensions")
        problem = None if dims is None else flow.problem(generic, dims)
        if problem is not None:
            return Refusal(problem)
        flow.write(generic, dims)
        steps.append(Step(number, generic, dims))
    return steps


def identity(generic: Generic) -> Exprs:
    """The dimensions of an op that has those of the program."""
    return [AffineExpr.dimension(d) for d in range(len(generic.extents))]


def aligned(
    flow: Flow, generic: Generic, anchor: Generic, walked: Collection[int]
) -> Exprs | None:
    """An op's dimensions in those of the anchor: by its inputs, else by size."""
    dims: list[AffineExpr | None] = [None] * len(generic.extents)
    for value, map_ in zip(generic.inputs, generic.maps, strict=False):
        stored = flow.stored.get(value)
        if stored is None or stored.dims is None or not map_.results:
            continue
        places = substituted(stored.indices, stored.dims)
        for expr, place in zip(map_.results, places, strict=True):
            if isinstance(expr, AffineDimExpr) and dims[expr.position] is None:
                dims[expr.position] = place
    taken = {d.position for d in dims if isinstance(d, AffineDimExpr)}
    free = [d for d in sorted(walked) if d not in taken]
    for dim, extent in enumerate(generic.extents):
        if extent == 1:
            dims[dim] = AffineExpr.constant(0)
        elif dims[dim] is None:
            fit = next((d for d in free if anchor.extents[d] == extent), None)
            if fit is None:
                return None
            free = [d for d in free if d > fit]
            dims[dim] = AffineExpr.dimension(fit)
    return [d for d in dims if d is not None]
