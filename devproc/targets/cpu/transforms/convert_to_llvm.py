"""Lowers CPU functions to the `llvm` dialect.

The last pass before LLVM. It lowers each op once, in a single walk: structured control
flow becomes blocks, memrefs become pointers, parallel loops become calls of the thread
pool (see `to_llvm/`, with one file of rules per source dialect). xDSL's conversions are
not used: they lose alias and alignment information, and take several times as long.
"""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import TypeIs
from xdsl.context import Context
from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.dev import TargetAttr
from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.ir.text.location import describe_location
from devproc.targets.cpu.machine.attribute import MachineAttr, machine_of
from devproc.targets.cpu.transforms.to_llvm.bounds import violations_table
from devproc.targets.cpu.transforms.to_llvm.function import (
    declare_function,
    lower_function,
    make_entry,
)
from devproc.targets.cpu.transforms.to_llvm.lowering import ModuleLowering
from devproc.targets.cpu.transforms.to_llvm.memref import convert_global
from devproc.targets.cpu.transforms.to_llvm.rules import RULES

SEGMENT = "segment_"
"""Prefix of the names of segments; see the pass outline-segments."""

STACK_BITS = 128
"""Stack alignment in the calling conventions of x86-64 and AArch64."""

NO_TARGET = TargetAttr.get(
    threads=2, options={HOST: MachineAttr.get(vector_bits=STACK_BITS)}
)
"""The default target: parallel loops use the pool, stacks keep their alignment."""


def is_cpu_function(op: Operation) -> TypeIs[FuncOp]:
    """Whether an op is a CPU kernel or a segment."""
    if not isinstance(op, FuncOp):
        return False
    mark = kernel_mark(op)
    if mark is not None:
        return mark.device.data == "cpu"
    return op.sym_name.data.startswith(SEGMENT)


def _check_calls(module: ModuleOp, lowering: ModuleLowering) -> None:
    """Check that lowered functions call only lowered functions."""
    known = {op.sym_name.data for op in module.ops if isinstance(op, llvm.FuncOp)}
    for callee, call in lowering.called.items():
        if callee not in known:
            raise PassFailedException(
                f"convert-to-llvm: a CPU function calls @{callee} "
                f"({describe_location(call.location)}), which is not a CPU function: "
                "mark it as a CPU kernel or launch it from @main"
            )


def _align_stacks(module: ModuleOp, alignment: int) -> None:
    """Align stacks so that no spilled vector crosses a cache line.

    LLVM fixes the alignment of a stack before it knows whether it has to spill.
    """
    words = [StringAttr("alignstack"), StringAttr(str(alignment))]
    passthrough = ArrayAttr([ArrayAttr(words)])
    for function in module.ops:
        if isinstance(function, llvm.FuncOp):
            function.properties["passthrough"] = passthrough


@dataclass(frozen=True)
class ConvertToLlvmPass(ModulePass):
    """Lowers CPU kernels and segments to `llvm.func`; other functions, such as those of
    other devices, `@main` and `@prepare`, are unchanged.

    Each segment also gets a C entry point that takes a table of pointers. A kernel that
    is compiled separately is only declared.

    Indices stay symbolic sums until an access needs them: see `to_llvm/addresses.py`.
    Here the byte offset of the row is a second induction variable.

    Before:

    ```mlir
    func.func private @scale(
      %x: memref<4x16xf32> {llvm.noalias}, %y: memref<4x16xf32> {llvm.noalias}
    ) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.mul"]>} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %four = arith.constant 4 : index
      %two = arith.constant dense<2.0> : vector<16xf32>
      scf.for %i = %zero to %four step %one {
        %a = vector.load %x[%i, %zero] : memref<4x16xf32>, vector<16xf32>
        %b = arith.mulf %a, %two : vector<16xf32>
        vector.store %b, %y[%i, %zero] : memref<4x16xf32>, vector<16xf32>
      }
      func.return
    }
    ```

    After:

    ```mlir
    llvm.func internal @scale(
      %x: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull,
        llvm.dereferenceable = 256 : i64},
      %y: !llvm.ptr {llvm.noalias, llvm.noundef, llvm.nonnull,
        llvm.dereferenceable = 256 : i64}
    ) attributes {no_unwind} {
      %0 = llvm.mlir.constant(dense<2.000000e+00> : vector<16xf32>) : vector<16xf32>
      %1 = llvm.mlir.constant(0) : i64
      %2 = llvm.mlir.constant(4) : i64
      %3 = llvm.mlir.constant(1) : i64
      %4 = llvm.mlir.constant(64) : i64
      llvm.br ^bb1(%1, %1 : i64, i64)
    ^bb1(%5: i64, %6: i64):
      %7 = llvm_ext.getelementptr %x[%6] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %8 = llvm.load %7 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %9 = llvm.fmul %8, %0 : vector<16xf32>
      %10 = llvm_ext.getelementptr %y[%6] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      llvm.store %9, %10 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      %11 = llvm.add %5, %3 overflow<nsw> : i64
      %12 = llvm.icmp "slt" %11, %2 : i64
      %13 = llvm.add %6, %4 : i64
      llvm.cond_br %12, ^bb1(%11, %13 : i64, i64), ^bb2
    ^bb2:
      llvm.return
    }
    ```
    """

    name = "convert-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Lower each CPU function in place, then add the declarations they need."""
        found = op.attributes.get("devproc.target")
        target = found if isinstance(found, TargetAttr) else NO_TARGET
        block = op.body.block
        names = [
            child.sym_name.data for child in block.ops if isinstance(child, FuncOp)
        ]
        lowering = ModuleLowering(target, names)
        for child in list(block.ops):
            if not is_cpu_function(child):
                continue
            if child.is_declaration:
                lowered = declare_function(child)
            else:
                lowered = lower_function(child, RULES, lowering)
            new_ops = [*lowering.functions, lowered]
            lowering.functions.clear()
            if child.sym_name.data.startswith(SEGMENT):
                new_ops.append(make_entry(lowered))
            block.insert_ops_before(new_ops, child)
            block.detach_op(child)
        for child in list(block.ops):
            if isinstance(child, memref.GlobalOp) and (
                child.sym_name.data in lowering.tables
            ):
                block.insert_op_before(convert_global(child), child)
                block.erase_op(child)
        if machine_of(target).vector_bits.data > STACK_BITS:
            _align_stacks(op, machine_of(target).vector_bits.data // 8)
        block.add_ops(lowering.declared.values())
        if lowering.accesses:
            block.add_op(violations_table(lowering.accesses))
        _check_calls(op, lowering)
