"""Gives stored weights to the products that read them."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
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
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.shape import PackOp, ReshapeOp
from devproc.ir.types import AnyTensor, tensor, tensor_of, with_encoding
from devproc.ir.weight_format import WeightFormat
from devproc.ir.weights.prepare import append_to_prepare
from devproc.transforms.placed.main_block import rewrite_main
from devproc.transforms.placed.stored_weights import (
    StoredWeight,
    erase_unused,
    stored_rows,
    stored_weight,
)


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
        weight = self.packed_weight(found, layout, tensor_of(op.weight))
        rewriter.insert(weight, InsertPoint.before(op))
        op.operands[1] = weight.result
        rewriter.notify_op_modified(op)
        erase_unused(found, rewriter)

    def packed_weight(
        self, stored: StoredWeight, layout: Layout, type_: AnyTensor
    ) -> WeightOp:
        """The packed form of a weight of this type, which is packed once."""
        numbers, device = stored.weights[0], device_of(type_)
        assert device is not None
        key = (numbers.weight_name, layout)
        if key not in self.packed:
            self.packed[key] = self.pack(stored, layout)
        placed = with_encoding(type_, OnAttr.get(device, layout))
        weight = WeightOp(*self.packed[key], placed)
        weight.location = numbers.location
        weight.result.name_hint = numbers.result.name_hint
        return weight

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


@dataclass
class FuseRows(RewritePattern):
    """Replace rows of a stored weight by rows of the packed form that a product reads.

    Before:

    ```mlir
    !i = tensor<3x1xi64, #dev.on<"cpu">>
    !r = tensor<3x256xf32, #dev.on<"cpu">>
    !n = tensor<3x256xbf16, #dev.on<"cpu">>
    !y = tensor<3x64xf32, #dev.on<"cpu">>
    !q = tensor<64x256xbf16, #dev.on<"cpu">>
    !w = tensor<64x256xf32, #dev.on<"cpu", #dev.weight_only<bfloat16, 64, 32>>>
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
        threads = 1, weights = "bfloat16", cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%i: !i) -> !y {
        %q = nn.weight @q hash "1f" : !q
        %n = nn.gather %q at %i axes [0] : (!q, !i) -> !n
        %x = nn.cast %n to f32 : (!n) -> !r
        %w = nn.weight @"prepare.0" hash "ecf6124324324c73" : !w
        %y = nn.linear %x, %w : (!r, !w) -> !y
        func.return %y : !y
      }
    }
    ```

    After, as `%w` is the packed form of `%q`:

    ```mlir
    !i = tensor<3x1xi64, #dev.on<"cpu">>
    !r = tensor<3x256xf32, #dev.on<"cpu">>
    !y = tensor<3x64xf32, #dev.on<"cpu">>
    !w = tensor<64x256xf32, #dev.on<"cpu", #dev.weight_only<bfloat16, 64, 32>>>
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
        threads = 1, weights = "bfloat16", cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%i: !i) -> !y {
        %v = nn.weight @"prepare.0" hash "ecf6124324324c73" : !w
        %x = nn.gather %v at %i axes [0] : (!w, !i) -> !r
        %w = nn.weight @"prepare.0" hash "ecf6124324324c73" : !w
        %y = nn.linear %x, %w : (!r, !w) -> !y
        func.return %y : !y
      }
    }
    ```
    """

    products: FuseDequantization

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        found = (
            stored_rows(op.results[0]) if isinstance(op, CastOp | ReshapeOp) else None
        )
        if found is None:
            return
        numbers = found.weight.weights[0]
        layouts = [
            at for name, at in self.products.packed if name == numbers.weight_name
        ]
        if not layouts or not layouts[0].HAS_ELEMENTS:
            return
        rows = tensor_of(op.results[0])
        shape = (tensor_of(numbers.result).get_shape()[0], *rows.get_shape()[1:])
        type_ = tensor(rows.element_type, shape, rows.encoding)
        weight = self.products.packed_weight(found.weight, layouts[0], type_)
        gather = GatherOp.create(
            operands=[weight.result, found.index],
            result_types=op.result_types,
            properties=found.gather.properties,
            attributes=found.gather.attributes,
        )
        gather.location = op.location
        rewriter.replace(op, [weight, gather], [gather.result])
        erase_unused(found.weight, rewriter)


@dataclass(frozen=True)
class FuseDequantizationPass(ModulePass):
    """Gives linear layers the stored form of their weights, where an algorithm of the
    device reads it (`Algorithm.stored_layout`): what widened it is part of the product.
    Rows of such a weight, as those of an embedding, are read from the same form.
    """

    name = "fuse-dequantization"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        stored = target_of(op).weight_format
        if stored is not None:
            products = FuseDequantization(op, stored)
            rewrite_main(op, products)
            rewrite_main(op, FuseRows(products))
