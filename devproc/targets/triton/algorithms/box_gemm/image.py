"""The image and the filters of a convolution as tensors that descriptors read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import MemRefType, bf16, f16, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from devproc.algorithms.base import Refusal
from devproc.dialects.sched import BoxGemmSchedule
from devproc.targets.triton.algorithms.implicit_gemm.convolution import (
    Convolution,
    Sums,
    sums_of,
)
from devproc.targets.triton.transforms.to_triton.blocks_of_tensors import (
    Coordinate,
    Described,
)
from devproc.targets.triton.transforms.to_triton.flow import (
    Flow,
    Memory,
    Recomputed,
    substituted,
)
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
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
from devproc.targets.triton.transforms.to_triton.walk import Step


@dataclass(frozen=True)
class Boxes:
    """A convolution whose factors descriptors read."""

    convolution: Convolution
    steps: Sequence[Step]
    """The position of each op in the results."""
    image: Described
    places: Sequence[Linear]
    """The image, row and column that a result and a tap need."""
    filters: Described
    filter_roles: Sequence[str]
    """What each coordinate of the filters counts: "taps", "terms" or "outer"."""


def boxes_of(nest: BlockNest, schedule: BoxGemmSchedule) -> Boxes | Refusal:
    """The boxes of a nest's convolution, or why descriptors cannot read them."""
    sums = sums_of(nest)
    if isinstance(sums, Refusal):
        return sums
    if len(sums.products) != 1:
        return Refusal("it has several products")
    (found,) = sums.products
    roles, product = found.roles, found.roles.generic
    if len(roles.m) != 3 or len(found.inner) != 1 or roles.sizes[-1] > 1:
        return Refusal("it has groups, or too few channels")
    source = image_of(nest, sums)
    if isinstance(source, Refusal):
        return source
    root, exprs = source
    forms = [linear_form(expr) for expr in exprs]
    places = [form for form in forms[:-1] if form is not None]
    steps = [dict(form.terms).get(d) for form, d in zip(places, roles.m, strict=False)]
    if steps != [1, 1, 1] or forms[-1] != Linear(((found.inner[0], 1),)):
        return Refusal("the pixels of a tap do not lie next to each other")
    blocks = 1, schedule.rows, schedule.columns, schedule.k
    type_ = memref_of(root)
    sizes = zip(type_.get_shape(), strides_of(type_), blocks, strict=True)
    image = Described(root, 0, [Coordinate(*size) for size in sizes])
    filters = filters_of(nest, found, schedule)
    if isinstance(filters, Refusal):
        return filters
    problem = image.problem or filters[0].problem
    is_known = {memref_of(v).element_type for v in product.inputs} <= {f32, f16, bf16}
    if problem is not None or not is_known:
        return Refusal(problem or "descriptors read f32, f16 and bf16")
    return Boxes(found, sums.steps, image, places, *filters)


def image_of(
    nest: BlockNest, found: Sums
) -> tuple[SSAValue, Sequence[AffineExpr]] | Refusal:
    """The image in memory, and the indices into it, which may be outside of it: by a copy
    into one with a border of zeros, or without padding."""
    generic, index = found.roles.generic, found.roles.a
    flow = Flow(nest.arguments, nest.anchor)
    for step in found.steps:
        if step.generic is generic:
            break
        flow.write(step.generic, step.dims)
    value, map_ = generic.inputs[index], generic.maps[index]
    source = flow.source(value, map_.results, named=True)
    if isinstance(source, Memory):
        is_whole = memref_of(value) == memref_of(source.root)
        return (source.root, map_.results) if is_whole else Refusal("a view is read")
    if not isinstance(source, Recomputed) or not source.bounds or source.padding != 0:
        return Refusal("the image is computed by its kernel")
    writer = source.stored.writer
    read, root = writer.inputs[0], root_of(writer.inputs[0])
    is_copy = (
        flow.of(source.stored).is_load(writer)
        and memref_of(read) == memref_of(root)
        and writer.extents == tuple(memref_of(root).get_shape())
        and writer.maps[0] == AffineMap.identity(len(writer.extents))
    )
    if not is_copy:
        return Refusal("the image is computed by its kernel")
    return root, substituted(writer.maps[0].results, source.dims)


def filters_of(
    nest: BlockNest, found: Convolution, schedule: BoxGemmSchedule
) -> tuple[Described, Sequence[str]] | Refusal:
    """The filters as a tensor of taps, terms and output channels in any order."""
    roles, generic = found.roles, found.roles.generic
    value = generic.inputs[roles.b]
    root = root_of(value)
    written = {root_of(v) for other in nest.generics for v in other.outputs}
    is_buffer = isinstance(value.type, MemRefType) and root in nest.arguments
    if not is_buffer or root in written:
        return Refusal("the filters are computed by their kernel")
    loops = {
        "taps": (found.taps, 1),
        "terms": (found.inner, schedule.k),
        "outer": (roles.n, schedule.n),
    }
    coordinates: list[tuple[Coordinate, str]] = []
    for role, (dims, block) in loops.items():
        stride = stride_of(generic, roles.b, dims)
        if stride is None:
            return Refusal("the taps or channels of filters have several strides")
        extent = prod(generic.extents[d] for d in dims)
        if extent > 1 or role != "taps":
            coordinates.append((Coordinate(extent, stride, block), role))
    coordinates.sort(key=lambda pair: -pair[0].stride)
    return Described(root, 0, [c for c, _ in coordinates]), [r for _, r in coordinates]


def stride_of(generic: Generic, index: int, dims: Sequence[int]) -> int | None:
    """The stride with which one joint index of loops addresses an input; None if there is
    none."""
    memory = strides_of(memref_of(generic.inputs[index]))
    places = zip(generic.maps[index].results, memory, strict=True)
    strides = {e.position: s for e, s in places if isinstance(e, AffineDimExpr)}
    extents = [generic.extents[d] for d in dims]
    runs = collapsed(dims, extents, strides)
    if prod(extents) == 1:
        return 1
    return runs[0][2] if [run[:2] for run in runs] == [(0, len(dims))] else None
