"""Ops of a program before they are placed: may they run on the NPU, and how long?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from devproc.backend import Composite
from devproc_npu.estimate import function_cycles
from devproc_npu.groups import Group, Refusal, group_of, groups_of, is_constant
from devproc_npu.transforms.npu_choose_tiles import choose_tiles
from devproc_npu.transforms.npu_fuse import fuse


def reasons(ops: Sequence[Operation]) -> Sequence[str]:
    """Why the machine cannot compute these ops; none if it can."""
    try:
        groups_of(ops)
        scheduled(ops)
    except (Refusal, ValueError) as error:
        return [str(error)]
    return []


def cycles(ops: Sequence[Operation]) -> float:
    """The estimate for ops that are legal."""
    return function_cycles(scheduled(ops))


def scheduled(ops: Sequence[Operation]) -> FuncOp:
    """A function of copies of these ops, as ops of the machine with schedules.

    Raises Refusal or ValueError for ops that the machine cannot compute.
    """
    inside = dict.fromkeys(result for op in ops for result in op.results)
    used = dict.fromkeys(v for op in ops for v in op.operands if v not in inside)
    inputs = [value for value in used if not is_constant(value)]
    block = Block(arg_types=[value.type for value in inputs])
    copies: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    constants = [value.owner for value in used if is_constant(value)]
    for op in (*dict.fromkeys(constants), *ops):
        assert isinstance(op, Operation)
        block.add_op(op.clone(copies))
    results = [
        value
        for value in inside
        if any(use.operation not in ops for use in value.uses) or not value.first_use
    ]
    outputs = [copies[value] for value in results]
    block.add_op(ReturnOp(*outputs))
    types = [v.type for v in inputs], [v.type for v in results]
    function = FuncOp("region", types, Region(block))
    fuse(function)
    choose_tiles(function)
    return function


def _composite(name: str, wanted: Callable[[Group], bool]) -> Composite:
    def match(op: Operation) -> Sequence[Operation] | None:
        try:
            group = group_of(op)
        except Refusal:
            return None
        return group.ops if len(group.ops) > 1 and wanted(group) else None

    return Composite(name, match)


COMPOSITES = (
    _composite("product", lambda g: len(g.inputs) == 2 and len(g.scales) < 2),
    _composite("sum of two tensors", lambda g: len(g.scales) == 3),
    _composite("mean of pixels, or a clamp", lambda g: len(g.inputs) == 1),
)
