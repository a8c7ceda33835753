"""Maps the loops of an op to the loops of a group that it may join."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from devproc.ir.program.structured import (
    ZERO,
    Generic,
    dim,
    is_slice,
    loop_sizes,
    maps_of,
)


def align(
    op: Generic, values: Mapping[SSAValue, AffineMap], sizes: Sequence[int]
) -> list[int | None] | None:
    """The group's loop for each loop of `op`; None for a dropped loop of size 1.

    `values` are the group's tensors, each with the map from the group's loops to its
    indices. The op must read exactly the element that the group computes in the same
    iteration. A loop that no such tensor determines may be any of the same size.
    Returns None if the op does not fit.
    """
    have = loop_sizes(op)
    found: list[int | None] = [None] * len(have)
    for value, map_ in zip(op.inputs, maps_of(op), strict=False):
        known = values.get(value)
        if known is None:
            continue
        if is_slice(known, value, sizes):
            return None  # Padded: no iteration computes the elements of the padding.
        for theirs, ours in zip(known.results, map_.results, strict=True):
            if isinstance(ours, AffineDimExpr) and isinstance(theirs, AffineDimExpr):
                if found[ours.position] not in (None, theirs.position):
                    return None
                found[ours.position] = theirs.position
            elif isinstance(theirs, AffineDimExpr) and sizes[theirs.position] != 1:
                return None
    taken = [loop for loop in found if loop is not None]
    if len(set(taken)) < len(taken):
        return None
    return _place_rest(found, have, sizes)


def _place_rest(
    found: list[int | None], have: Sequence[int], sizes: Sequence[int]
) -> list[int | None] | None:
    """Assign a free loop of equal size to each undetermined loop."""
    free = [loop for loop in range(len(sizes)) if loop not in found]
    for position, size in enumerate(have):
        place = found[position]
        if place is not None:
            if sizes[place] != size:
                return None
            continue
        fitting = next((loop for loop in free if sizes[loop] == size), None)
        if fitting is not None:
            free.remove(fitting)
        elif size != 1:
            return None
        found[position] = fitting
    return found


def moved(map_: AffineMap, loops: Sequence[int | None], count: int) -> AffineMap:
    """A map over the loops of an op as a map over `count` loops of the group."""
    new = [ZERO if loop is None else dim(loop) for loop in loops]
    return map_.replace_dims_and_symbols(list[AffineExpr](new), [], count, 0)
