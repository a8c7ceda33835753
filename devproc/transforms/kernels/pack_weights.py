"""Packs weights of CPU kernels into the layout that vector loops read sequentially."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from devproc.dialects.dev import (
    LaunchOp,
    Layout,
    TargetAttr,
    target_of,
)
from devproc.dialects.sched import Schedule
from devproc.dialects.sched.overrides import illegal, override_for
from devproc.ir.program.kernel_modules import ALGORITHM, declare, lowered_kernels
from devproc.ir.program.weight_values import weight_behind
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.weight_layouts import (
    Packing,
    packable,
    packed_as,
    prepacked,
    read_by_element,
)
from devproc.transforms.kernels.weight_packer import Packer, packed_type


def change_argument(kernel: FuncOp, number: int, layout: Layout) -> None:
    """Record that an argument of a kernel is packed."""
    argument = kernel.body.block.args[number]
    type_ = packed_type(tensor_of(argument), layout)
    Rewriter.replace_value_with_new_type(argument, type_)
    declare(kernel)


def chosen(
    kernel: FuncOp,
    users: Sequence[LaunchOp],
    override: Schedule | None,
    target: TargetAttr,
) -> list[Packing]:
    """The arguments of a kernel to pack: as the user's schedule requires, else those
    that benefit. Only arguments that are weights in all launches are packed.

    Raises CompileError if the user's layout is not legal.
    """

    def is_weight(packing: Packing) -> bool:
        return all(weight_behind(user.inputs[packing.argument]) for user in users)

    if override is None or "weight" not in override.fields:
        return list(filter(is_weight, packable(kernel, target)))
    wanted = packed_as(kernel, override)
    if wanted is None:
        return []
    if not is_weight(wanted):
        problem = "'weight': a launch passes the kernel no weight to pack"
        raise illegal(kernel.sym_name.data, override, [problem])
    return [wanted]


def read_rows(kernel: FuncOp, users: Sequence[LaunchOp], packer: Packer) -> None:
    """Let a kernel that reads elements of a weight, such as rows of an embedding, take
    them from the packed form that a product reads anyhow."""
    for number in read_by_element(kernel):
        found = [packer.layouts(user.inputs[number]) for user in users]
        shared = [layout for layout in found[0] if all(layout in f for f in found)]
        for layout in shared[:1]:
            change_argument(kernel, number, layout)
            for user in users:
                packer.pack(user, number, layout)


@dataclass(frozen=True)
class PackWeightsPass(ModulePass):
    """Packs the weights of CPU contractions and convolutions into panels a few vectors
    wide, once, in `@prepare`, so that kernels read them sequentially. The logical shape
    is unchanged; the type records the layout, and the kernel the algorithm that needs
    it. A schedule that the user chose determines the layout of its weight.

    Before:
    ```mlir
    !x = tensor<2x8xf32, #dev.on<"cpu">>
    !w = tensor<30x8xf32, #dev.on<"cpu">>
    !y = tensor<2x30xf32, #dev.on<"cpu">>
    builtin.module {
      func.func @main(%x: !x) -> !y {
        %w = nn.weight @w hash "1f" : !w
        %r = dev.launch @linear(%x, %w) : (!x, !w) -> !y
        func.return %r : !y
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
    !x = tensor<2x8xf32, #dev.on<"cpu">>
    !w = tensor<30x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>
    !y = tensor<2x30xf32, #dev.on<"cpu">>
    builtin.module {
      func.func @main(%x: !x) -> !y {
        %w = nn.weight @"prepare.0" hash "255fc3f1d1f218d8" : !w
        %r = dev.launch @linear(%x, %w) : (!x, !w) -> !y
        func.return %r : !y
      }
      func.func private @linear(%x: !x, %w: !w) -> !y
          attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>,
                      sched.algorithm = "register_tile"} {
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
      func.func private @prepare() -> tensor<2x8x16xf32> {
        %w = nn.weight @w hash "1f" : tensor<30x8xf32>
        %p = nn.pack %w as #dev.layout<[0, 1], [16, 1]> : (tensor<30x8xf32>) -> tensor<2x8x16xf32>
        func.return %p : tensor<2x8x16xf32>
      }
    }
    ```
    """

    name = "pack-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = target_of(op)
        launches: dict[str, list[LaunchOp]] = {}
        for launch in op.walk():
            if isinstance(launch, LaunchOp):
                name = launch.kernel.root_reference.data
                launches.setdefault(name, []).append(launch)
        packer = Packer(op)
        for kernel in list(lowered_kernels(op)):
            name = kernel.sym_name.data
            users, override = launches.get(name, []), override_for(op, name)
            if reader := prepacked(kernel):
                kernel.attributes[ALGORITHM] = StringAttr(reader)
            for packing in chosen(kernel, users, override, options):
                change_argument(kernel, packing.argument, packing.layout)
                kernel.attributes[ALGORITHM] = StringAttr(packing.algorithm)
                for user in users:
                    packer.pack(user, packing.argument, packing.layout)
        for kernel in list(lowered_kernels(op)):
            if users := launches.get(kernel.sym_name.data):
                read_rows(kernel, users, packer)
