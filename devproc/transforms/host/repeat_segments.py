"""Adds the native loop over the calls of a program that can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
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
    ModuleOp,
    StringAttr,
    i1,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.memref import LoadOp, StoreOp
from xdsl.dialects.scf import ConditionOp, WhileOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects import plan
from devproc.dialects.dev import OnAttr, checks_bounds
from devproc.dialects.dev.layouts import Layout
from devproc.dialects.plan_repeat import CONTROL, FollowOp
from devproc.ir.functions import function_named
from devproc.ir.host.batch import part_count
from devproc.ir.host.control import LIMIT, MADE
from devproc.ir.host.lifetimes import memory_root, steps_of
from devproc.ir.program.region_functions import region_functions
from devproc.ir.program.repeat import (
    REPEAT_SUFFIX,
    ROLE,
    Repetition,
    repetition_of,
    until_number,
)
from devproc.ir.program.state import TWO_PLACES, state_name
from devproc.ir.types import AnyMemRef
from devproc.transforms.host.outline_segments import runs_of_launches


def why_not_native(module: ModuleOp) -> str | None:
    """Why the runtime repeats the calls of a program on memory, one by one.

    None where a native loop does.
    """
    main = function_named(module, "main")
    if main is None:
        return "there is no @main"
    rows = main.arg_attrs or ()
    two_places = next((state_name(r) for r in rows if TWO_PLACES in r.data), None)
    if two_places is not None:
        return f"the state '{two_places}' has two places"
    if checks_bounds(module):
        return "the program checks its accesses"
    if part_count(main) != 1:
        return "a call has several parts"
    steps = steps_of(main.body.block)
    runs = list(runs_of_launches(main.body.block, 0, region_functions(module)))
    if len(runs) != 1 or len(runs[0]) != len(steps):
        return "not all of its steps are kernels of the host"
    types = [cast(AnyMemRef, arg.type) for arg in _outputs(main)]
    if any(_layout_of(type_) is not None for type_ in types):
        return "an output has a layout of its own"
    return None


def _outputs(main: FuncOp) -> list[SSAValue]:
    """The arguments of the outputs, in order."""
    rows = zip(main.body.block.args, main.arg_attrs or (), strict=True)
    output = StringAttr("output")
    return [arg for arg, row in rows if row.data.get(ROLE) == output]


def _layout_of(type_: AnyMemRef) -> Layout | None:
    place = type_.memory_space
    layout = place.layout if isinstance(place, OnAttr) else None
    return layout if isinstance(layout, Layout) else None


def _rows_of(type_: Attribute, count: int) -> MemRefType[Attribute]:
    """The type of an output of so many calls."""
    one = cast(AnyMemRef, type_)
    shape = [count, *one.get_shape()]
    return MemRefType(one.element_type, shape, memory_space=one.memory_space)


class _Loop:
    """The function that calls a segment again and again."""

    def __init__(
        self, main: FuncOp, segment: FuncOp, launch: plan.LaunchOp, given: Repetition
    ):
        self._segment = segment
        outputs = _outputs(main)
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
        operands = list(self._block.args[:-1])
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


@dataclass(frozen=True)
class RepeatSegmentsPass(ModulePass):
    """Adds a loop over the segment of a program that can be repeated (`devproc.repeat`).

    It takes what the segment takes, each output for all calls, and a control block: the
    most calls, how many were made, and a function that is called after each of them. The
    runtime repeats the calls of programs with several host steps (`why_not_native`).

    Before:

    ```mlir
    !flag = memref<1xi1, #dev.on<"cpu">>
    !count = memref<1xi64, #dev.on<"cpu">>
    module attributes {devproc.repeat = {at_most = 9 : i64, until = "ended"},
        devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
      func.func @main(%s: !count {dev.name = "s", dev.state = "s", dev.in_place, dev.role = "state"},
          %e: !flag {dev.name = "ended", dev.role = "output"}) {
        plan.launch @segment_0() -> (%s, %e) : () -> (!count, !flag)
        func.return
      }
      func.func private @segment_0(%s: !count, %e: !flag) {
        func.return
      }
    }
    ```

    After:

    ```mlir
    !flag = memref<1xi1, #dev.on<"cpu">>
    !count = memref<1xi64, #dev.on<"cpu">>
    module attributes {devproc.repeat = {at_most = 9 : i64, until = "ended"},
        devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
      func.func @main(%s: !count {dev.name = "s", dev.state = "s", dev.in_place, dev.role = "state"},
          %e: !flag {dev.name = "ended", dev.role = "output"}) {
        plan.launch @segment_0() -> (%s, %e) : () -> (!count, !flag)
        func.return
      }
      func.func private @segment_0(%s: !count, %e: !flag) {
        func.return
      }
      func.func private @segment_0_repeat(%s: !count, %e: memref<9x1xi1, #dev.on<"cpu">>,
          %control: memref<3xi64, #dev.on<"cpu">>) {
        %0 = arith.constant 0 : index
        %1 = arith.constant 0 : index
        %2 = arith.constant 1 : index
        %3 = arith.constant 1 : index
        %4 = arith.constant true
        %5 = memref.load %control[%0] : memref<3xi64, #dev.on<"cpu">>
        %6 = arith.index_cast %5 : i64 to index
        %7 = scf.while (%8 = %1) : (index) -> index {
          %9 = plan.slice %e[%8] : memref<9x1xi1, #dev.on<"cpu">> -> !flag
          func.call @segment_0(%s, %9) : (!count, !flag) -> ()
          %10 = arith.addi %8, %2 : index
          %11 = arith.index_cast %10 : index to i64
          memref.store %11, %control[%3] : memref<3xi64, #dev.on<"cpu">>
          %12 = plan.follow %control : memref<3xi64, #dev.on<"cpu">> -> i1
          %13 = memref.load %9[%1] : !flag
          %14 = arith.cmpi slt, %10, %6 : index
          %15 = arith.xori %13, %4 : i1
          %16 = arith.andi %12, %15 : i1
          %17 = arith.andi %14, %16 : i1
          scf.condition(%17) %10 : index
        } do {
        ^bb0(%18: index):
          scf.yield %18 : index
        }
        func.return
      }
    }
    ```
    """

    name = "repeat-segments"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        repetition, main = repetition_of(op), function_named(op, "main")
        if repetition is None or main is None or why_not_native(op) is not None:
            return
        launches = [step.op for step in steps_of(main.body.block)]
        if len(launches) != 1:  # a segment for each kernel, for a trace
            return
        (launch,) = launches
        assert isinstance(launch, plan.LaunchOp)
        segment = function_named(op, launch.kernel.root_reference.data)
        assert segment is not None
        op.body.block.add_op(_Loop(main, segment, launch, repetition).function())
