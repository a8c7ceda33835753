"""The native loop over a segment: a function that calls it again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.arith import (
    AddiOp,
    AndIOp,
    CmpiOp,
    ConstantOp,
    IndexCastOp,
    XOrIOp,
)
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    i1,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.memref import LoadOp, StoreOp
from xdsl.dialects.scf import ConditionOp, WhileOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from devproc.dialects import plan
from devproc.dialects.plan_repeat import CONTROL, FollowOp
from devproc.ir.host.control import LIMIT, MADE
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.program.repeat import (
    REPEAT_SUFFIX,
    ROLE,
    Repetition,
    until_number,
)
from devproc.ir.types import AnyMemRef


def output_arguments(main: FuncOp) -> list[SSAValue]:
    """The arguments of the outputs, in order."""
    rows = zip(main.body.block.args, main.arg_attrs or (), strict=True)
    output = StringAttr("output")
    return [arg for arg, row in rows if row.data.get(ROLE) == output]


def _rows_of(type_: Attribute, count: int) -> MemRefType[Attribute]:
    """The type of an output of so many calls."""
    one = cast(AnyMemRef, type_)
    shape = [count, *one.get_shape()]
    return MemRefType(one.element_type, shape, memory_space=one.memory_space)


class SegmentLoop:
    """The function that calls a segment again and again."""

    def __init__(
        self, main: FuncOp, segment: FuncOp, launch: plan.LaunchOp, given: Repetition
    ):
        self._segment = segment
        outputs = output_arguments(main)
        roots = [memory_root(value) for value in launch.operands]
        self._outputs = [number for number, v in enumerate(roots) if v in outputs]
        self._until = roots.index(outputs[until_number(main, given)])
        types: list[Attribute] = list(segment.function_type.inputs)
        for number in self._outputs:
            types[number] = _rows_of(types[number], given.at_most)
        self._block = Block(arg_types=[*types, CONTROL])
        for arg, old in zip(self._block.args, segment.body.block.args, strict=False):
            arg.name_hint = old.name_hint
        self._block.args[-1].name_hint = "control"

    def function(self) -> FuncOp:
        """The finished function, named after the segment."""
        block, control = self._block, self._block.args[-1]
        limit_at, zero, one = (_index(n) for n in (LIMIT, 0, 1))
        made_at, true = _index(MADE), ConstantOp(IntegerAttr(1, i1))
        loaded = LoadOp.get(control, [limit_at.result])
        limit = IndexCastOp(loaded.res, IndexType())
        head, body = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])
        rows, ended = self._call(head.args[0], zero.result)
        following = AddiOp(head.args[0], one.result)
        made = IndexCastOp(following.result, i64)
        stored = StoreOp.get(made.result, control, [made_at.result])
        follow = FollowOp(control)
        inside = CmpiOp(following.result, limit.result, "slt")
        going = XOrIOp(ended[-1].results[0], true.result)
        wanted = AndIOp(follow.result, going.result)
        again = AndIOp(inside.result, wanted.result)
        head.add_ops([*rows, following, made, stored, follow, *ended])
        head.add_ops([inside, going, wanted, again])
        head.add_op(ConditionOp(again.result, following.result))
        body.add_op(YieldOp(body.args[0]))
        loop = WhileOp([zero.result], [IndexType()], Region(head), Region(body))
        block.add_ops([limit_at, zero, one, made_at, true, loaded, limit, loop])
        block.add_op(ReturnOp())
        name = f"{self._segment.sym_name.data}{REPEAT_SUFFIX}"
        function = FuncOp(name, (block.arg_types, []), Region(block), "private")
        function.arg_attrs = ArrayAttr([*self._promises(), DictionaryAttr({})])
        function.location = self._segment.location
        return function

    def _call(
        self, number: SSAValue, zero: SSAValue
    ) -> tuple[Sequence[Operation], Sequence[Operation]]:
        """The call of a number, and what loads whether it is the last one."""
        operands: list[SSAValue] = list(self._block.args[:-1])
        ops: list[Operation] = []
        for place in self._outputs:
            row = plan.SliceOp(operands[place], number)
            operands[place] = row.result
            ops.append(row)
        ops.append(CallOp(self._segment.sym_name.data, operands, []))
        ended = operands[self._until]
        shape = cast(AnyMemRef, ended.type).get_shape()
        return ops, [LoadOp.get(ended, [zero] * len(shape))]

    def _promises(self) -> list[DictionaryAttr]:
        rows = list(self._segment.arg_attrs or ())
        return rows or [DictionaryAttr({}) for _ in self._block.args[:-1]]


def _index(value: int) -> ConstantOp:
    return ConstantOp(IntegerAttr(value, IndexType()))
