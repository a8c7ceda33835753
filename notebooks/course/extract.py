"""Some ops of a program as a program of their own."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue


def extract(ops: Sequence[Operation]) -> ModuleOp:
    """A module whose `@main` is these ops, which are in the order of their block.

    Values that they read and that none of them defines are its arguments; results that none
    of them reads are its results.
    """
    defined = [result for op in ops for result in op.results]
    read = [value for op in ops for value in op.operands]
    arguments = list(dict.fromkeys(v for v in read if v not in defined))
    function = FuncOp("main", ([v.type for v in arguments], []))
    block = function.body.block
    values = dict[SSAValue, SSAValue](zip(arguments, block.args))
    for op in ops:
        block.add_op(op.clone(values))
    block.add_op(ReturnOp(*(values[v] for v in defined if v not in read)))
    function.update_function_type()
    return ModuleOp([function])
