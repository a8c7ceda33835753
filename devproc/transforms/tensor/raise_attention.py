"""Raises attention that a model writes as separate ops to one op."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i1
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import dce

from devproc.dialects.nn.attention import AttentionOp
from devproc.dialects.nn.compare import XorOp
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.ir.text.location import copy_location
from devproc.ir.types import AnyTensor, tensor, tensor_of
from devproc.transforms.tensor.attention_pattern import (
    Part,
    Scores,
    Weights,
    batch_of,
    is_single,
    read_scores,
    read_weights,
)
from devproc.transforms.tensor.decompositions.attention import is_kept
from devproc.transforms.tensor.raise_cached_attention import cached


class RaiseAttention(RewritePattern):
    """matmul(softmax(scores), value) to `nn.attention`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter, /) -> None:
        type_ = tensor_of(op.result)
        if type_.element_type != f32 or not is_single(op.lhs):
            return
        value, source = Part(op.rhs), op.lhs
        if isinstance(op.lhs.owner, ReshapeOp) and batch_of(op.lhs.owner):
            source = op.lhs.owner.operand
            value = Part(op.rhs, prod(tensor_of(op.lhs).get_shape()[:-2]))
        weights = read_weights(source)
        if weights is None or not is_single(source):
            return
        scores = read_scores(weights)
        if scores is None:
            return
        if not all(part.fits for part in (*scores.parts, value)):
            return
        made = build(scores, weights, value, type_)
        if not _is_kept(made, op.get_toplevel_object()):
            for new in reversed(made):
                new.erase()
            return
        for new in made:
            copy_location(op, new)
        rewriter.replace(op, made)


def build(
    scores: Scores, weights: Weights, value: Part, type_: AnyTensor
) -> list[Operation]:
    """Attention and the ops around it, in order; the last one computes the result."""
    made: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        made.append(op)
        return op.results[0]

    def aligned(part: Part) -> SSAValue:
        reshape = part.aligned(weights.leading)
        return part.value if reshape is None else add(reshape)

    columns = aligned(scores.columns)
    rank = tensor_of(columns).get_num_dims()
    key = add(TransposeOp.by(columns, [*range(rank - 2), rank - 1, rank - 2]))
    query, values = aligned(scores.query), aligned(value)
    masks = [aligned(part) for part in scores.masks]
    while len(masks) > 1:
        masks = [add(AddOp.build_op(masks[:2])), *masks[2:]]
    if scores.excludes:
        true = add(ConstantOp.of(tensor(i1, ()), [1]))
        masks = [add(XorOp.build_op([*masks, true]))]
    mask = masks[0] if masks else None
    result = add(AttentionOp.of(query, key, values, mask, scores.scale, weights.empty))
    if result.type != type_:
        add(ReshapeOp.to(result, type_.get_shape()))
    return made


def _is_kept(made: list[Operation], module: object) -> bool:
    """Whether the attention among these ops would not be decomposed again, as it is or as
    attention over a cache."""
    (op,) = (new for new in made if isinstance(new, AttentionOp))
    if is_kept(op, module):
        return True
    over_cache = cached(op, module)
    for new in reversed(over_cache or []):
        new.erase()
    return over_cache is not None


@dataclass(frozen=True)
class RaiseAttentionPass(ModulePass):
    """Replace softmax(query @ key.T ...) @ value by one op.

    Only if a device of the target has a kernel for it (`Backend.keeps`), which keeps the
    scores of a few queries in cache or registers, instead of all scores in memory.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
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
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
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
        PatternRewriteWalker(RaiseAttention()).rewrite_module(op)
        dce(op)
