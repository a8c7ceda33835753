"""Structured loops: reading and building `linalg.generic`, and the kernels' forms.

A kernel is one group of `linalg` ops on tensors (later on memrefs). Its family says which
schedule takes it, and each family has one normal form; schedules handle nothing else.
`verify_kernels.py` checks it once the kernels work on memory.
Every group has one op whose `kernel.family` is set, the anchor.

On the CPU an input may be a part of a tensor: an index is then loop * step + start, or
`front(loop)`. A result may have a border: its index is loop + start (or `front(loop)`),
into a `linalg.fill` that stands before the op and belongs to the group; without a fill, the
gap behind `front(loop)` is never read (`pad-rows`). Where no operand gives a loop its size,
a `tensor.empty` does, whose block argument is unused.

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
    leading loops in order; then at most one epilogue.
attention
    Seven generics and their fills, kept as one by `kernel.chain`; leading loops are the
    heads, s the queries, t the keys: the contraction scores[s, t] += q[s, d] * k[t, d];
    one pointwise op over (s, t), which scales and masks, its first input the scores; the
    maximum over t, from the lowest finite number; exp(x - max); its sum over t; the
    contraction out[s, e] += exp[s, t] * v[t, e]; their quotient over (s, e). All f32.
    Only the last result is read outside.
window
    Perhaps `tensor.pad`, then `linalg.fill`, then the anchor, whose first input is read
    at d * stride + k * dilation: a convolution out += x * w (loops
    (n, [g,] o, h, w, c, kh, kw), or (n, c, h, w, kh, kw) when depthwise), or a pooling
    max(out, x) (loops (n, c, h, w, kh, kw)) whose second input is a `tensor.empty` that
    only gives the window's sizes (its block argument is unused); then at most one
    epilogue. With channels last (`layout "nhwc"`) there is no `tensor.pad`, and loops are
    (n, h, w, [g,] o, kh, kw, c), (n, h, w, c, kh, kw), and (n, h, w, c, kh, kw). A
    contraction that reads a part of a tensor is of this family too.
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
    One `linalg_ext.scan`.
scatter, sort, nms
    One `linalg_ext.scatter`, `linalg_ext.nms` or op of `linalg_ext/order.py`, on the CPU alone: loops
    in an order. For a GPU the `nn` ops of the first two are reductions and gathers.

An epilogue is one all-parallel generic over the anchor's parallel loops, in their order.
It reads the anchor's result by the identity map, and is then its only user: where others
need that value, the epilogue yields it too. Its own results have identity maps, perhaps
behind a border (after a gather, any). The accumulator of f16 and bf16 is f32, that of integers is their type.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, ShapedType, StringAttr
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from devproc.dialects.dev import device_of
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


def front(position: int) -> AffineExpr:
    """The loop `d<position>` where it ends before the dimension does.

    `linalg` takes an index that is a loop alone for one over the whole dimension; any
    expression may stop earlier, so this one is `d floordiv 1`.
    """
    one = AffineConstantExpr(1)
    return AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, dim(position), one)


def dims(*positions: int | None) -> tuple[AffineExpr, ...]:
    """Loops by position, None for the constant 0 of a broadcast dimension."""
    return tuple(ZERO if p is None else dim(p) for p in positions)


def maps_of(generic: Generic) -> list[AffineMap]:
    """The indexing maps, operand by operand (inputs, then outputs)."""
    return [attribute.data for attribute in generic.indexing_maps]


def is_parallel(generic: Generic) -> list[bool]:
    """For each loop, whether its iterations are independent."""
    return [kind.data is IteratorType.PARALLEL for kind in generic.iterator_types]


def loops_of(map_: AffineMap) -> list[int | None]:
    """The loop behind each dimension; None for a broadcast one or a window."""
    return [e.position if isinstance(e, AffineDimExpr) else None for e in map_.results]


def linear_sizes(generic: Generic) -> tuple[int, int, int] | None:
    """Rows, outputs and inputs of a linear layer in float32 whose weight is its second
    input; None for any other product."""
    maps, loops = maps_of(generic), len(is_parallel(generic))
    *leading, n, k = (dim(loop) for loop in range(loops))
    linear = [(*leading, k), (n, k), (*leading, n)]
    if [map_.results for map_ in maps] != linear:
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
    inputs = maps_of(generic)[: len(generic.inputs)]
    if any(isinstance(e, AffineBinaryOpExpr) for m in inputs for e in m.results):
        return "window"
    if is_multiply_add(generic) and not takes_matrices_once(generic):
        return "contraction"
    return "reduction"


def takes_matrices_once(generic: Generic) -> bool:
    """Whether a product of a CPU takes each number of its matrices once: each of them
    times one vector. Packing them would cost more than the product; a weight is packed
    before, and stays a contraction unless it is many matrices."""
    if device_of(generic.results[0].type) != "cpu":
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
    """The trip count of each loop: the size of the first dimension that it indexes alone.

    The same as xDSL's `get_static_loop_ranges`, in a fifth of the time.
    """
    sizes: dict[int, int] = {}
    maps = generic.indexing_maps.data
    for operand, attribute in zip(generic.operands, maps, strict=True):
        if isinstance(operand.type, ShapedType):
            for place, size in zip(attribute.data.results, operand.type.get_shape()):
                if isinstance(place, AffineDimExpr):
                    sizes.setdefault(place.position, size)
    return tuple(sizes[loop] for loop in range(len(generic.iterator_types.data)))


def sources_of(op: Operation) -> list[str]:
    """The names of the `nn` ops that an op of a kernel came from."""
    names = op.attributes.get(SOURCES)
    if not isinstance(names, ArrayAttr):
        return []
    return [cast(StringAttr, name).data for name in cast(ArrayAttr[Attribute], names)]


def sources_attribute(names: Sequence[str]) -> ArrayAttr[StringAttr]:
    """The attribute `kernel.sources`, each name once."""
    return ArrayAttr([StringAttr(name) for name in dict.fromkeys(names)])


def unsized_loops(maps: Sequence[AffineMap], count: int) -> list[int]:
    """The loops whose size follows from no operand: none is indexed by the loop alone."""
    plain = {e for map_ in maps for e in map_.results if isinstance(e, AffineDimExpr)}
    return [loop for loop in range(count) if dim(loop) not in plain]


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
) -> Generic:
    """A generic on tensors; `body` ends in its `linalg.yield`."""
    return GenericOp(
        inputs,
        outputs,
        Region(body),
        [AffineMapAttr(m) for m in maps],
        [PARALLEL if p else REDUCTION for p in parallel],
        [v.type for v in outputs],
    )
