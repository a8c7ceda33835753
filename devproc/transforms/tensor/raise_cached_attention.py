"""Raises attention over a static cache to one that reads only the rows in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import dce

from devproc.dialects.nn.attention import AttentionOp, CachedAttentionOp
from devproc.dialects.nn.base import int_attr
from devproc.dialects.nn.compare import AndOp, XorOp
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp
from devproc.ir.text.location import copy_location
from devproc.ir.types import is_bool, tensor, tensor_of
from devproc.transforms.tensor.attention.bounds import BoundedMask, bounded
from devproc.transforms.tensor.attention.positions import sum_of
from devproc.transforms.tensor.attention.storage import scaled_rows, shape_of, stored
from devproc.transforms.tensor.decompositions.attention import is_kept
from devproc.transforms.tensor.simplify_attention import repeated

Shape: TypeAlias = tuple[int, ...]


class RaiseCachedAttention(RewritePattern):
    """`nn.attention` whose mask bounds the keys by a position, to
    `nn.cached_attention`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AttentionOp, rewriter: PatternRewriter, /) -> None:
        made = cached(op, op.get_toplevel_object())
        if made is not None:
            for new in made:
                copy_location(op, new)
            rewriter.replace(op, made)


def cached(
    op: AttentionOp, module: object, softcap: float | None = None
) -> list[Operation] | None:
    """Attention over a cache and the ops around it, of which the last one computes the
    result; None if the keys are not bounded, or no device has a kernel for it. `softcap` is
    that of the scores, which `nn.attention` lacks."""
    if op.mask is None or op.band is not None or op.parts is not None:
        return None
    found = bounded(op.mask, tensor_of(op.key).get_shape()[-2])
    if found is None:
        return None
    made = Builder(op, found, softcap).build()
    (attention,) = (new for new in made if isinstance(new, CachedAttentionOp))
    if is_kept(attention, module):
        return made
    for new in reversed(made):
        new.erase()
    return None


class Builder:
    """Builds the op, in which the queries that share keys are rows of one matrix."""

    def __init__(self, op: AttentionOp, found: BoundedMask, softcap: float | None):
        self.op, self.found, self.softcap = op, found, softcap
        self.made: list[Operation] = []
        self.query, self.key, self.value = op.query, op.key, op.value
        self.scales: list[SSAValue] = []
        self.last = sum_of(found.last, self.add)
        self.mask = self._mask()

    def add(self, op: Operation) -> SSAValue:
        """Append an op of one result."""
        self.made.append(op)
        return op.results[0]

    def reshaped(self, value: SSAValue, shape: Shape) -> SSAValue:
        """The value with another shape."""
        is_same = shape_of(value) == shape
        return value if is_same else self.add(ReshapeOp.to(value, shape))

    def build(self) -> list[Operation]:
        """The ops, in order."""
        self.key, self.value = (stored(v, self.add) for v in (self.key, self.value))
        self._split_heads()
        self._join_rows()
        self._take_scales()
        properties = {name: self.op.properties[name] for name in ("scale", "empty")}
        if not self.found.is_exact:
            # Such a mask shows all keys to a query that sees none: rather NaN than 0.
            properties["empty"] = int_attr(0)
        if self.found.window is not None:
            properties["window"] = IntegerAttr(self.found.window, i64)
        if self.softcap is not None:
            properties["softcap"] = FloatAttr(self.softcap, f64)
        operands = [self.query, self.key, self.value, self.last]
        masks = [] if self.mask is None else [self.mask]
        sizes = [1] * len(operands) + [len(self.scales), len(masks)]
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
        operands += [*self.scales, *masks]
        result = self.add(CachedAttentionOp.build_op(operands, properties))
        self.reshaped(result, shape_of(self.op.result))
        return self.made

    def _mask(self) -> SSAValue | None:
        """What else the mask hides, or adds."""
        total: SSAValue | None = None
        for part in self.found.masks:
            value = self.reshaped(part.value, part.shape)
            if part.negated:
                true = self.add(ConstantOp.of(tensor(i1, ()), [1]))
                value = self.add(XorOp.build_op([value, true]))
            if total is not None:
                join = AndOp if is_bool(tensor_of(value).element_type) else AddOp
                value = self.add(join.build_op([total, value]))
            total = value
        return total

    def _take_scales(self) -> None:
        """Keys and values in int8 and the scales of their rows, instead of products."""
        pairs = [scaled_rows(value) for value in (self.key, self.value)]
        found = [pair for pair in pairs if pair is not None]
        if len(found) < len(pairs):
            return
        shapes = [shape_of(self.key), shape_of(self.value)]
        self.key, self.value = (
            self.reshaped(numbers, shape)
            for (numbers, _), shape in zip(found, shapes, strict=True)
        )
        self.scales = [
            self.reshaped(scales, (*shape[:-1], 1))
            for (_, scales), shape in zip(found, shapes, strict=True)
        ]

    def _split_heads(self) -> None:
        """Keys and values that are repeated for several heads, before they are."""
        key, value = repeated(self.key), repeated(self.value)
        if key is None or value is None:
            return
        heads, repeats = sizes = shape_of(key.result)[-4:-2]
        is_one = shape_of(value.result)[-4:-2] == sizes
        if not is_one or shape_of(self.query)[-3] != heads * repeats:
            return

        def split(x: SSAValue, inner: int) -> SSAValue:
            shape = shape_of(x)
            if len(shape) <= inner:
                return x
            at = len(shape) - inner
            both = sizes if shape[at - 1] > 1 else (1, 1)
            return self.reshaped(x, (*shape[: at - 1], *both, *shape[at:]))

        self.query, self.last = split(self.query, 2), split(self.last, 1)
        self.key, self.value = key.operand, value.operand
        self.mask = None if self.mask is None else split(self.mask, 2)

    def _join_rows(self) -> None:
        """The queries of a dimension for which keys and values are broadcast, as rows."""
        *outer, count, rows, depth = (1, *shape_of(self.query))[
            -max(3, len(shape_of(self.query))) :
        ]
        shapes = [shape_of(self.key), shape_of(self.value)]
        if count == 1 or any(len(s) > 2 and s[-3] > 1 for s in shapes):
            return
        self.query = self.reshaped(self.query, (*outer, count * rows, depth))
        self.key, self.value = (
            self.reshaped(v, (*shape_of(v)[:-3], *shape_of(v)[-2:]))
            for v in (self.key, self.value)
        )

        def joined(x: SSAValue, inner: int) -> SSAValue:
            shape = shape_of(x)
            shape = (1,) * (inner + 1 - len(shape)) + shape
            at = len(shape) - inner
            *before, first, second = shape[: at + 1]
            after = shape[at + 1 :]
            if (first, second) != (1, 1):
                whole = (*before, count, rows, *after)
                x = self.add(ExpandOp.to(self.reshaped(x, shape), whole))
                first, second = count, rows
            return self.reshaped(x, (*before, first * second, *after))

        self.last = joined(self.last, 1)
        self.mask = None if self.mask is None else joined(self.mask, 2)


@dataclass(frozen=True)
class RaiseCachedAttentionPass(ModulePass):
    """Read only the rows of a static cache that are in use.

    A model masks the rows of a cache after its position. Where a device of the target has
    a kernel for it (`Backend.keeps`), that bound is read at run time instead, from the
    tensor of positions that the mask is made of. Keys that several heads of queries share
    are read once, and keys and values are read as they are stored, before a cast.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%q: tensor<2x3x8xf32>, %k: tensor<2x4x8xf32>, %pos: tensor<3xi64>) -> tensor<2x3x8xf32> {
        %t = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
        %p = nn.reshape %pos to [3, 1] : (tensor<3xi64>) -> tensor<3x1xi64>
        %m = nn.le %t, %p : (tensor<4xi64>, tensor<3x1xi64>) -> tensor<3x4xi1>
        %r = nn.attention %q, %k, %k mask %m scale 1.0 : f64 empty 1
          : (tensor<2x3x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<3x4xi1>) -> tensor<2x3x8xf32>
        func.return %r : tensor<2x3x8xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%q: tensor<2x3x8xf32>, %k: tensor<2x4x8xf32>, %pos: tensor<3xi64>) -> tensor<2x3x8xf32> {
        %r = nn.cached_attention %q, %k, %k last %pos scale 1.0 : f64 empty 1
          : (tensor<2x3x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<3xi64>) -> tensor<2x3x8xf32>
        func.return %r : tensor<2x3x8xf32>
      }
    }
    ```
    """

    name = "raise-cached-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(RaiseCachedAttention()).rewrite_module(op)
        dce(op)
