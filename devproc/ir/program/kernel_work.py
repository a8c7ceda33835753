"""The work of kernels: operations on floats, and bytes of their operands."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation

from devproc.dialects.dev import byte_size
from devproc.ir.program.kernel_modules import marked_functions
from devproc.ir.program.structured import loop_sizes


@dataclass(frozen=True)
class Work:
    """One launch of a kernel: operations on floats, and bytes of its operands."""

    flops: int
    byte_count: int


def kernel_work(module: ModuleOp) -> dict[str, Work]:
    """Kernel name -> the work of a launch, of a module before `schedules`.

    As written: an algorithm that computes less, such as Winograd's,
    shows a higher rate. Each operand counts once; sequential loops count no operations.
    """
    found: dict[str, Work] = {}
    for function, _ in marked_functions(module):
        types = (*function.function_type.inputs, *function.function_type.outputs)
        flops = sum(
            prod(loop_sizes(op)) * _float_ops(op)
            for op in function.walk()
            if isinstance(op, GenericOp)
        )
        found[function.sym_name.data] = Work(flops, sum(map(byte_size, types)))
    return found


def _float_ops(generic: GenericOp) -> int:
    return sum(map(_is_float_op, generic.body.block.ops))


def _is_float_op(op: Operation) -> bool:
    if isinstance(op, arith.ConstantOp) or len(op.results) != 1:
        return False
    same = all(v.type == op.results[0].type for v in op.operands)
    dialect = op.dialect_name() in (arith.Arith.name, math.Math.name)
    return dialect and same and isinstance(op.results[0].type, AnyFloat)
