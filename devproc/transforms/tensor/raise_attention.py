"""Raises attention that a model writes as separate ops to one op."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32, i1
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
from devproc.dialects.nn.pointwise import AddOp, CastOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.ir.text.location import copy_location
from devproc.ir.types import AnyTensor, tensor, tensor_of
from devproc.transforms.tensor.attention.pattern import (
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
        is_half = type_.element_type in (bf16, f16)
        if not (is_half or type_.element_type == f32) or not is_single(op.lhs):
            return
        value, source = Part(op.rhs), op.lhs
        if isinstance(source.owner, ReshapeOp) and batch_of(source.owner):
            source = source.owner.operand
            value = Part(op.rhs, prod(tensor_of(op.lhs).get_shape()[:-2]))
        if is_half and isinstance(source.owner, CastOp) and is_single(source):
            source = source.owner.operand
        weights = read_weights(source)
        if weights is None or not is_single(source):
            return
        scores = read_scores(weights, is_half)
        if scores is None or not _has_element(scores, type_):
            return
        if not all(part.fits for part in (*scores.parts, value)):
            return
        made = build(scores, weights, value, type_)
        if is_half or scores.softcap is not None:
            made = _over_cache(made, scores.softcap, op.get_toplevel_object())
        elif not _is_kept(made, op.get_toplevel_object()):
            for new in reversed(made):
                new.erase()
            return
        if not made:
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


def _has_element(scores: Scores, type_: AnyTensor) -> bool:
    """Whether queries and keys have the dtype of the result."""
    factors = (scores.query.value, scores.columns.value)
    return all(tensor_of(v).element_type == type_.element_type for v in factors)


def _over_cache(
    made: list[Operation], softcap: float | None, module: object
) -> list[Operation]:
    """The ops with attention over a cache instead; none, if it is over no cache."""
    (op,) = (new for new in made if isinstance(new, AttentionOp))
    found = cached(op, module, softcap)
    if found is None:
        for new in reversed(made):
            new.erase()
        return []
    at = made.index(op)
    op.result.replace_all_uses_with(found[-1].results[0])
    op.erase()
    return [*made[:at], *found, *made[at + 1 :]]


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
