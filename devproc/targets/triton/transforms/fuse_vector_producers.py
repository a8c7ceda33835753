"""Fuses row kernels into the products of a matrix and the one row that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import LaunchOp
from devproc.ir.program.kernel_modules import (
    device_kernels,
    symbol_of,
)
from devproc.ir.program.structured import (
    is_parallel,
)
from devproc.ir.program.updates import updates_of
from devproc.ir.text.location import fuse_locations
from devproc.targets.triton import GPU
from devproc.targets.triton.transforms.row_launches import (
    erase_views,
    kernel_of,
    readers,
    viewed,
)
from devproc.targets.triton.transforms.vector_producers import (
    fused_kernel,
    generics_in,
    is_updated,
    makes_row,
    vector_number,
)

Key: TypeAlias = tuple[str, str, int]
"""A row kernel, a product, and the argument of the product that is the row."""


@dataclass
class Fusion:
    """The kernels of a module that can be fused, by name, and the fused ones."""

    rows: dict[str, FuncOp]
    products: dict[str, FuncOp]
    names: set[str]
    made: dict[Key, FuncOp] = field(default_factory=dict[Key, FuncOp])

    def run(self, launch: LaunchOp) -> None:
        """Fuse the launch of a row kernel into all launches that read its result."""
        if len(launch.results) != 1:
            return
        found = list(dict.fromkeys(readers(launch.results[0])))
        if not found or not all(self.can_fuse(launch, op) for op in found):
            return
        for op in found:
            self.fuse(launch, op)
        Rewriter.erase_op(launch)

    def can_fuse(self, first: LaunchOp, second: Operation) -> bool:
        """Whether a product reads the row as its vector alone, and what the row is made of
        is still there."""
        if not isinstance(second, LaunchOp) or first.parent is not second.parent:
            return False
        kernel = self.products.get(kernel_of(second))
        number = None if kernel is None else vector_number(kernel)
        if kernel is None or number is None or updates_of(second):
            return False
        product = next(op for op in generics_in(kernel) if not all(is_parallel(op)))
        return (
            [n for n, v in enumerate(second.inputs) if viewed(v).owner is first]
            == [number]
            and makes_row(self.rows[kernel_of(first)], product)
            and not any(map(is_updated, first.inputs))
        )

    def fuse(self, first: LaunchOp, second: Operation) -> None:
        """Replace the launch of a product by one that makes its vector."""
        assert isinstance(second, LaunchOp)
        number = vector_number(self.products[kernel_of(second)])
        assert number is not None
        key = kernel_of(first), kernel_of(second), number
        if key not in self.made:
            rows, product = self.rows[key[0]], self.products[key[1]]
            self.made[key] = self.fused(rows, product, number)
        kernel, link = self.made[key], second.inputs[number]
        rest = [v for n, v in enumerate(second.inputs) if n != number]
        launch = LaunchOp(
            kernel.sym_name.data,
            [*first.inputs, *rest],
            kernel.function_type.outputs.data,
        )
        launch.location = fuse_locations([first.location, second.location])
        for old, new in zip(second.results, launch.results, strict=True):
            new.name_hint = old.name_hint
        Rewriter.replace_op(second, launch)
        erase_views(link)

    def fused(self, rows: FuncOp, product: FuncOp, number: int) -> FuncOp:
        """A new kernel in the module."""
        base = f"{product.sym_name.data}_vector"
        names = (f"{base}_{place}" if place else base for place in count())
        name = next(name for name in names if name not in self.names)
        self.names.add(name)
        kernel = fused_kernel(rows, product, number, name)
        Rewriter.insert_op(kernel, InsertPoint.before(product))
        return kernel

    def erase_unused(self, module: ModuleOp) -> None:
        """Erase the kernels that are no longer launched."""
        launched = {kernel_of(op) for op in module.walk() if isinstance(op, LaunchOp)}
        names = {name for rows, product, _ in self.made for name in (rows, product)}
        for name in names - launched:
            Rewriter.erase_op(self.rows.get(name) or self.products[name])


@dataclass(frozen=True)
class FuseVectorProducersPass(ModulePass):
    """Fuses a row kernel of a GPU, such as a norm, into the products of a matrix and the one
    row that it makes, where nothing else reads the row.

    All programs of a product of one vector read it as a whole, as in a step of decoding. To
    compute its sums in each of them takes less time than the launch of another kernel.

    Before:
    ```mlir
    !x = tensor<1x8xf32, #dev.on<"cuda">>
    !s = tensor<1x1xf32, #dev.on<"cuda">>
    !w = tensor<4x8xf32, #dev.on<"cuda">>
    !y = tensor<1x4xf32, #dev.on<"cuda">>
    func.func @main(%x: !x, %w: !w) -> !y {
      %n = dev.launch @norm(%x) : (!x) -> !x
      %y = dev.launch @linear(%n, %w) : (!x, !w) -> !y
      dev.sync "cuda"
      func.return %y : !y
    }
    func.func private @norm(%x: !x) -> !x attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.mul"]>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : !s
      %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
      %s = linalg.generic {
        indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>],
        iterator_types = ["parallel", "reduction"]
      } ins(%x : !x) outs(%f : !s) {
      ^bb0(%a: f32, %old: f32):
        %t = arith.addf %old, %a : f32
        linalg.yield %t : f32
      } -> !s
      %o = tensor.empty() : !x
      %n = linalg.generic {
        indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>, affine_map<(m, k) -> (m, k)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x, %s : !x, !s) outs(%o : !x) {
      ^bb0(%a: f32, %b: f32, %old: f32):
        %t = arith.mulf %a, %b : f32
        linalg.yield %t : f32
      } -> !x
      func.return %n : !x
    }
    func.func private @linear(%n: !x, %w: !w) -> !y
        attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
      %zero = arith.constant 0.0 : f32
      %g = tensor.empty() : !y
      %h = linalg.fill ins(%zero : f32) outs(%g : !y) -> !y
      %y = linalg.generic {
        indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>],
        iterator_types = ["parallel", "parallel", "reduction"]
      } ins(%n, %w : !x, !w) outs(%h : !y) {
      ^bb0(%a: f32, %b: f32, %old: f32):
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %old, %p : f32
        linalg.yield %t : f32
      } -> !y
      func.return %y : !y
    }
    ```

    After:
    ```mlir
    !x = tensor<1x8xf32, #dev.on<"cuda">>
    !s = tensor<1x1xf32, #dev.on<"cuda">>
    !w = tensor<4x8xf32, #dev.on<"cuda">>
    !y = tensor<1x4xf32, #dev.on<"cuda">>
    func.func @main(%x: !x, %w: !w) -> !y {
      %y = dev.launch @linear_vector(%x, %w) : (!x, !w) -> !y
      dev.sync "cuda"
      func.return %y : !y
    }
    func.func private @linear_vector(%x: !x, %w: !w) -> !y
        attributes {dev.kernel = #dev.kernel<"cuda", "vector_product", ["nn.mul", "nn.linear"]>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : !s
      %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
      %s = linalg.generic {
        indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>],
        iterator_types = ["parallel", "reduction"]
      } ins(%x : !x) outs(%f : !s) {
      ^bb0(%a: f32, %old: f32):
        %t = arith.addf %old, %a : f32
        linalg.yield %t : f32
      } -> !s
      %o = tensor.empty() : !x
      %n = linalg.generic {
        indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, 0)>, affine_map<(m, k) -> (m, k)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x, %s : !x, !s) outs(%o : !x) {
      ^bb0(%a: f32, %b: f32, %old: f32):
        %t = arith.mulf %a, %b : f32
        linalg.yield %t : f32
      } -> !x
      %null = arith.constant 0.0 : f32
      %g = tensor.empty() : !y
      %h = linalg.fill ins(%null : f32) outs(%g : !y) -> !y
      %y = linalg.generic {
        indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>],
        iterator_types = ["parallel", "parallel", "reduction"]
      } ins(%n, %w : !x, !w) outs(%h : !y) {
      ^bb0(%a: f32, %b: f32, %old: f32):
        %p = arith.mulf %a, %b : f32
        %t = arith.addf %old, %p : f32
        linalg.yield %t : f32
      } -> !y
      func.return %y : !y
    }
    ```
    """

    name = "fuse-vector-producers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rows = list(device_kernels(op, (GPU,), "reduction"))
        products = list(device_kernels(op, (GPU,), "contraction"))
        if not rows or not products:
            return
        fusion = Fusion(
            {kernel.sym_name.data: kernel for kernel in rows},
            {kernel.sym_name.data: kernel for kernel in products},
            {symbol_of(function) for function in op.ops},
        )
        launches = [inner for inner in op.walk() if isinstance(inner, LaunchOp)]
        for launch in launches:
            if kernel_of(launch) in fusion.rows:
                fusion.run(launch)
        fusion.erase_unused(op)
