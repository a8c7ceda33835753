"""Merges identical kernels, so that each distinct kernel is compiled once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import KernelAttr, LaunchOp
from devproc.dialects.sched import Schedule
from devproc.dialects.sched.overrides import override_for
from devproc.ir.program.kernel_modules import algorithm_of


def shape_of(kernel: FuncOp, override: Schedule | None) -> Hashable:
    """A cheap key that equal kernels share: types, device, op names, the algorithm, and
    the schedule that the user chose.

    It includes the result types of the body's ops, which structural equivalence
    ignores, and the properties, so that kernels that differ only in a constant are not
    all compared with each other.
    """
    mark = kernel.attributes["dev.kernel"]
    assert isinstance(mark, KernelAttr)
    ops = tuple(
        (op.name, *op.properties.values(), *(r.type for r in op.results))
        for op in kernel.body.walk()
    )
    how = algorithm_of(kernel), override
    return kernel.function_type, mark.device, mark.family, how, ops


def merge_kernels(module: ModuleOp) -> dict[str, str]:
    """Erase each kernel that equals an earlier one; returns erased -> kept names."""
    kept: dict[Hashable, list[FuncOp]] = {}
    merged: dict[str, str] = {}
    for op in list(module.ops):
        if not isinstance(op, FuncOp) or "dev.kernel" not in op.attributes:
            continue
        override = override_for(module, op.sym_name.data)
        candidates = kept.setdefault(shape_of(op, override), [])
        for other in candidates:
            if other.body.is_structurally_equivalent(op.body):
                merged[op.sym_name.data] = other.sym_name.data
                op.detach()
                op.erase()
                break
        else:
            candidates.append(op)
    return merged


@dataclass(frozen=True)
class MergeKernelsPass(ModulePass):
    """Merges kernels that are equal except for their names, to save compile time.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %a = dev.launch @exp_first(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %b = dev.launch @exp_second(%a) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %b : tensor<4xf32>
    }
    func.func private @exp_first(%x: tensor<4xf32>) -> tensor<4xf32>
        attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
      %y = math.exp %x : tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    func.func private @exp_second(%a: tensor<4xf32>) -> tensor<4xf32>
        attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
      %b = math.exp %a : tensor<4xf32>
      func.return %b : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %a = dev.launch @exp_first(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %b = dev.launch @exp_first(%a) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %b : tensor<4xf32>
    }
    func.func private @exp_first(%x: tensor<4xf32>) -> tensor<4xf32>
        attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
      %y = math.exp %x : tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    ```
    """

    name = "merge-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        merged = merge_kernels(op)
        for launch in op.walk():
            if isinstance(launch, LaunchOp):
                name = launch.kernel.root_reference.data
                if name in merged:
                    launch.kernel = SymbolRefAttr(merged[name])
