"""Which factors of products descriptors can read, and their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import MemRefType, bf16, f16, f32

from devproc.algorithms.base import Refusal
from devproc.dialects.sched import PersistentTileSchedule
from devproc.targets.triton.algorithms.block_tile.roles import Contraction
from devproc.targets.triton.transforms.to_triton.blocks_of_tensors import (
    Coordinate,
    Described,
)
from devproc.targets.triton.transforms.to_triton.generic import (
    memref_of,
    root_of,
    strides_of,
)
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.space import (
    Linear,
    collapsed,
    linear_form,
)


@dataclass(frozen=True)
class OfLoops(Coordinate):
    """A coordinate that counts some loops of a product."""

    role: str
    """"batch", "outer" (rows of a left factor, columns of a right one) or "k"."""
    start: int
    stop: int
    """Of the loops of the role."""


@dataclass(frozen=True)
class Factor(Described):
    """An input of a product as a tensor."""

    loops: Sequence[OfLoops]
    """The coordinates."""


def described(
    nest: BlockNest, product: Contraction, index: int, schedule: PersistentTileSchedule
) -> Factor | Refusal:
    """An input of a product as a tensor, or why no descriptor can read it."""
    generic = product.generic
    value = generic.inputs[index]
    root = root_of(value)
    written = {root_of(v) for other in nest.generics for v in other.outputs}
    if not isinstance(value.type, MemRefType) or root in written:
        return Refusal("a factor is computed by its kernel")
    element = memref_of(value).element_type
    if root not in nest.arguments or element not in (f32, f16, bf16):
        return Refusal("a factor is no buffer of f32, f16 or bf16")
    form = Linear(())
    for expr, stride in zip(
        generic.maps[index].results, strides_of(memref_of(value)), strict=True
    ):
        part = linear_form(expr)
        if part is None:
            return Refusal("a factor is read at computed indices")
        form = form.plus(part, stride)
    loops = coordinates_of(product, index, form, schedule)
    if isinstance(loops, Refusal):
        return loops
    factor = Factor(root, form.constant, loops, loops)
    return factor if factor.problem is None else Refusal(factor.problem)


def coordinates_of(
    product: Contraction, index: int, form: Linear, schedule: PersistentTileSchedule
) -> Sequence[OfLoops] | Refusal:
    """The coordinates of a factor, batches first and the contiguous one last."""
    is_left = index == product.a
    roles = {
        "batch": (product.batch, 1),
        "outer": (product.m, schedule.m) if is_left else (product.n, schedule.n),
        "k": (product.k, schedule.k),
    }
    found: dict[str, list[OfLoops]] = {}
    for role, (dims, block) in roles.items():
        extents = [product.generic.extents[d] for d in dims]
        found[role] = [
            OfLoops(prod(extents[start:stop]), stride, block, role, start, stop)
            for start, stop, stride in collapsed(dims, extents, dict(form.terms))
        ]
        if role != "batch" and [(c.start, c.stop) for c in found[role]] != [
            (0, len(dims))
        ]:
            return Refusal("the rows or terms of a factor have several strides")
    inner = sorted((*found["outer"], *found["k"]), key=lambda c: -c.stride)
    return [*found["batch"], *inner]
