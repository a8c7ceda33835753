"""What the program on memory means: an evaluator of the stages from `buffers` to `host`.

Memory is real bytes: buffers are slices of one array per arena, filled with garbage, so a
read before the first write, or after the memory was given to another buffer, shows.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith, builtin, func, linalg, memref
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects import plan
from tests.linalg_evaluator import NUMPY, Array, run_scalar

GARBAGE = 0xA5


def shape_and_dtype(type_: Any) -> tuple[tuple[int, ...], Any]:
    return type_.get_shape(), np.dtype(NUMPY[str(type_.element_type)])


def garbage(type_: Any) -> Array:
    """Memory of this type that nobody has written yet."""
    shape, dtype = shape_and_dtype(type_)
    count = int(np.prod(shape)) * dtype.itemsize
    return np.full(count, GARBAGE, np.uint8).view(dtype).reshape(shape)


def run_generic(op: linalg.ops.GenericOp, values: dict[SSAValue, Any]) -> None:
    """Structured loops, each point reading and writing memory at once."""
    maps = [attribute.data for attribute in op.indexing_maps]
    arrays = [values[v] for v in op.operands]
    block = op.body.block
    *body, last = block.ops
    for point in itertools.product(*(range(s) for s in op.get_static_loop_ranges())):
        places = [m.eval(point, []) for m in maps]
        scope = dict(values)
        for argument, array, place in zip(block.args, arrays, places, strict=True):
            scope[argument] = array[place] if argument.uses else None
        for inner in body:
            if isinstance(inner, memref.LoadOp):
                indices = tuple(int(scope[i]) for i in inner.indices)
                scope[inner.res] = scope[inner.memref][indices]
            else:
                scope[inner.results[0]] = run_scalar(inner, scope, point)
        outputs = zip(arrays[len(op.inputs) :], places[len(op.inputs) :], strict=True)
        for (array, place), value in zip(outputs, last.operands, strict=True):
            array[place] = scope[value]


class Memory:
    """Runs the functions of a module on memory."""

    def __init__(self, module: builtin.ModuleOp, weights: Mapping[str, Array]):
        self.weights = weights
        self.functions = {
            op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)
        }
        self.globals = {
            op.sym_name.data: self.table(op)
            for op in module.ops
            if isinstance(op, memref.GlobalOp)
        }

    @staticmethod
    def table(op: memref.GlobalOp) -> Array:
        shape, dtype = shape_and_dtype(op.type)
        value = op.initial_value
        assert isinstance(value, builtin.DenseIntOrFPElementsAttr)
        return np.array(value.get_values(), dtype).reshape(shape)

    def call(self, name: str, arrays: Sequence[Array]) -> None:
        """Run a function: `@main`, a segment, or a kernel."""
        block = self.functions[name].body.block
        values: dict[SSAValue, Any] = dict(zip(block.args, arrays, strict=True))
        with np.errstate(all="ignore"):
            for op in block.ops:
                self.run(op, values)

    def run(self, op: Operation, values: dict[SSAValue, Any]) -> None:
        match op:
            case linalg.ops.GenericOp():
                run_generic(op, values)
            case linalg.ops.FillOp():
                values[op.outputs[0]][...] = values[op.inputs[0]]
            case arith.ConstantOp():
                values[op.result] = run_scalar(op, values, ())
            case memref.AllocaOp() | memref.AllocOp():
                values[op.memref] = garbage(op.memref.type)
            case memref.GetGlobalOp():
                values[op.memref] = self.globals[op.name_.root_reference.data]
            case plan.ArenaOp():
                values[op.result] = np.full(op.byte_count, GARBAGE, np.uint8)
            case plan.BufferOp():
                shape, dtype = shape_and_dtype(op.result.type)
                start, end = op.span
                memory = values[op.arena][start:end]
                values[op.result] = memory.view(dtype).reshape(shape)
            case plan.WeightOp():
                values[op.result] = self.weights[op.weight_name]
            case plan.ViewOp():
                shape, _ = shape_and_dtype(op.result.type)
                values[op.result] = values[op.source].reshape(shape)
            case plan.LaunchOp():
                arrays = [values[v] for v in op.operands]
                self.call(op.kernel.root_reference.data, arrays)
            case plan.CopyOp():
                values[op.destination][...] = values[op.source]
            case func.CallOp():
                arrays = [values[v] for v in op.operands]
                self.call(op.callee.root_reference.data, arrays)
            case _:
                assert op.name in ("func.return", "dev.sync"), op.name


def evaluate(
    module: builtin.ModuleOp,
    inputs: Sequence[Array],
    weights: Mapping[str, Array] | None = None,
) -> list[Array]:
    """The outputs of `@main` in destination-passing style for these inputs."""
    memory = Memory(module, weights or {})
    main = memory.functions["main"]
    outputs = [
        garbage(type_) for type_ in main.function_type.inputs.data[len(inputs) :]
    ]
    memory.call("main", [*inputs, *outputs])
    return outputs
