"""Lets a call that a value check refuses leave the states as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from devproc.backend.installed import backend
from devproc.dialects.dev import target_of
from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.gather import ScatterOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.ir.functions import function_named
from devproc.ir.program.repeat import repetition_of, until_number
from devproc.ir.program.state import set_guarded, state_name
from devproc.ir.text.location import copy_location_between
from devproc.ir.types import tensor_of
from devproc.ir.value_check import DIVISOR, ValueCheck
from devproc.ir.verification.value_checks import CHECKS, read_checks
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)


def cone(value: SSAValue) -> list[Operation]:
    """The ops that a value is computed from, in order."""
    found: set[Operation] = set()
    todo = [value.owner]
    while todo:
        owner = todo.pop()
        if isinstance(owner, Operation) and owner not in found:
            found.add(owner)
            todo += [operand.owner for operand in owner.operands]
    block = value.owner.parent if isinstance(value.owner, Operation) else None
    return [op for op in block.ops if op in found] if block is not None else []


def verdicts(
    e: Expressions, report: SSAValue, checks: Sequence[ValueCheck]
) -> tuple[Expression, Expression]:
    """Whether a call is refused, and whether it is accepted: bools (1).

    No reductions, so that they are fused into the elementwise updates of states. Two, since
    a kernel that computed one for both a state and an index would overwrite the state before
    the index is computed from it.
    """
    refused: list[Expression] = []
    accepted: list[Expression] = []
    for number, check in enumerate(checks):
        value = e.of(report).part(0, number, 1).part(1, 1, 1).reshape(1)
        if check.what == DIVISOR:
            refused.append(value.equal(0))
            accepted.append((value < 0) | (value > 0))
        else:
            refused.append((value < check.lower) | (value > check.upper))
            accepted.append((value >= check.lower) & (value <= check.upper))
    return reduce(Expression.__or__, refused), reduce(Expression.__and__, accepted)


@dataclass
class Guard:
    """Guards the updates of the states of one function."""

    module: ModuleOp
    main: FuncOp
    last: ReturnOp
    guarded: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Index of a scatter -> the same, or none while the call is refused."""

    def run(self) -> None:
        """Guards what does not depend on itself."""
        names = [row.data.get("dev.name") for row in self.main.res_attrs or ()]
        report = self.last.operands[names.index(StringAttr(CHECKS))]
        self.computed = cone(report)
        first = self.main.body.block.first_op
        for op in self.computed:
            if op is first:
                first = op.next_op
                continue
            op.detach()
            assert first is not None
            self.main.body.block.insert_op_before(op, first)
        assert first is not None
        e = Expressions(Builder(InsertPoint.before(first)))
        self.refused, self.accepted = verdicts(e, report, read_checks(self.module))
        states = [a for a in self.main.args if state_name(self._row(a)) is not None]
        begin = len(self.last.operands) - len(states)
        for number, state in enumerate(states, begin):
            value = self.guard(state, self.last.operands[number])
            if value is not None:
                self.last.operands[number] = value
                set_guarded(self.main, state.index)
        self._end_repetition()

    def _row(self, argument: BlockArgument) -> DictionaryAttr:
        rows = self.main.arg_attrs
        return rows.data[argument.index] if rows else DictionaryAttr({})

    def guard(self, state: BlockArgument, value: SSAValue) -> SSAValue | None:
        """The new value of a state, which is the old one if the call is refused; None if
        a check depends on it."""
        if value is state:
            return value
        scatters: list[ScatterOp] = []
        source = value
        while isinstance(source.owner, ScatterOp | ReshapeOp | TransposeOp):
            if isinstance(source.owner, ScatterOp):
                scatters.append(source.owner)
            source = source.owner.operand
        if source is not state or not scatters:
            e = Expressions(Builder(InsertPoint.before(self.last)))
            rank = len(tensor_of(value).get_shape())
            accepted = e.of(self.accepted.ssa).reshape(*[1] * rank)
            return e.where(accepted, e.of(value), e.of(state)).ssa
        if any(scatter in self.computed for scatter in scatters):
            return None
        for scatter in scatters:
            scatter.operands[2] = self.index_of(scatter)
        return value

    def index_of(self, scatter: ScatterOp) -> SSAValue:
        """The index of a scatter, out of range if the call is refused."""
        index = scatter.index
        if index in self.guarded:
            return self.guarded[index]
        before, e = scatter.prev_op, Expressions(Builder(InsertPoint.before(scatter)))
        size = tensor_of(scatter.operand).get_shape()[int_of(scatter.axis)]
        rank = len(tensor_of(index).get_shape())
        refused = e.of(self.refused.ssa).reshape(*[1] * rank)
        found = e.where(refused, size, e.of(index)).ssa
        copy_location_between(before, scatter)
        self.guarded[index] = found
        return found

    def _end_repetition(self) -> None:
        """A refused call is the last one of those in a row."""
        repetition = repetition_of(self.module)
        if repetition is None:
            return
        number = until_number(self.main, repetition)
        e = Expressions(Builder(InsertPoint.before(self.last)))
        ended = e.of(self.last.operands[number])
        either = ended | e.of(self.refused.ssa).reshape(*ended.shape)
        self.last.operands[number] = either.ssa


@dataclass(frozen=True)
class GuardUpdatesPass(ModulePass):
    """Makes the states independent of a call that a value check refuses, so that they can
    be updated in place: the indices of scatters are out of range then, and other states
    keep their old value. A scatter that a check depends on cannot know; its state is not
    marked `dev.guarded`, and has two places. Of calls in a row a refused one is the last.

    Before:
    ```mlir
    !at = tensor<1x1xi64>
    !s = tensor<8x4xf32>
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        check_values = 1, cpu = #cpu.machine<vector_bits = 256>>,
        devproc.checks = [{of = "aten.index_copy.default", what = "index", lower = 0 : i64,
        upper = 7 : i64, shape = array<i64: 1>, where = "unknown source"}]} {
      func.func @main(%u: tensor<1x4xf32>, %i: !at, %r: tensor<1x2xi64>,
          %s: !s {dev.state = "s"}, %n: tensor<1xi64> {dev.state = "n"})
          -> (tensor<1x2xi64> {dev.name = "devproc.checks"}, !s {dev.state = "s"},
          tensor<1xi64> {dev.state = "n"}) {
        %t = nn.scatter %u into %s at %i axis 0 mode "set" : (tensor<1x4xf32>, !s, !at) -> !s
        %m = nn.add %n, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        func.return %r, %t, %m : tensor<1x2xi64>, !s, tensor<1xi64>
      }
    }
    ```

    After:
    ```mlir
    !at = tensor<1x1xi64>
    !s = tensor<8x4xf32>
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        check_values = 1, cpu = #cpu.machine<vector_bits = 256>>,
        devproc.checks = [{of = "aten.index_copy.default", what = "index", lower = 0 : i64,
        upper = 7 : i64, shape = array<i64: 1>, where = "unknown source"}]} {
      func.func @main(%u: tensor<1x4xf32>, %i: !at, %r: tensor<1x2xi64>,
          %s: !s {dev.state = "s", dev.guarded}, %n: tensor<1xi64> {dev.state = "n", dev.guarded})
          -> (tensor<1x2xi64> {dev.name = "devproc.checks"}, !s {dev.state = "s"},
          tensor<1xi64> {dev.state = "n"}) {
        %0 = nn.slice %r from [0, 1] size [1, 1] step [1, 1] : (tensor<1x2xi64>) -> !at
        %1 = nn.reshape %0 to [1] : (!at) -> tensor<1xi64>
        %2 = nn.constant dense<0> : tensor<i64> : tensor<i64>
        %3 = nn.lt %1, %2 : (tensor<1xi64>, tensor<i64>) -> tensor<1xi1>
        %4 = nn.constant dense<7> : tensor<i64> : tensor<i64>
        %5 = nn.lt %4, %1 : (tensor<i64>, tensor<1xi64>) -> tensor<1xi1>
        %6 = nn.or %3, %5 : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
        %7 = nn.constant dense<0> : tensor<i64> : tensor<i64>
        %8 = nn.le %7, %1 : (tensor<i64>, tensor<1xi64>) -> tensor<1xi1>
        %9 = nn.constant dense<7> : tensor<i64> : tensor<i64>
        %10 = nn.le %1, %9 : (tensor<1xi64>, tensor<i64>) -> tensor<1xi1>
        %11 = nn.and %8, %10 : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
        %12 = nn.reshape %6 to [1, 1] : (tensor<1xi1>) -> tensor<1x1xi1>
        %13 = nn.constant dense<8> : tensor<i64> : tensor<i64>
        %14 = nn.where %12, %13, %i : (tensor<1x1xi1>, tensor<i64>, !at) -> !at
        %t = nn.scatter %u into %s at %14 axis 0 mode "set" : (tensor<1x4xf32>, !s, !at) -> !s
        %m = nn.add %n, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        %15 = nn.where %11, %m, %n
          : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        func.return %r, %t, %15 : tensor<1x2xi64>, !s, tensor<1xi64>
      }
    }
    ```
    """

    name = "guard-updates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main, target = function_named(op, "main"), target_of(op)
        if main is None or main.is_declaration or target.checks_bounds:
            return
        rows = main.arg_attrs or ()
        has_states = any(state_name(row) is not None for row in rows)
        devices = target.device_names
        if not has_states or not any(backend(d).updates_in_place for d in devices):
            return
        last = cast(ReturnOp, main.body.block.last_op)
        if read_checks(op):
            Guard(op, main, last).run()
