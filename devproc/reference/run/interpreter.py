"""Evaluates a function of `nn` ops with PyTorch, op by op: the reference of a program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from devproc.dialects.dev import CopyOp, HostCallOp, RegionOp, SyncOp, YieldOp
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.loop import LoopOp
from devproc.dialects.nn.loop import YieldOp as StepYieldOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.errors import CompileError
from devproc.extension import custom_op_of
from devproc.ir.text.location import describe_location
from devproc.ir.types import dtype_name, is_float, tensor_of
from devproc.ir.weights.prepare import PREFIX, prepare_function
from devproc.ir.weights.table import Array, WeightTable
from devproc.reference import (
    activations,
    attention,
    checks,
    compare,
    constant,
    contraction,
    detection,
    elementary,
    gather,
    image,
    normalization,
    pointwise,
    quantized,
    reduction,
    scan,
    shape,
    signal,
    sort,
    window,
)
from devproc.reference.base.meaning import Meaning
from devproc.reference.conversion.arrays import to_numpy, to_torch
from devproc.reference.conversion.tensors import torch_dtype
from devproc.reference.run import host_call

Observer: TypeAlias = Callable[[Operation, tuple[torch.Tensor, ...]], None]
Values: TypeAlias = dict[SSAValue, torch.Tensor]

REFERENCE: Mapping[type[Operation], Meaning] = cast(
    Any,
    {
        **checks.REFERENCE,
        **compare.REFERENCE,
        **constant.REFERENCE,
        **activations.REFERENCE,
        **attention.REFERENCE,
        **contraction.REFERENCE,
        **detection.REFERENCE,
        **elementary.REFERENCE,
        **gather.REFERENCE,
        **image.REFERENCE,
        **normalization.REFERENCE,
        **pointwise.REFERENCE,
        **quantized.REFERENCE,
        **reduction.REFERENCE,
        **scan.REFERENCE,
        **shape.REFERENCE,
        **signal.REFERENCE,
        **sort.REFERENCE,
        **window.REFERENCE,
        HostCallOp: host_call.call,
    },
)
"""op class -> its reference: a function of the op and its operands."""


def _custom_meaning(op: Operation) -> Meaning | None:
    custom = custom_op_of(type(op))
    return custom and custom.reference


def evaluate(
    function: FuncOp,
    inputs: Sequence[torch.Tensor],
    weights: WeightTable,
    observe: Observer | None = None,
    dtype64: bool = False,
) -> list[torch.Tensor]:
    """The results of a function of `nn` ops for these inputs.

    `observe` is called after each op with its results. With `dtype64` every
    floating-point value is a float64 and casts between floats have no effect: the result
    free of the program's rounding. Regions, copies and syncs of the `dev` dialect are
    transparent. Raises CompileError for an op without a reference.
    """
    block = function.body.block
    if len(inputs) != len(block.args):
        raise CompileError(
            f"@{function.sym_name.data} takes {len(block.args)} inputs, "
            f"got {len(inputs)}"
        )
    run = _Run(weights, observe, dtype64)
    return run.block(block, inputs)


def evaluate_op(
    op: Operation, operands: Sequence[torch.Tensor], weights: WeightTable
) -> tuple[torch.Tensor, ...]:
    """The results of one op for these operands."""
    return _Run(weights, None, False, borrow=True).op(op, operands)


def prepare_results(
    module: ModuleOp, weights: WeightTable, names: Collection[str] | None = None
) -> Iterator[tuple[str, Array]]:
    """The results of `@prepare` as (name, array), the names being `prepare.<i>`.

    `names` selects some of them. Each is yielded as soon as it is computed and not kept.
    Yields nothing for a module without `@prepare`.
    """
    function = prepare_function(module)
    if function is None:
        return
    block = function.body.block
    run = _Run(weights, None, False, borrow=True)
    wanted: dict[SSAValue, list[str]] = {}
    terminator = block.last_op
    assert terminator is not None
    for i, operand in enumerate(terminator.operands):
        if names is None or f"{PREFIX}{i}" in names:
            wanted.setdefault(operand, []).append(f"{PREFIX}{i}")
    ops = [op for op in block.ops if op is not terminator]
    last_use = {operand: op for op in ops for operand in op.operands}
    values: Values = {}
    for op in ops:
        results = run.op(op, [values[operand] for operand in op.operands])
        for value, result in zip(op.results, results, strict=True):
            for name in wanted.get(value, ()):
                yield name, to_numpy(result)
            if value in last_use:
                values[value] = result
        del results
        for operand in op.operands:
            if last_use[operand] is op:
                values.pop(operand, None)


class _Run:
    """One evaluation: the weights, the observer, and the precision."""

    def __init__(
        self,
        weights: WeightTable,
        observe: Observer | None,
        dtype64: bool,
        borrow: bool = False,
    ) -> None:
        self.weights = weights
        self.observe = observe
        self.dtype64 = dtype64
        # References never write to their operands, so @prepare may share the table's memory.
        self.borrow = borrow

    def block(self, block: Block, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Runs the ops in order; the operands of the terminator are the results."""
        values: Values = dict(zip(block.args, map(self._widen, inputs), strict=True))
        last_use = {operand: op for op in block.ops for operand in op.operands}
        for op in block.ops:
            if isinstance(op, ReturnOp | YieldOp | StepYieldOp):
                return [values[operand] for operand in op.operands]
            results = self.op(op, [values[operand] for operand in op.operands])
            if self.observe is not None and not isinstance(op, RegionOp):
                self.observe(op, results)
            # Free each activation after its last use.
            for operand in op.operands:
                if last_use[operand] is op:
                    values.pop(operand, None)
            values.update(zip(op.results, results, strict=True))
        return []

    def op(
        self, op: Operation, operands: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        """The results of one op."""
        if isinstance(op, WeightOp):
            return (self._widen(self._weight(op)),)
        if isinstance(op, RegionOp):
            return tuple(self.block(op.body.block, operands))
        if isinstance(op, LoopOp):
            return _Run(self.weights, None, self.dtype64).loop(op, operands)
        if isinstance(op, CopyOp | SyncOp):
            return tuple(operands)
        if self.dtype64 and isinstance(op, CastOp) and is_float(op.dtype):
            return (operands[0].to(torch.float64),)
        meaning = REFERENCE.get(type(op)) or _custom_meaning(op)
        if meaning is None:
            raise CompileError(
                f"'{op.name}' ({describe_location(op.location)}) has no reference "
                "meaning: only a function of nn ops can be evaluated"
            )
        return tuple(map(self._widen, meaning(op, *operands)))

    def loop(
        self, op: LoopOp, operands: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        """The carried values after the last step, and the stacked values of all steps."""
        first, kept = len(op.sequences), len(op.sequences) + len(op.initial)
        sequences, invariants = operands[:first], operands[kept:]
        carried, count = list(operands[first:kept]), len(op.initial)
        stacked = [
            torch.empty(type_.get_shape(), dtype=torch_dtype(type_.element_type))
            for type_ in map(tensor_of, op.stacked)
        ]
        stacked = list(map(self._widen, stacked))
        for step in op.order:
            now = [sequence[step] for sequence in sequences]
            found = self.block(op.body.block, [*now, *carried, *invariants])
            carried = found[:count]
            for whole, value in zip(stacked, found[count:], strict=True):
                whole[step] = value
        return *carried, *stacked

    def _weight(self, op: WeightOp) -> torch.Tensor:
        name = op.weight_name
        if name not in self.weights:
            raise CompileError(
                f"weight '{name}' is not in the weight table; "
                "load the weights that belong to this program"
            )
        wanted = tensor_of(op.result)
        array = self.weights.array(name)
        found = (self.weights.dtype(name), array.shape)
        if found != (dtype_name(wanted.element_type), wanted.get_shape()):
            raise CompileError(
                f"weight '{name}' is {found[0]} {found[1]} in the weight table, "
                f"but the program wants {wanted}"
            )
        return to_torch(array, found[0], self.borrow)

    def _widen(self, value: torch.Tensor) -> torch.Tensor:
        if self.dtype64 and value.is_floating_point():
            return value.to(torch.float64)
        return value
