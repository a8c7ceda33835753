"""The functions of regions as plain data, for backends whose code is such data.

A backend that takes regions whole may read the IR itself; this is for one that only wants
the ops in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects.nn.constant import WeightOp
from devproc.errors import CompileError
from devproc.ir.functions import functions_of
from devproc.ir.text.location import describe_location
from devproc.ir.types import memory_dtype_name, tensor_of


def functions_as_data(module: ModuleOp) -> dict[str, dict[str, Any]]:
    """The functions of a module, by name; all of it can be written as JSON.

    `arguments` has the dtype and shape of each. `ops` has a row for each op: its name, the
    numbers of its operands, its properties (numbers, lists of numbers, texts), and the dtype
    and shape of its result. Values are numbered from 0: the arguments, then the results.
    `nn.weight` has the property `name`. `returned` has the numbers of the returned values.
    Raises CompileError for an op with a body, or with other than one result.
    """
    return {f.sym_name.data: _function(f.body.block) for f in functions_of(module)}


def dtypes_of(ops: Iterable[Operation]) -> set[str]:
    """The dtypes of all operands and results."""
    return {_type(value)[0] for op in ops for value in (*op.operands, *op.results)}


def _function(block: Block) -> dict[str, Any]:
    numbers: dict[SSAValue, int] = {v: n for n, v in enumerate(block.args)}
    rows: list[Any] = []
    *ops, last = block.ops
    for op in ops:
        if len(op.results) != 1 or op.regions:
            raise CompileError(
                f"'{op.name}' ({describe_location(op.location)}) is not an op with one "
                "result and no body, as plain data has it"
            )
        numbers[op.results[0]] = len(numbers)
        operands = [numbers[value] for value in op.operands]
        rows.append([op.name, operands, _properties(op), *_type(op.results[0])])
    return {
        "arguments": [_type(value) for value in block.args],
        "ops": rows,
        "returned": [numbers[value] for value in last.operands],
    }


def _type(value: SSAValue) -> tuple[str, list[int]]:
    type_ = tensor_of(value)
    return memory_dtype_name(type_.element_type), list(type_.get_shape())


def _properties(op: Operation) -> dict[str, Any]:
    if isinstance(op, WeightOp):
        return {"name": op.weight_name}
    return {name: _plain(value) for name, value in op.properties.items()}


def _plain(value: Attribute) -> Any:
    """A number, a text, or the numbers of an array; the text of any other attribute."""
    match value:
        case DenseArrayBase() | DenseIntOrFPElementsAttr():
            return list(cast(Any, value).get_values())
        case IntegerAttr() | FloatAttr():
            return value.value.data
        case StringAttr():
            return value.data
        case _:
            return str(value)
