"""The functions of a program that PyTorch runs, ready to be called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import HostCallOp
from devproc.driver import parse_module
from devproc.ir.program.region_functions import region_functions
from devproc.ir.types import tensor_of
from devproc.ir.weights.table import WeightTable
from devproc.reference.conversion.tensors import torch_dtype
from devproc.reference.run.host_call import Tensors, bind
from devproc.reference.run.interpreter import evaluate_op

Call = Callable[[Sequence[torch.Tensor]], Tensors]


@dataclass(frozen=True)
class _Step:
    """One op: its implementation, and the numbers of its operands and results."""

    call: Call
    operands: tuple[int, ...]
    results: tuple[int, ...]


class HostFunction:
    """One function, on tensors over the program's memory."""

    def __init__(self, function: FuncOp):
        block = function.body.block
        last = block.last_op
        assert isinstance(last, ReturnOp)
        numbers: dict[SSAValue, int] = {v: i for i, v in enumerate(block.args)}
        self._steps: list[_Step] = []
        for op in block.ops:
            if op is last:
                break
            operands = tuple(numbers[v] for v in op.operands)
            for result in op.results:
                numbers[result] = len(numbers)
            results = tuple(numbers[v] for v in op.results)
            self._steps.append(_Step(_call_of(op), operands, results))
        self._count = len(numbers)
        self._returned = [numbers[v] for v in last.arguments]
        ends = (*block.args, *last.arguments)
        self._dtypes = [torch_dtype(tensor_of(v).element_type) for v in ends]

    def __call__(self, operands: Sequence[torch.Tensor]) -> None:
        """Reads the inputs and writes the results, in the order of a launch.

        Both are views of the program's memory; each result is copied into its view.
        """
        # Memory is signless: uint8 is passed as int8.
        ends = [
            value if value.dtype == dtype else value.view(dtype)
            for value, dtype in zip(operands, self._dtypes, strict=True)
        ]
        inputs = len(ends) - len(self._returned)
        values: list[torch.Tensor] = ends[:inputs] + [ends[0]] * (self._count - inputs)
        for step in self._steps:
            found = step.call([values[number] for number in step.operands])
            for number, value in zip(step.results, found, strict=True):
                values[number] = value
        for number, place in zip(self._returned, ends[inputs:], strict=True):
            place.copy_(values[number])


def _call_of(op: Operation) -> Call:
    if isinstance(op, HostCallOp):
        return bind(op)
    return partial(evaluate_op, op, weights=WeightTable())


def load_host_functions(text: str) -> dict[str, HostFunction]:
    """The functions of a module's text, by name.

    Raises CompileError for an operator that is not registered in PyTorch.
    """
    functions = region_functions(parse_module(text))
    return {name: HostFunction(function) for name, function in functions.items()}
