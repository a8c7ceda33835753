"""Pads the rows of intermediate results that would all map to one cache set."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.ir.program.kernel_modules import declare
from devproc.transforms.kernels.crowded_rows import (
    launched_kernels,
    rows_between,
)


@dataclass(frozen=True)
class PadRowsPass(ModulePass):
    """Pads rows whose stride is a multiple of 4096 bytes by one cache line. A register
    tile reads one column of several rows at once; with such a stride all of them map to
    one set of the first-level cache and evict one another. The padding is neither
    written nor read.

    Before:
    ```mlir
    !x = tensor<64x1024xf32, #dev.on<"cpu">>
    !w = tensor<32x1024xf32, #dev.on<"cpu">>
    !y = tensor<64x32xf32, #dev.on<"cpu">>
    builtin.module {
      func.func @main(%x: !x, %w: !w) -> !y {
        %h = dev.launch @exp(%x) : (!x) -> !x
        %r = dev.launch @linear(%h, %w) : (!x, !w) -> !y
        func.return %r : !y
      }
      func.func private @exp(%x: !x) -> !x
          attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
        %e = tensor.empty() : !x
        %r = linalg.generic {
          indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%x : !x) outs(%e : !x) {
        ^bb0(%a: f32, %b: f32):
          %p = math.exp %a : f32
          linalg.yield %p : f32
        } -> !x
        func.return %r : !x
      }
      func.func private @linear(%x: !x, %w: !w) -> !y
          attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : !y
        %f = linalg.fill ins(%zero : f32) outs(%e : !y) -> !y
        %r = linalg.generic {
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                           affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%x, %w : !x, !w) outs(%f : !y) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        } -> !y
        func.return %r : !y
      }
    }
    ```

    After:
    ```mlir
    !x = tensor<64x1024xf32, #dev.on<"cpu">>
    !w = tensor<32x1024xf32, #dev.on<"cpu">>
    !y = tensor<64x32xf32, #dev.on<"cpu">>
    !h = tensor<64x1040xf32, #dev.on<"cpu">>
    builtin.module {
      func.func @main(%x: !x, %w: !w) -> !y {
        %h = dev.launch @exp(%x) : (!x) -> !h
        %r = dev.launch @linear(%h, %w) : (!h, !w) -> !y
        func.return %r : !y
      }
      func.func private @exp(%x: !x) -> !h
          attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
        %e = tensor.empty() : !h
        %r = linalg_ext.generic {
          indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%x : !x) outs(%e : !h) attrs = {loop_sizes = array<i64: 64, 1024>} {
        ^bb0(%a: f32, %b: f32):
          %p = math.exp %a : f32
          linalg.yield %p : f32
        } -> !h
        func.return %r : !h
      }
      func.func private @linear(%x: !h, %w: !w) -> !y
          attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : !y
        %f = linalg.fill ins(%zero : f32) outs(%e : !y) -> !y
        %r = linalg_ext.generic {
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                           affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%x, %w : !h, !w) outs(%f : !y)
            attrs = {loop_sizes = array<i64: 64, 32, 1024>} {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        } -> !y
        func.return %r : !y
      }
    }
    ```
    """

    name = "pad-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = launched_kernels(op)
        for rows in rows_between(kernels):
            if rows.are_crowded and rows.are_walked_whole:
                rows.pad()
        for kernel in kernels.values():
            declare(kernel)
