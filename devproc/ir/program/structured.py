"""Structured loops: reading and building `linalg.generic`, and the kernels' forms.

A kernel is one group of `linalg` ops on tensors (later on memrefs). Its family says which
schedule takes it, and each family has one normal form; schedules handle nothing else.
`verify_kernels.py` checks it once the kernels work on memory.
Every group has one op whose `kernel.family` is set, the anchor.

On the CPU an operand may be longer than the loops that walk it: an input that is a slice,
at loop * step + start; a result with a border, at loop + start into a `linalg.fill` that
stands before the op and belongs to the group; rows with a gap after each, which nothing
reads (`pad-rows`). The generic then says the sizes of its loops (`linalg_ext.generic`), and
so it does where no operand gives a loop its size.

pointwise
    One generic, all loops parallel, one or more results. Operand maps are projected
    permutations, where a broadcast dimension is the constant 0; a result's map is a
    permutation of all loops, where a dimension of size 1 may be the constant 0.
reduction
    Generics in order over one domain: the leading loops are the rows, the others the
    columns. A generic has either all loops (the columns are all "reduction" or all
    "parallel") or the rows alone. Reductions accumulate into a `linalg.fill`. Row values
    that keep their reduced dimensions are indexed with the constant 0 there. Softmax:
    max over columns, exp(x - max), sum over columns, quotient. Argmax: one generic with
    the results (value, index), the first unused. On the CPU also out += a * b where
    each matrix, if it is no packed weight, meets one vector.
contraction
    `linalg.fill` with zero, then the anchor: out += a * b with two inputs, loops
    (parallel..., k), maps projected permutations (0 where broadcast), output map the
    leading loops in order; on a GPU perhaps another fill and product with the same `a`,
    loops and maps, or more products (below); then at most one epilogue.
vector_product
    A reduction of one row, whose result is the `a` of the contraction that follows: a
    matrix, or two, that is multiplied by it. GPU alone.
attention
    Seven generics and their fills, kept as one by `kernel.chain`; leading loops are the
    heads, s the queries, t the keys: the contraction scores[s, t] += q[s, d] * k[t, d];
    one pointwise op over (s, t), which scales and masks, its first input the scores; the
    maximum over t, from the lowest finite number; exp(x - max); its sum over t; the
    contraction out[s, e] += exp[s, t] * v[t, e]; their quotient over (s, e). All f32.
    On the CPU k and v may be int8 and have a third input as a factor, the scale of a row.
    Only the last result is read outside.
window
    Perhaps `tensor.pad`, then `linalg.fill`, then the anchor, whose first input is read
    at d * stride + k * dilation: a convolution out += x * w (loops
    (n, [g,] o, h, w, c, kh, kw), or (n, c, h, w, kh, kw) when depthwise), or a pooling
    max(out, x) (loops (n, c, h, w, kh, kw)) whose second input is a `tensor.empty` that
    only gives the window's sizes (its block argument is unused); then at most one
    epilogue. With channels last (`layout "nhwc"`) there is no `tensor.pad` in programs of
    the CPU alone, and loops are (n, h, w, [g,] o, kh, kw, c), (n, h, w, c, kh, kw), and
    (n, h, w, c, kh, kw); parts of a sum on a GPU are as groups. A
    contraction that reads a part of a tensor is of this family too. On a GPU perhaps more
    products (below), of which one at least is a convolution.
bottleneck
    Three windows with channels last, each with at most one epilogue, all f32: an
    expansion (1x1, or of few channels), a depthwise window without dilation that reads
    its result, which may have a border, and a projection (1x1) of that one's. Nothing
    else reads what lies between. CPU alone.
gather
    Perhaps `linalg.fill`, then the anchor, whose body reads a captured tensor by
    `tensor.extract` at computed indices (`memref.load` after bufferization); loops
    (parallel..., [taps]); then at most one epilogue, whose output maps may permute.
scan
    One op of `linalg_ext/scan.py`.
scatter, sort, nms
    One op of `linalg_ext/sequential.py` or `linalg_ext/order.py`. On the CPU its loops are in
    an order; a GPU has the ops whose parts are independent, and few updates of a scatter
    that is not into a state are a reduction there.

An epilogue is one all-parallel generic over the anchor's parallel loops, in their order.
It reads the anchor's result, or those of two products, by the identity map, and is then
its only user: where others need that value, the epilogue yields it too. Its own results
have identity maps, perhaps behind a border (after a gather, any). The accumulator of f16
and bf16 is f32, that of integers is their type.

On a GPU a contraction or window may have several products with different factors, maps and
sums, but the same parallel loops. Each after the first accumulates into the result of one
before, or into a fill of its own; then an elementwise op may come before it that computes
what the epilogue reads of the products so far. Nothing else reads their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    ShapedType,
    StringAttr,
)
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import Rewriter

from devproc.dialects.dev import device_of
from devproc.dialects.linalg_ext.generic import SizedGenericOp
from devproc.ir.devices import HOST
from devproc.ir.program.weight_values import weight_behind
from devproc.ir.types import dtype_name, tensor_of

Generic: TypeAlias = GenericOp

GROUP, FAMILY, SOURCES = "kernel.group", "kernel.family", "kernel.sources"
"""Attributes of the ops of a kernel: its number, its family, the `nn` ops it came from."""

CHAIN = "kernel.chain"
"""Attribute of ops that are one kernel from the beginning: the chain they belong to."""

PARALLEL = IteratorTypeAttr.parallel()
REDUCTION = IteratorTypeAttr.reduction()

ZERO = AffineConstantExpr(0)


@cache
def dim(position: int) -> AffineDimExpr:
    """The loop `d<position>` in a map."""
    return AffineDimExpr(position)


def dims(*positions: int | None) -> tuple[AffineExpr, ...]:
    """Loops by position, None for the constant 0 of a broadcast dimension."""
    return tuple(ZERO if p is None else dim(p) for p in positions)


def maps_of(generic: Generic) -> list[AffineMap]:
    """The indexing maps, operand by operand (inputs, then outputs)."""
    return [attribute.data for attribute in generic.indexing_maps]


def is_parallel(generic: Generic) -> list[bool]:
    """For each loop, whether its iterations are independent."""
    return [kind.data is IteratorType.PARALLEL for kind in generic.iterator_types]


def loops_of(generic: Generic, index: int) -> list[int | None]:
    """The loop that walks each dimension of an operand whole; None for a broadcast
    dimension, a window or a slice."""
    sizes, shape = loop_sizes(generic), shape_of(generic.operands[index])
    return [
        e.position
        if isinstance(e, AffineDimExpr) and sizes[e.position] == size
        else None
        for e, size in zip(maps_of(generic)[index].results, shape, strict=True)
    ]


def is_slice(map_: AffineMap, value: SSAValue, sizes: Sequence[int]) -> bool:
    """Whether loops of these sizes walk a part of a value, or several loops a dimension."""
    return any(
        isinstance(e, AffineBinaryOpExpr)
        or (isinstance(e, AffineDimExpr) and sizes[e.position] != size)
        for e, size in zip(map_.results, shape_of(value), strict=True)
    )


def writes_in_order(generic: Generic) -> bool:
    """Whether the one result is indexed by all loops in their order, and is no longer."""
    (map_,), (value,) = maps_of(generic)[len(generic.inputs) :], generic.outputs
    is_identity = map_ == AffineMap.identity(map_.num_dims)
    return is_identity and shape_of(value) == loop_sizes(generic)


def reads_whole(generic: Generic) -> bool:
    """Whether the loops of a product reach the end of each dimension of its first input:
    no window more would fit in, and no term is left."""
    map_, kinds = maps_of(generic)[0], is_parallel(generic)
    more = [
        size if kinds[loop] or dim(loop) in map_.results else size - 1
        for loop, size in enumerate(loop_sizes(generic))
    ]
    places = zip(map_.eval(more, []), shape_of(generic.inputs[0]), strict=True)
    return all(place >= size for place, size in places)


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor or memref; that of a scalar has no dimensions."""
    return value.type.get_shape() if isinstance(value.type, ShapedType) else ()


def linear_sizes(generic: Generic) -> tuple[int, int, int] | None:
    """Rows, outputs and inputs of a linear layer in float32 whose weight is its second
    input; None for any other product."""
    maps, loops = maps_of(generic), len(is_parallel(generic))
    *leading, n, k = (dim(loop) for loop in range(loops))
    linear = [(*leading, k), (n, k), (*leading, n)]
    if [map_.results for map_ in maps] != linear or isinstance(generic, SizedGenericOp):
        return None
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    if {dtype_name(type_.element_type) for type_ in types} != {"float32"}:
        return None
    outputs, inputs = types[1].get_shape()
    return prod(types[0].get_shape()[:-1]), outputs, inputs


def is_pointwise(generic: Generic) -> bool:
    """Whether all loops are parallel and the body reads no captured tensor."""
    return all(is_parallel(generic)) and not reads_captured(generic)


def reads_captured(generic: Generic) -> bool:
    """Whether the body reads a tensor (or memref) by computed indices."""
    return any(
        isinstance(op, tensor.ExtractOp | memref.LoadOp)
        for op in generic.body.block.ops
    )


def captured(generic: Generic) -> list[SSAValue]:
    """Values from outside that the body uses, each once, in order."""
    block = generic.body.block
    found: dict[SSAValue, None] = {}
    for op in block.ops:
        for operand in op.operands:
            owner = operand.owner
            # The parent of an op is a block, that of another block a region.
            if owner is not block and owner.parent is not block:
                found[operand] = None
    return list(found)


def yields_of(generic: Generic) -> Sequence[SSAValue]:
    """What the body yields, one value for each output."""
    last = generic.body.block.last_op
    assert isinstance(last, YieldOp)
    return last.operands


def is_multiply_add(generic: Generic) -> bool:
    """Whether the body is out + a * b, widening conversions aside."""
    yielded = yields_of(generic)
    if len(yielded) != 1 or len(generic.inputs) != 2:
        return False
    add = yielded[0].owner
    if not isinstance(add, arith.AddfOp | arith.AddiOp):
        return False
    factors = {o.owner for o in add.operands if o is not generic.body.block.args[-1]}
    return len(factors) == 1 and isinstance(
        next(iter(factors)), arith.MulfOp | arith.MuliOp
    )


def classify(generic: Generic) -> str:
    """The family of the kernel that this generic would be the anchor of."""
    if reads_captured(generic):
        return "gather"
    if all(is_parallel(generic)):
        return "pointwise"
    sizes, maps = loop_sizes(generic), maps_of(generic)
    if any(
        is_slice(map_, value, sizes)
        for map_, value in zip(maps, generic.inputs, strict=False)
    ):
        return "window"
    if is_multiply_add(generic) and not takes_matrices_once(generic):
        return "contraction"
    return "reduction"


def takes_matrices_once(generic: Generic) -> bool:
    """Whether a product of a CPU takes each number of its matrices once: each of them
    times one vector. Packing them would cost more than the product; a weight is packed
    before, and stays a contraction unless it is many matrices."""
    if device_of(generic.results[0].type) != HOST:
        return False
    left, right = (_used_loops(generic, map_) for map_ in maps_of(generic)[:2])
    if left - right and right - left:
        return False
    return bool(left & right) or not any(map(weight_behind, generic.inputs))


def _used_loops(generic: Generic, map_: AffineMap) -> set[int]:
    """The parallel loops of more than one trip that index an operand."""
    sizes, parallel = loop_sizes(generic), is_parallel(generic)
    used = {d for e in map_.results for d in e.used_dims()}
    return {d for d in used if parallel[d] and sizes[d] > 1}


def loop_sizes(generic: Generic) -> tuple[int, ...]:
    """The trip count of each loop: as the op says, else the size of the
    first dimension that it indexes alone.

    The latter is xDSL's `get_static_loop_ranges` in a fifth of the time.
    """
    if isinstance(generic, SizedGenericOp):
        return generic.get_static_loop_ranges()
    sizes: dict[int, int] = {}
    for place, size in loops_alone(generic):
        sizes.setdefault(place, size)
    return tuple(sizes[loop] for loop in range(len(generic.iterator_types.data)))


def loops_alone(generic: Generic) -> Iterator[tuple[int, int]]:
    """The loops that index a dimension alone, each with the size of that one."""
    maps = generic.indexing_maps.data
    for operand, attribute in zip(generic.operands, maps, strict=True):
        for place, size in zip(attribute.data.results, shape_of(operand)):
            if isinstance(place, AffineDimExpr):
                yield place.position, size


def sources_of(op: Operation) -> list[str]:
    """The names of the `nn` ops that an op of a kernel came from."""
    names = op.attributes.get(SOURCES)
    if not isinstance(names, ArrayAttr):
        return []
    return [cast(StringAttr, name).data for name in cast(ArrayAttr[Attribute], names)]


def sources_attribute(names: Sequence[str]) -> ArrayAttr[StringAttr]:
    """The attribute `kernel.sources`, each name once."""
    return ArrayAttr([StringAttr(name) for name in dict.fromkeys(names)])


def broadcast_map(shape: Sequence[int], result: Sequence[int]) -> AffineMap:
    """How an operand of `shape` is read in loops over `result` (NumPy's rule)."""
    offset = len(result) - len(shape)
    return AffineMap(
        len(result),
        0,
        dims(
            *(
                offset + axis if size == result[offset + axis] else None
                for axis, size in enumerate(shape)
            )
        ),
    )


def make_generic(
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    parallel: Sequence[bool],
    body: Block,
    sizes: Sequence[int] | None = None,
) -> Generic:
    """A generic on tensors; `body` ends in its `linalg.yield`.

    `sizes` are those of the loops where the operands may not give them.
    """
    generic = GenericOp(
        inputs,
        outputs,
        Region(body),
        [AffineMapAttr(m) for m in maps],
        [PARALLEL if p else REDUCTION for p in parallel],
        [v.type for v in outputs],
    )
    return generic if sizes is None else with_sizes(generic, sizes)


def with_sizes(generic: Generic, sizes: Sequence[int]) -> Generic:
    """The op, where its operands give its loops these sizes; else one that says them, which
    takes over its body and stands in its place."""
    if set(loops_alone(generic)) == set(enumerate(sizes)):
        return generic
    new = SizedGenericOp(
        generic.inputs,
        generic.outputs,
        generic.detach_region(generic.body),
        generic.indexing_maps,
        generic.iterator_types,
        generic.result_types,
    )
    new.attributes |= generic.attributes
    new.set_sizes(sizes)
    new.location = generic.location
    if generic.parent is None:
        generic.drop_all_references()
    else:
        Rewriter.replace_op(generic, new)
    return new
