"""Marks the scratch arguments of kernels: no other launch uses their buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects.plan import BufferOp, LaunchOp
from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import (
    SCRATCH,
    device_of_code,
    lowered_kernels,
)
from devproc.ir.program.launches import launches_by_kernel

Launches = Mapping[str, Sequence[LaunchOp]]


def mark_scratch(kernel: FuncOp, launches: Launches) -> None:
    """Mark the arguments whose buffers only one launch uses; `launches`: all launches, by
    kernel."""
    mine = launches[kernel.sym_name.data]
    numbers = [
        number
        for number in range(len(kernel.body.block.args))
        if mine and all(is_used_once(op.operands[number], launches) for op in mine)
    ]
    if numbers:
        kernel.attributes[SCRATCH] = DenseArrayBase.from_list(i64, numbers)


def is_used_once(value: SSAValue, launches: Launches) -> bool:
    """Whether a value is a buffer with one use, also where a loop over launches takes it."""
    if not value.has_one_use():
        return False
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        starts = launches[loop.sym_name.data] if isinstance(loop, FuncOp) else ()
        given = [start.operands[value.index] for start in starts]
        return bool(given) and all(is_used_once(v, launches) for v in given)
    return isinstance(value.owner, BufferOp)


@dataclass(frozen=True)
class MarkScratchPass(ModulePass):
    """Marks on each kernel of a device the arguments that nothing else reads or writes.

    Values that a kernel only stores for itself can stay in registers, so these
    arguments determine which algorithms fit a kernel. They follow from the launches,
    not from the kernel alone; those of the host are lowered without the launches.

    Before:
    ```mlir
    !x = memref<4xf32, #dev.on<"cuda">>
    !bytes = memref<64xi8, #dev.on<"cuda">>
    func.func private @fill(%t: !x, %y: !x) attributes {
        dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>} {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%t : !x)
      linalg.fill ins(%zero : f32) outs(%y : !x)
      func.return
    }
    func.func @main(%y: !x) {
      %arena = plan.arena "cuda" : !bytes
      %t = plan.buffer %arena id 0 offset 0 bytes 16 live 0 to 0 : !bytes -> !x
      plan.launch @fill() -> (%t, %y) : () -> (!x, !x)
      func.return
    }
    ```

    After:
    ```mlir
    !x = memref<4xf32, #dev.on<"cuda">>
    !bytes = memref<64xi8, #dev.on<"cuda">>
    func.func private @fill(%t: !x, %y: !x) attributes {
        dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>,
        dev.scratch = array<i64: 0>} {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%t : !x)
      linalg.fill ins(%zero : f32) outs(%y : !x)
      func.return
    }
    func.func @main(%y: !x) {
      %arena = plan.arena "cuda" : !bytes
      %t = plan.buffer %arena id 0 offset 0 bytes 16 live 0 to 0 : !bytes -> !x
      plan.launch @fill() -> (%t, %y) : () -> (!x, !x)
      func.return
    }
    ```
    """

    name = "mark-scratch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [k for k in lowered_kernels(op) if device_of_code(k) != HOST]
        if not kernels:
            return
        launches = launches_by_kernel(op)
        for kernel in kernels:
            mark_scratch(kernel, launches)
