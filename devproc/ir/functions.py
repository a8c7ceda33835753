"""Lookups in a module: its functions, the ops of one, the value of a constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable


def functions_of(module: ModuleOp) -> Iterator[FuncOp]:
    """The `func.func` ops of a module, in order."""
    return (op for op in module.body.block.ops if isinstance(op, FuncOp))


def function_named(module: ModuleOp, name: str) -> FuncOp | None:
    """The `func.func` of this name; None if there is none."""
    return next((f for f in functions_of(module) if f.sym_name.data == name), None)


def symbol_named(op: Operation, name: SymbolRefAttr) -> Operation | None:
    """What a symbol means around an op; None if it is not defined there.

    First by properties: xDSL's `lookup_symbol` asks each op of the module for its traits.
    """
    module = op.parent_op()
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    if module is not None and not name.nested_references:
        for found in module.body.block.ops:
            if found.properties.get("sym_name") == name.root_reference:
                return found
    return SymbolTable.lookup_symbol(op, name)


def constant_of(value: SSAValue) -> int:
    """The integer of an `arith.constant`."""
    assert isinstance(value.owner, ConstantOp)
    return cast(IntegerAttr, value.owner.value).value.data


def ops_of(module: ModuleOp, name: str) -> list[Operation]:
    """The ops in the body of a function; none if there is no such function."""
    function = function_named(module, name)
    return [] if function is None else list(function.body.block.ops)
