"""Attention that a model spells out becomes one op."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.dev import TargetAttr
from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.base import int_of, ints, normalize_axis
from devproc.dialects.nn.compare import EqOp, WhereOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.pointwise import AddOp, DivOp, MulOp
from devproc.dialects.nn.reduction import ReduceMaxOp, SoftmaxOp
from devproc.dialects.nn.shape import TransposeOp
from devproc.dialects.nn_canonicalization.folding import constant_array
from devproc.ir.location import copy_location
from devproc.ir.types import tensor_of

MAX_KEYS = 160_000
"""Elements of a head's keys that still lie in the cache beside its scores."""

NONE = float("-inf")


@dataclass
class Scores:
    """A chain from a softmax back to the product of queries and keys."""

    product: MatmulOp
    scale: float
    masks: list[SSAValue]


def splat(value: SSAValue) -> float | None:
    """The one number of a constant; None for other values."""
    array = constant_array(value)
    if array is None or array.size == 0 or not bool(np.all(array == array.flat[0])):
        return None
    return float(array.flat[0])


def read_scores(value: SSAValue, readers: int) -> Scores | None:
    """The chain that makes scores; `readers` is how often the pattern reads them."""
    scale, masks = 1.0, list[SSAValue]()
    while value.uses.get_length() == readers:
        readers = 1
        op = value.owner
        match op:
            case MatmulOp():
                return Scores(op, scale, masks)
            case AddOp() if not masks:
                value, other = op.lhs, op.rhs
                if not _makes_scores(value):
                    value, other = other, value
                masks = [other]
                if scale != 1.0:
                    return None
            case WhereOp() if not masks and splat(op.rhs) == NONE and scale == 1.0:
                masks, value = [op.condition], op.lhs
            case MulOp() if (factor := splat(op.rhs)) is not None:
                scale, value = scale * factor, op.lhs
            case DivOp() if factor := splat(op.rhs):
                scale, value = scale / factor, op.lhs
            case _:
                return None
    return None


def _makes_scores(value: SSAValue) -> bool:
    """Whether the side of a sum leads to a product, and not to a mask."""
    while isinstance(value.owner, AddOp | MulOp | DivOp):
        value = value.owner.operands[0]
    return isinstance(value.owner, MatmulOp)


def read_softmax(value: SSAValue) -> tuple[SSAValue, int, bool] | None:
    """The scores behind a softmax over the last axis, how often it reads them, and
    whether rows without any give 0."""
    op, empty, readers = value.owner, False, 1
    if isinstance(op, WhereOp) and splat(op.lhs) == 0.0:
        # where(max == -inf, 0, softmax)
        found, inner = op.condition.owner, op.rhs.owner
        if not isinstance(found, EqOp) or splat(found.rhs) != NONE:
            return None
        most = found.lhs.owner
        if not isinstance(most, ReduceMaxOp) or not isinstance(inner, SoftmaxOp):
            return None
        last = tensor_of(most.operand).get_num_dims() - 1
        if most.operand is not inner.operand or ints(most.axes) != (last,):
            return None
        if any(r.uses.get_length() != 1 for r in (*found.results, *inner.results)):
            return None
        op, empty, readers = inner, True, 2
    if not isinstance(op, SoftmaxOp):
        return None
    rank = tensor_of(op.operand).get_num_dims()
    if normalize_axis(int_of(op.axis), rank) != rank - 1:
        return None
    return op.operand, readers, empty


class RaiseAttention(RewritePattern):
    """matmul(softmax(scores), value) to `nn.attention`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter, /) -> None:
        type_ = tensor_of(op.result)
        if type_.element_type != f32 or op.lhs.uses.get_length() != 1:
            return
        weights = read_softmax(op.lhs)
        if weights is None:
            return
        value, readers, empty = weights
        scores = read_scores(value, readers)
        if scores is None or not _pays(scores.product):
            return
        mask = scores.masks[0] if scores.masks else None
        rank = tensor_of(scores.product.rhs).get_num_dims()
        order = [*range(rank - 2), rank - 1, rank - 2]
        key = TransposeOp.by(scores.product.rhs, order)
        query = scores.product.lhs
        made: list[Operation] = [key]
        attention = AttentionOp.of(query, key.result, op.rhs, mask, scores.scale, empty)
        made.append(attention)
        if attention.result.type != op.result.type:
            return
        for new in made:
            copy_location(op, new)
        rewriter.replace(op, made)


def _pays(product: MatmulOp) -> bool:
    """Whether the head of a product fits the schedule."""
    *_, queries, depth = tensor_of(product.lhs).get_shape()
    keys = tensor_of(product.rhs).get_shape()[-1]
    if 0 in (queries, depth, keys) or queries * keys < 16:
        return False
    return -(-keys // 64) * 64 * depth <= MAX_KEYS


@dataclass(frozen=True)
class RaiseAttentionPass(ModulePass):
    """Find softmax(query @ key.T ...) @ value, and keep it as one op.

    Only where a program runs on the CPU alone: its schedule holds the scores of a few
    queries in the cache, instead of all scores in memory.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func @main(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x4xf32>)
          -> tensor<5x4xf32> {
        %kt = nn.transpose %k by [1, 0] : (tensor<7x8xf32>) -> tensor<8x7xf32>
        %s = nn.matmul %q, %kt : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
        %p = nn.softmax %s axis 1 : (tensor<5x7xf32>) -> tensor<5x7xf32>
        %r = nn.matmul %p, %v : (tensor<5x7xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
        func.return %r : tensor<5x4xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func @main(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x4xf32>)
          -> tensor<5x4xf32> {
        %kt = nn.transpose %k by [1, 0] : (tensor<7x8xf32>) -> tensor<8x7xf32>
        %key = nn.transpose %kt by [1, 0] : (tensor<8x7xf32>) -> tensor<7x8xf32>
        %r = nn.attention %q, %key, %v scale 1.0 : f64 empty 0
          : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x4xf32>) -> tensor<5x4xf32>
        func.return %r : tensor<5x4xf32>
      }
    }
    ```
    """

    name = "raise-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = op.attributes.get("devproc.target")
        if not isinstance(target, TargetAttr) or target.device_names != ("cpu",):
            return
        PatternRewriteWalker(RaiseAttention()).rewrite_module(op)
        erase_dead(op)


def erase_dead(module: ModuleOp) -> None:
    """Erase the scores that nothing reads any more."""
    for function in module.ops:
        for region in function.regions:
            for block in region.blocks:
                for op in reversed(list(block.ops)):
                    if op.results and not any(r.uses for r in op.results):
                        block.erase_op(op)
