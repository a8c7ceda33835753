"""Gives stored weights to the products that read them."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from devproc.algorithms import algorithm
from devproc.backend.installed import backend
from devproc.dialects.dev import Layout, OnAttr, device_of, target_of
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.contraction import LinearOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.quantized import DequantizeOp
from devproc.dialects.nn.shape import PackOp, ReshapeOp
from devproc.ir.types import tensor_of, with_encoding
from devproc.ir.weight_format import WeightFormat
from devproc.ir.weights.prepare import append_to_prepare
from devproc.transforms.placed.main_block import rewrite_main


@dataclass(frozen=True)
class StoredWeight:
    """A float32 matrix that the program computes from weights in another format."""

    weights: tuple[WeightOp, ...]
    """The numbers, then the scales and zero points of integers."""

    chain: tuple[Operation, ...]
    """The ops that compute it, the last one first."""


def stored_weight(value: SSAValue) -> StoredWeight | None:
    """What a float32 matrix is computed from; None if it is not a stored weight."""
    chain: list[Operation] = []
    owner = value.owner
    if isinstance(owner, ReshapeOp) and isinstance(owner.operand.owner, DequantizeOp):
        chain.append(owner)
        owner = owner.operand.owner
    if not isinstance(owner, CastOp | DequantizeOp):
        return None
    chain.append(owner)
    weights = [operand.owner for operand in owner.operands]
    found = tuple(weight for weight in weights if isinstance(weight, WeightOp))
    if len(found) < len(weights):
        return None
    return StoredWeight(found, tuple(chain))


@dataclass
class FuseDequantization(RewritePattern):
    """Replace what widens a stored weight by a weight in a layout that the product reads.

    Before:

    ```mlir
    !x = tensor<1x256xf32, #dev.on<"cpu">>
    !y = tensor<1x64xf32, #dev.on<"cpu">>
    !q = tensor<64x256xbf16, #dev.on<"cpu">>
    !w = tensor<64x256xf32, #dev.on<"cpu">>
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
        threads = 1, weights = "bfloat16", cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%x: !x) -> !y {
        %q = nn.weight @q hash "1f" : !q
        %w = nn.cast %q to f32 : (!q) -> !w
        %y = nn.linear %x, %w : (!x, !w) -> !y
        func.return %y : !y
      }
    }
    ```

    After:

    ```mlir
    !x = tensor<1x256xf32, #dev.on<"cpu">>
    !y = tensor<1x64xf32, #dev.on<"cpu">>
    !w = tensor<64x256xf32, #dev.on<"cpu", #dev.weight_only<bfloat16, 64, 32>>>
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
        threads = 1, weights = "bfloat16", cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%x: !x) -> !y {
        %w = nn.weight @"prepare.0" hash "ecf6124324324c73" : !w
        %y = nn.linear %x, %w : (!x, !w) -> !y
        func.return %y : !y
      }
      func.func private @prepare() -> tensor<2x4x1024xf32> {
        %q = nn.weight @q hash "1f" : tensor<64x256xbf16>
        %p = nn.pack %q as #dev.weight_only<bfloat16, 64, 32>
          : (tensor<64x256xbf16>) -> tensor<2x4x1024xf32>
        func.return %p : tensor<2x4x1024xf32>
      }
    }
    ```
    """

    module: ModuleOp
    stored: WeightFormat
    packed: dict[tuple[str, Layout], tuple[str, str]] = field(
        default_factory=dict[tuple[str, Layout], tuple[str, str]]
    )
    """Name and hash of each packed weight, by its numbers and layout."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LinearOp, rewriter: PatternRewriter, /) -> None:
        found, layout = stored_weight(op.weight), self.layout_for(op)
        if found is None or layout is None:
            return
        numbers, device = found.weights[0], device_of(op.weight.type)
        assert device is not None
        key = (numbers.weight_name, layout)
        if key not in self.packed:
            self.packed[key] = self.pack(found, layout)
        type_ = with_encoding(tensor_of(op.weight), OnAttr.get(device, layout))
        weight = WeightOp(*self.packed[key], type_)
        weight.location = numbers.location
        weight.result.name_hint = numbers.result.name_hint
        rewriter.insert(weight, InsertPoint.before(op))
        op.operands[1] = weight.result
        rewriter.notify_op_modified(op)
        for unused in (*found.chain, *found.weights):
            if unused.results[0].first_use is None:
                rewriter.erase(unused)

    def layout_for(self, op: LinearOp) -> Layout | None:
        """The layout of the first algorithm of the op's device that reads the format."""
        device, target = device_of(op.weight.type), target_of(self.module)
        for name in backend(device).algorithms if device is not None else ():
            taker = algorithm(name)
            if taker.stored_layout is not None:
                shape = tensor_of(op.weight).get_shape()
                return taker.stored_layout(self.stored, shape, target)
        return None

    def pack(self, weight: StoredWeight, layout: Layout) -> tuple[str, str]:
        """Pack a weight in `@prepare`; returns the name and hash of the result."""
        sources = [
            WeightOp(
                w.weight_name, w.hash.data, with_encoding(tensor_of(w.result), None)
            )
            for w in weight.weights
        ]
        numbers, *groups = (source.result for source in sources)
        packed = PackOp.into(numbers, layout, *groups)
        for made in (*sources, packed):
            made.location = weight.weights[0].location
        return append_to_prepare(self.module, [*sources, packed], packed.result)


@dataclass(frozen=True)
class FuseDequantizationPass(ModulePass):
    """Gives linear layers the stored form of their weights, where an algorithm of the
    device reads it (`Algorithm.stored_layout`): what widened it is part of the product.
    """

    name = "fuse-dequantization"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        stored = target_of(op).weight_format
        if stored is not None:
            rewrite_main(op, FuseDequantization(op, stored))
