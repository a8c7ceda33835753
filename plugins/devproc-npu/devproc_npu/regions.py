"""Ops of a program before they are placed: may they run on the NPU, and how long?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import cast

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.backend import Composite
from devproc_npu import dialect as npu
from devproc_npu.estimate import function_cycles
from devproc_npu.groups import group_of, groups_of, is_constant
from devproc_npu.transforms.npu_choose_tiles import choose_tiles
from devproc_npu.transforms.npu_fuse import fuse


def reasons(ops: Sequence[Operation]) -> Sequence[str]:
    """Why the machine cannot compute these ops; none if it can."""
    try:
        groups_of(ops)
        scheduled(ops)
    except (ValueError, VerifyException) as error:
        return [str(error)]
    return []


def cycles(ops: Sequence[Operation]) -> float:
    """The estimate for ops that are legal."""
    return function_cycles(scheduled(ops))


def scheduled(ops: Sequence[Operation]) -> FuncOp:
    """A function of copies of these ops, as ops of the machine with schedules.

    Raises VerifyException or ValueError for ops that the machine cannot compute.
    """
    inside = dict.fromkeys(result for op in ops for result in op.results)
    used = dict.fromkeys(v for op in ops for v in op.operands if v not in inside)
    constants = dict.fromkeys(v.owner for v in used if is_constant(v))
    inputs = [value for value in used if not is_constant(value)]
    readers = {value: {use.operation for use in value.uses} for value in inside}
    results = [v for v, found in readers.items() if not found or found - set(ops)]
    block = Block(arg_types=[value.type for value in inputs])
    copies: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for op in (*cast(Iterable[Operation], constants), *ops):
        block.add_op(op.clone(copies))
    block.add_op(ReturnOp(*(copies[value] for value in results)))
    types = [v.type for v in inputs], [v.type for v in results]
    function = FuncOp("region", types, Region(block))
    fuse(function)
    choose_tiles(function)
    return function


def _match(kinds: tuple[type, ...], last: Operation) -> list[Operation] | None:
    try:
        group = group_of(last)
    except VerifyException:
        return None
    is_whole = group.kind and issubclass(group.kind, kinds) and len(group.ops) > 1
    return group.ops if is_whole else None


ALONE = (npu.SumPoolOp, npu.RescaleOp)
COMPOSITES = (
    Composite("product", partial(_match, (npu.ProductOp,))),
    Composite("sum of two tensors", partial(_match, (npu.AddOp,))),
    Composite("mean of pixels, or a clamp", partial(_match, ALONE)),
)
