"""Fuses pointwise kernels into the row kernels that read their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import LaunchOp, target_of
from devproc.ir.program.kernel_modules import device_kernels, symbol_of
from devproc.ir.program.structured import Generic
from devproc.targets.triton import GPU
from devproc.targets.triton.algorithms.block_tile.tiles import L2_BYTES, LAUNCH
from devproc.targets.triton.archs import Arch, arch_of
from devproc.targets.triton.transforms.row_launches import (
    Link,
    fuse,
    kernel_of,
    link_of,
    viewed,
)
from devproc.targets.triton.transforms.row_producers import (
    element_bytes,
    fused_kernel,
    pointwise_in,
    row_length,
)


@dataclass
class Fusion:
    """The kernels of a module that can be fused, by name, and the fused ones."""

    arch: Arch
    producers: dict[str, tuple[FuncOp, Generic]]
    rows: dict[str, FuncOp]
    names: set[str]
    made: dict[tuple[str, str, Link], FuncOp | None] = field(
        default_factory=dict[tuple[str, str, Link], FuncOp | None]
    )

    def run(self, launch: LaunchOp) -> None:
        """Fuse the launch of a row kernel with those of its producers, the last one first:
        that may have a producer itself."""
        for first in (viewed(value).owner for value in launch.inputs):
            if isinstance(first, LaunchOp) and kernel_of(first) in self.producers:
                link = link_of(first, launch)
                kernel = self.kernel(first, launch, link) if link else None
                if link and kernel:
                    self.run(fuse(first, launch, link, kernel))
                    return

    def kernel(self, first: LaunchOp, second: LaunchOp, link: Link) -> FuncOp | None:
        """The fused kernel of two launches, made once; None if they stay apart."""
        key = kernel_of(first), kernel_of(second), link
        if key not in self.made:
            (producer, generic), rows = self.producers[key[0]], self.rows[key[1]]
            self.made[key] = self.fused(producer, generic, rows, link)
        return self.made[key]

    def fused(
        self, producer: FuncOp, generic: Generic, rows: FuncOp, link: Link
    ) -> FuncOp | None:
        """A new kernel in the module; None if the two stay apart.

        One program reads for its row what many programs of the pointwise kernel would: the
        limit is what it reads from L2 in the time of a launch.
        """
        lengths = [row_length(rows, number) for number, _ in link.read]
        columns = lengths[0]
        if columns is None or None in lengths:
            return None
        row_bytes = columns * element_bytes(generic)
        if row_bytes > LAUNCH * self.arch.clock * L2_BYTES:
            return None
        base = f"{producer.sym_name.data}_rows"
        names = (f"{base}_{number}" if number else base for number in count())
        name = next(name for name in names if name not in self.names)
        kernel = fused_kernel(producer, generic, rows, link, name)
        if kernel is not None:
            self.names.add(name)
            self.rows[name] = kernel
            Rewriter.insert_op(kernel, InsertPoint.before(rows))
        return kernel

    def erase_unused(self, module: ModuleOp) -> None:
        """Erase the kernels that are no longer launched."""
        launched = {kernel_of(op) for op in module.walk() if isinstance(op, LaunchOp)}
        for producer, rows, _ in self.made:
            for kernel in (self.producers[producer][0], self.rows[rows]):
                if kernel.sym_name.data not in launched and kernel.parent is not None:
                    Rewriter.erase_op(kernel)


@dataclass(frozen=True)
class FuseRowProducersPass(ModulePass):
    """Fuses a pointwise kernel of a GPU into the kernel that reduces the rows of its
    results, such as the sum of the parts of a product (`split-products`) and the layer norm
    after it.

    A program of the row kernel holds its row in registers: it computes each element once,
    and stores it only where others read it too. Kernels stay apart if the row is longer, if
    it takes more bytes than a program reads in the time of a launch, or if the pointwise
    kernel reads its operands in another order.

    Before:

    ```mlir
    !p = tensor<2x6x8xf32, #dev.on<"cuda">>
    !x = tensor<6x8xf32, #dev.on<"cuda">>
    !v = tensor<3x2x8xf32, #dev.on<"cuda">>
    !r = tensor<3x2xf32, #dev.on<"cuda">>
    func.func @main(%parts: !p) -> (!r, !x) {
      %x = dev.launch @sum(%parts) : (!p) -> !x
      %v = plan.view %x : !x -> !v
      %r = dev.launch @largest(%v) : (!v) -> !r
      dev.sync "cuda"
      func.return %r, %x : !r, !x
    }
    func.func private @sum(%parts: !p) -> !x
        attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.linear"]>} {
      %e = tensor.empty() : !x
      %x = linalg.generic {
        indexing_maps = [affine_map<(m, n) -> (0, m, n)>, affine_map<(m, n) -> (1, m, n)>,
                         affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%parts, %parts : !p, !p) outs(%e : !x) {
      ^bb0(%a: f32, %b: f32, %old: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> !x
      func.return %x : !x
    }
    func.func private @largest(%v: !v) -> !r
        attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_max"]>} {
      %least = arith.constant 0xFF800000 : f32
      %e = tensor.empty() : !r
      %f = linalg.fill ins(%least : f32) outs(%e : !r) -> !r
      %r = linalg.generic {
        indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>],
        iterator_types = ["parallel", "parallel", "reduction"]
      } ins(%v : !v) outs(%f : !r) {
      ^bb0(%a: f32, %old: f32):
        %t = arith.maximumf %old, %a : f32
        linalg.yield %t : f32
      } -> !r
      func.return %r : !r
    }
    ```

    After:

    ```mlir
    !p = tensor<2x6x8xf32, #dev.on<"cuda">>
    !x = tensor<6x8xf32, #dev.on<"cuda">>
    !q = tensor<2x3x2x8xf32, #dev.on<"cuda">>
    !v = tensor<3x2x8xf32, #dev.on<"cuda">>
    !r = tensor<3x2xf32, #dev.on<"cuda">>
    func.func @main(%parts: !p) -> (!r, !x) {
      %q = plan.view %parts : !p -> !q
      %r, %v = dev.launch @sum_rows(%q) : (!q) -> (!r, !v)
      %x = plan.view %v : !v -> !x
      dev.sync "cuda"
      func.return %r, %x : !r, !x
    }
    func.func private @sum_rows(%parts: !q) -> (!r, !v)
        attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.linear", "nn.reduce_max"]>} {
      %e = tensor.empty() : !v
      %v = linalg.generic {
        indexing_maps = [affine_map<(b, m, n) -> (0, b, m, n)>,
                         affine_map<(b, m, n) -> (1, b, m, n)>,
                         affine_map<(b, m, n) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel"]
      } ins(%parts, %parts : !q, !q) outs(%e : !v) {
      ^bb0(%a: f32, %b: f32, %old: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> !v
      %least = arith.constant 0xFF800000 : f32
      %g = tensor.empty() : !r
      %f = linalg.fill ins(%least : f32) outs(%g : !r) -> !r
      %r = linalg.generic {
        indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>],
        iterator_types = ["parallel", "parallel", "reduction"]
      } ins(%v : !v) outs(%f : !r) {
      ^bb0(%a: f32, %old: f32):
        %t = arith.maximumf %old, %a : f32
        linalg.yield %t : f32
      } -> !r
      func.return %r, %v : !r, !v
    }
    ```
    """

    name = "fuse-row-producers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rows = list(device_kernels(op, (GPU,), "reduction"))
        pointwise = [
            (kernel, generic)
            for kernel in device_kernels(op, (GPU,), "pointwise")
            if (generic := pointwise_in(kernel)) is not None
        ]
        if not rows or not pointwise:
            return
        fusion = Fusion(
            arch_of(target_of(op)),
            {pair[0].sym_name.data: pair for pair in pointwise},
            {kernel.sym_name.data: kernel for kernel in rows},
            {symbol_of(function) for function in op.ops},
        )
        launches = [inner for inner in op.walk() if isinstance(inner, LaunchOp)]
        for launch in launches:
            if kernel_of(launch) in fusion.rows:
                fusion.run(launch)
        fusion.erase_unused(op)
