"""Simplifies the operands of attention: masks that are bands, keys that are repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import dce

from devproc.dialects.dev import is_for_host_alone
from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.compare import AndOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp
from devproc.ir.text.location import copy_location
from devproc.ir.types import is_bool, tensor_of
from devproc.transforms.tensor.attention.bands import Bands


def replace(
    op: AttentionOp, rewriter: PatternRewriter, made: Sequence[Operation]
) -> None:
    """Replace an attention by ops, of which the last one computes the result."""
    for new in made:
        copy_location(op, new)
    rewriter.replace(op, made)


class RaiseBand(RewritePattern):
    """A mask of constants, or of comparisons of indices, to `band`.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda">} {
      func.func @main(%q: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
        %m = nn.constant dense<[[1, 0, 0], [1, 1, 0], [1, 1, 1]]> : tensor<3x3xi1> : tensor<3x3xi1>
        %r = nn.attention %q, %q, %q mask %m scale 1.0 : f64 empty 1
          : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<3x3xi1>) -> tensor<2x3x8xf32>
        func.return %r : tensor<2x3x8xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda">} {
      func.func @main(%q: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
        %r = nn.attention %q, %q, %q scale 1.0 : f64 empty 1 band [-2, 0]
          : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
        func.return %r : tensor<2x3x8xf32>
      }
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AttentionOp, rewriter: PatternRewriter, /) -> None:
        if op.mask is None or op.band is not None:
            return
        queries, keys = (tensor_of(v).get_shape()[-2] for v in (op.query, op.key))
        bands = Bands(queries, keys)
        found = bands.split(op.mask)
        if found is None or found.band.low > found.band.high:
            return
        is_bools = is_bool(tensor_of(op.mask).element_type)
        made: list[Operation] = []
        masks = list(found.rest)
        while len(masks) > 1:
            made.append((AndOp if is_bools else AddOp).build_op(masks[:2]))
            masks = [made[-1].results[0], *masks[2:]]
        properties = dict(op.properties)
        if found.band != bands.everything:
            limits = [found.band.low, found.band.high]
            properties["band"] = DenseArrayBase.from_list(i64, limits)
        operands = [op.query, op.key, op.value, *masks]
        replace(op, rewriter, [*made, AttentionOp.build_op(operands, properties)])


class GroupQueries(RewritePattern):
    """Keys and values that are repeated for several heads of queries, to keys and values
    that are broadcast over a dimension of the queries.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda">} {
      func.func @main(%q: tensor<6x3x8xf32>, %k: tensor<2x1x5x8xf32>) -> tensor<6x3x8xf32> {
        %e = nn.expand %k to [2, 3, 5, 8] : (tensor<2x1x5x8xf32>) -> tensor<2x3x5x8xf32>
        %h = nn.reshape %e to [6, 5, 8] : (tensor<2x3x5x8xf32>) -> tensor<6x5x8xf32>
        %r = nn.attention %q, %h, %h scale 1.0 : f64 empty 0
          : (tensor<6x3x8xf32>, tensor<6x5x8xf32>, tensor<6x5x8xf32>) -> tensor<6x3x8xf32>
        func.return %r : tensor<6x3x8xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cuda">} {
      func.func @main(%q: tensor<6x3x8xf32>, %k: tensor<2x1x5x8xf32>) -> tensor<6x3x8xf32> {
        %g = nn.reshape %q to [2, 3, 3, 8] : (tensor<6x3x8xf32>) -> tensor<2x3x3x8xf32>
        %a = nn.attention %g, %k, %k scale 1.0 : f64 empty 0
          : (tensor<2x3x3x8xf32>, tensor<2x1x5x8xf32>, tensor<2x1x5x8xf32>) -> tensor<2x3x3x8xf32>
        %r = nn.reshape %a to [6, 3, 8] : (tensor<2x3x3x8xf32>) -> tensor<6x3x8xf32>
        func.return %r : tensor<6x3x8xf32>
      }
    }
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AttentionOp, rewriter: PatternRewriter, /) -> None:
        key, value = repeated(op.key), repeated(op.value)
        shape = tensor_of(op.query).get_shape()
        if key is None or value is None or len(shape) < 3:
            return
        heads, repeats = tensor_of(key.result).get_shape()[-4:-2]
        if tensor_of(value.result).get_shape()[-4:-2] != (heads, repeats):
            return
        if shape[-3] != heads * repeats:
            return
        made: list[Operation] = []

        def split(x: SSAValue) -> SSAValue:
            *leading, count, rows, columns = tensor_of(x).get_shape()
            inner = (1, 1) if count == 1 else (heads, repeats)
            made.append(ReshapeOp.to(x, (*leading, *inner, rows, columns)))
            return made[-1].results[0]

        operands = [split(op.query), key.operand, value.operand]
        if op.mask is not None:
            is_flat = tensor_of(op.mask).get_num_dims() < 3
            operands.append(op.mask if is_flat else split(op.mask))
        made.append(AttentionOp.build_op(operands, op.properties))
        shape = tensor_of(op.result).get_shape()
        made.append(ReshapeOp.to(made[-1].results[0], shape))
        replace(op, rewriter, made)


def repeated(value: SSAValue) -> ExpandOp | None:
    """The expansion (..., heads, 1, rows, columns) to (..., heads, n, rows, columns) of
    which a value is a reshape to (..., heads * n, rows, columns)."""
    op = value.owner
    if not isinstance(op, ReshapeOp) or not isinstance(op.operand.owner, ExpandOp):
        return None
    expand, shape = op.operand.owner, tensor_of(value).get_shape()
    before, after = (tensor_of(v).get_shape() for v in (expand.operand, expand.result))
    if len(after) < 4 or len(before) != len(after):
        return None
    *leading, heads, repeats, rows, columns = after
    is_split = shape == (*leading, heads * repeats, rows, columns)
    return (
        expand if is_split and before == (*leading, heads, 1, rows, columns) else None
    )


@dataclass(frozen=True)
class SimplifyAttentionPass(ModulePass):
    """Read the masks and keys of attention as what they are, instead of tensors of them.

    `RaiseBand`: causal masks and sliding windows bound loops, and no mask is read.
    `GroupQueries`: keys that several heads share are in memory once.

    Not for programs of the CPU alone, whose algorithm finds hidden keys by reading the
    mask, and copies the keys of each head anyway.
    """

    name = "simplify-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if is_for_host_alone(op):
            return
        patterns = GreedyRewritePatternApplier([RaiseBand(), GroupQueries()])
        PatternRewriteWalker(patterns).rewrite_module(op)
        dce(op)
