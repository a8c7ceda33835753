"""Splits the sums of products with few results, so that every processor has work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import (
    KernelAttr,
    LaunchOp,
    TargetAttr,
    target_of,
)
from devproc.ir.program.kernel_modules import declare, device_kernels, kernel_mark
from devproc.ir.program.structured import (
    Generic,
)
from devproc.targets.triton import GPU
from devproc.targets.triton.algorithms.block_tile.plan import product_of_roles
from devproc.targets.triton.algorithms.block_tile.roles import roles_of
from devproc.targets.triton.algorithms.block_tile.splits import best_split
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.transforms.product_parts import (
    add_parts,
    partial_kernel,
    product_in,
)
from devproc.targets.triton.transforms.to_triton.generic import generic_of


def parts_of(product: Generic, target: TargetAttr) -> int:
    """The number of parts of each sum."""
    roles = roles_of(generic_of(product))
    if isinstance(roles, Refusal) or min(roles.sizes[:2]) == 1:
        return 1
    return best_split(product_of_roles(roles, target), arch_of(target))


def split_kernel(
    kernel: FuncOp, product: Generic, parts: int, launches: Sequence[LaunchOp]
) -> None:
    """Split the sums of a kernel, and launch the kernel of the parts before it."""
    partial = partial_kernel(kernel, product, parts)
    arguments: list[SSAValue] = list(kernel.body.block.args)
    factors = [arguments.index(value) for value in product.inputs]
    add_parts(kernel, product, parts, partial.function_type.outputs.data[0])
    unused: list[Operation | Block] = [product]
    while unused:
        op = unused.pop(0)
        if isinstance(op, Operation) and not any(r.uses for r in op.results):
            unused += [value.owner for value in op.operands]
            Rewriter.erase_op(op)
    kept = [number for number, value in enumerate(arguments) if value.uses]
    for value in arguments:
        if not value.uses:
            assert isinstance(value, BlockArgument)
            kernel.body.block.erase_arg(value)
    mark = kernel_mark(kernel)
    assert mark is not None
    sources = [source.data for source in mark.sources]
    kernel.attributes["dev.kernel"] = KernelAttr.get(
        GPU, "pointwise", sources[1:] or sources
    )
    declare(kernel)
    Rewriter.insert_op(partial, InsertPoint.before(kernel))
    for launch in launches:
        inputs = list(launch.inputs)
        first = LaunchOp(
            partial.sym_name.data,
            [inputs[number] for number in factors],
            list(partial.function_type.outputs),
        )
        second = LaunchOp(
            kernel.sym_name.data,
            [first.results[0], *(inputs[number] for number in kept)],
            list(launch.result_types),
        )
        first.results[0].name_hint = "parts"
        first.location = second.location = launch.location
        Rewriter.replace_op(launch, [first, second], list(second.results))


@dataclass(frozen=True)
class SplitProductsPass(ModulePass):
    """Splits products whose tiles are too few for the processors of a GPU, and whose sums
    are long, into two kernels: the first computes the parts of each sum as one product for
    each part, the second adds them, in their order, and computes what follows the product.
    The number of parts is that of the smallest estimate (`block_tile/tiles.py`).

    Before:

    ```mlir
    !x = tensor<256x1024xbf16, #dev.on<"cuda">>
    !w = tensor<512x1024xbf16, #dev.on<"cuda">>
    !s = tensor<256x512xf32, #dev.on<"cuda">>
    !y = tensor<256x512xbf16, #dev.on<"cuda">>
    func.func @main(%x: !x, %w: !w, %b: !y) -> !y {
      %y = dev.launch @linear(%x, %w, %b) : (!x, !w, !y) -> !y
      dev.sync "cuda"
      func.return %y : !y
    }
    func.func private @linear(%x: !x, %w: !w, %b: !y) -> !y
        attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear", "nn.add"]>} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : !s
      %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
      %s = linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]
      } ins(%x, %w : !x, !w) outs(%f : !s) {
      ^bb0(%a: bf16, %c: bf16, %old: f32):
        %p = arith.extf %a : bf16 to f32
        %q = arith.extf %c : bf16 to f32
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %old, %r : f32
        linalg.yield %t : f32
      } -> !s
      %o = tensor.empty() : !y
      %y = linalg.generic {
        indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
                         affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%s, %b : !s, !y) outs(%o : !y) {
      ^bb0(%v: f32, %c: bf16, %old: bf16):
        %p = arith.extf %c : bf16 to f32
        %t = arith.addf %v, %p : f32
        %r = arith.truncf %t : f32 to bf16
        linalg.yield %r : bf16
      } -> !y
      func.return %y : !y
    }
    ```

    After:

    ```mlir
    !x = tensor<256x1024xbf16, #dev.on<"cuda">>
    !w = tensor<512x1024xbf16, #dev.on<"cuda">>
    !u = tensor<256x2x512xbf16, #dev.on<"cuda">>
    !v = tensor<512x2x512xbf16, #dev.on<"cuda">>
    !s = tensor<2x256x512xf32, #dev.on<"cuda">>
    !y = tensor<256x512xbf16, #dev.on<"cuda">>
    func.func @main(%x: !x, %w: !w, %b: !y) -> !y {
      %parts = dev.launch @linear_parts(%x, %w) : (!x, !w) -> !s
      %y = dev.launch @linear(%parts, %b) : (!s, !y) -> !y
      dev.sync "cuda"
      func.return %y : !y
    }
    func.func private @linear_parts(%x: !x, %w: !w) -> !s
        attributes {dev.kernel = #dev.kernel<"cuda", "contraction", ["nn.linear"]>} {
      %u = plan.view %x : !x -> !u
      %v = plan.view %w : !w -> !v
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : !s
      %f = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s
      %s = linalg.generic {
        indexing_maps = [affine_map<(p, m, n, k) -> (m, p, k)>, affine_map<(p, m, n, k) -> (n, p, k)>,
                         affine_map<(p, m, n, k) -> (p, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]
      } ins(%u, %v : !u, !v) outs(%f : !s) {
      ^bb0(%a: bf16, %c: bf16, %old: f32):
        %p = arith.extf %a : bf16 to f32
        %q = arith.extf %c : bf16 to f32
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %old, %r : f32
        linalg.yield %t : f32
      } -> !s
      func.return %s : !s
    }
    func.func private @linear(%parts: !s, %b: !y) -> !y
        attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.add"]>} {
      %o = tensor.empty() : !y
      %y = linalg.generic {
        indexing_maps = [affine_map<(m, n) -> (0, m, n)>, affine_map<(m, n) -> (1, m, n)>,
                         affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%parts, %parts, %b : !s, !s, !y) outs(%o : !y) {
      ^bb0(%v0: f32, %v1: f32, %c: bf16, %old: bf16):
        %v = arith.addf %v0, %v1 : f32
        %p = arith.extf %c : bf16 to f32
        %t = arith.addf %v, %p : f32
        %r = arith.truncf %t : f32 to bf16
        linalg.yield %r : bf16
      } -> !y
      func.return %y : !y
    }
    ```
    """

    name = "split-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        launches: dict[str, list[LaunchOp]] = {}
        for launch in op.walk():
            if isinstance(launch, LaunchOp):
                name = launch.kernel.root_reference.data
                launches.setdefault(name, []).append(launch)
        for kernel in list(device_kernels(op, (GPU,), "contraction")):
            product = product_in(kernel)
            parts = 1 if product is None else parts_of(product, target)
            if product is not None and parts > 1:
                found = launches.get(kernel.sym_name.data, [])
                split_kernel(kernel, product, parts, found)
