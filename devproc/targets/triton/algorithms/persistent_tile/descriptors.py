"""Which factors of products descriptors can read, and their blocks."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import MemRefType, bf16, f16, f32
from xdsl.ir import SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.sched import PersistentTileSchedule
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_tile.roles import Contraction
from devproc.targets.triton.dialect.descriptors import (
    DESCRIPTOR_BYTES,
    MOST_DIMENSIONS,
    box_problem,
    strides_problem,
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
class Coordinate:
    """Loops that one index of a descriptor counts."""

    role: str
    """"batch", "outer" (rows of a left factor, columns of a right one) or "k"."""
    start: int
    stop: int
    """Of the loops of the role."""
    extent: int
    stride: int
    """In elements."""
    block: int
    """The positions of one block."""


@dataclass(frozen=True)
class Described:
    """A factor as a tensor whose last dimension is contiguous."""

    root: SSAValue
    offset: int
    """Of its first element in the memref."""
    coordinates: tuple[Coordinate, ...]


def described(
    nest: BlockNest, product: Contraction, index: int, schedule: PersistentTileSchedule
) -> Described | Refusal:
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
    coordinates = coordinates_of(product, index, form, schedule)
    if isinstance(coordinates, Refusal):
        return coordinates
    problem = strides_problem(element, [c.stride for c in coordinates])
    problem = problem or box_problem(element, tuple(c.block for c in coordinates))
    if form.constant * item_size(element) % DESCRIPTOR_BYTES:
        problem = "a factor does not begin at a multiple of 16 bytes"
    return Refusal(problem) if problem else Described(root, form.constant, coordinates)


def coordinates_of(
    product: Contraction, index: int, form: Linear, schedule: PersistentTileSchedule
) -> tuple[Coordinate, ...] | Refusal:
    """The coordinates of a factor, batches first and the contiguous one last."""
    is_left = index == product.a
    roles = {
        "batch": (product.batch, 1),
        "outer": (product.m, schedule.m) if is_left else (product.n, schedule.n),
        "k": (product.k, schedule.k),
    }
    found: dict[str, list[Coordinate]] = {}
    for role, (dims, block) in roles.items():
        extents = [product.generic.extents[d] for d in dims]
        found[role] = [
            Coordinate(role, start, stop, prod(extents[start:stop]), stride, block)
            for start, stop, stride in collapsed(dims, extents, dict(form.terms))
        ]
        if role != "batch" and [(c.start, c.stop) for c in found[role]] != [
            (0, len(dims))
        ]:
            return Refusal("the rows or terms of a factor have several strides")
    inner = sorted((*found["outer"], *found["k"]), key=lambda c: -c.stride)
    coordinates = (*found["batch"], *inner)
    if len(coordinates) > MOST_DIMENSIONS:
        return Refusal(f"a factor has more than {MOST_DIMENSIONS} strides")
    return coordinates
