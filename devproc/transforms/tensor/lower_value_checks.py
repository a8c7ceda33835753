"""Lowers value checks to ops that report rejected values, or erases them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from devproc.dialects.dev import checks_values
from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.checks import CheckOp, CheckRangeOp
from devproc.ir.program.state import state_name
from devproc.ir.text.location import copy_location_between, describe_location
from devproc.ir.types import tensor_of
from devproc.ir.value_check import COLUMNS, DIVISOR, ValueCheck
from devproc.ir.verification.value_checks import CHECKS, record_checks


def row_of(op: CheckOp) -> ValueCheck:
    """The description of a check in messages."""
    lower = upper = 0
    what = DIVISOR
    if isinstance(op, CheckRangeOp):
        lower, upper, what = int_of(op.lower), int_of(op.upper), op.what.data
    shape, where = tensor_of(op.operand).get_shape(), describe_location(op.location)
    return ValueCheck(op.of.data, what, lower, upper, shape, where)


def report(op: CheckOp, row: ValueCheck) -> SSAValue:
    """Compute the index and value of the first rejected element, before the check."""
    # Imported here, since other programs do not need the formulas.
    from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions

    before = op.prev_op
    e = Expressions(Builder(InsertPoint.before(op)))
    x = e.of(op.operand).reshape(-1).cast("int64")
    refused = x.equal(0) if row.what == DIVISOR else (x < row.lower) | (x > row.upper)
    place = refused.cast("uint8").argmax(0, keep=True)
    found = e.concat([place, x.gather(place, 0)], 0).reshape(1, COLUMNS)
    copy_location_between(before, op)
    return found.ssa


def checks_of(function: FuncOp) -> list[CheckOp]:
    """The checks of a function, in order."""
    return [op for op in function.walk() if isinstance(op, CheckOp)]


def erase(op: Operation) -> None:
    """Removes a check, and ops that only it uses."""
    operands = list(op.operands)
    op.detach()
    op.erase()
    for value in operands:
        owner = value.owner
        # Without a parent, it was erased with another operand.
        if (
            isinstance(owner, Operation)
            and owner.parent is not None
            and is_trivially_dead(owner)
        ):
            erase(owner)


def return_report(function: FuncOp, rows: list[SSAValue]) -> None:
    """Add the rows as a further result, between the outputs and the states."""
    from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions

    last = cast(ReturnOp, function.body.block.last_op)
    e = Expressions(Builder(InsertPoint.before(last)))
    whole = e.concat([e.of(row) for row in rows], 0).ssa
    given: list[DictionaryAttr] = list(function.res_attrs or ())
    given = given or [DictionaryAttr({}) for _ in last.arguments]
    place = sum(state_name(row) is None for row in given)
    values = list(last.arguments)
    values.insert(place, whole)
    given.insert(place, DictionaryAttr({"dev.name": StringAttr(CHECKS)}))
    last.operands = values
    function.res_attrs = ArrayAttr(given)
    function.update_function_type()


@dataclass(frozen=True)
class LowerValueChecksPass(ModulePass):
    """Erase value checks, or with `check_values` make them a result of `@main`.

    Ordinary ops find the first rejected value, so every target supports checks, and no
    later pass is affected. The result is `int64 (n, 2)` for n checks, index and value;
    `devproc.checks` on the module describes its rows.

    Before:
    ```mlir
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, check_values = 1,
        cpu = #cpu.machine<vector_bits = 256>>} {
      func.func @main(%x: tensor<9x4xf32>, %i: tensor<2x1xi64>) -> tensor<2x4xf32> {
        nn.check_range %i from 0 to 8 what "index" of "aten.embedding.default"
          : tensor<2x1xi64>
        %y = nn.gather %x at %i axes [0]
          : (tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
        func.return %y : tensor<2x4xf32>
      }
    }
    ```

    After:
    ```mlir
    module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, check_values = 1,
        cpu = #cpu.machine<vector_bits = 256>>,
        devproc.checks = [{of = "aten.embedding.default",
        what = "index", lower = 0 : i64, upper = 8 : i64, shape = array<i64: 2, 1>,
        where = "unknown source"}]} {
      func.func @main(%x: tensor<9x4xf32>, %i: tensor<2x1xi64>)
          -> (tensor<2x4xf32>, tensor<1x2xi64> {dev.name = "devproc.checks"}) {
        %0 = nn.reshape %i to [2] : (tensor<2x1xi64>) -> tensor<2xi64>
        %1 = nn.constant dense<0> : tensor<i64> : tensor<i64>
        %2 = nn.lt %0, %1 : (tensor<2xi64>, tensor<i64>) -> tensor<2xi1>
        %3 = nn.constant dense<8> : tensor<i64> : tensor<i64>
        %4 = nn.lt %3, %0 : (tensor<i64>, tensor<2xi64>) -> tensor<2xi1>
        %5 = nn.or %2, %4 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
        %6 = nn.cast %5 to ui8 : (tensor<2xi1>) -> tensor<2xui8>
        %7 = nn.argmax %6 axis 0 keep 1 : (tensor<2xui8>) -> tensor<1xi64>
        %8 = nn.gather %0 at %7 axes [0]
          : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
        %9 = nn.concat %7, %8 axis 0
          : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
        %10 = nn.reshape %9 to [1, 2] : (tensor<2xi64>) -> tensor<1x2xi64>
        %y = nn.gather %x at %i axes [0]
          : (tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
        func.return %y, %10 : tensor<2x4xf32>, tensor<1x2xi64>
      }
    }
    ```
    """

    name = "lower-value-checks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [f for f in op.ops if isinstance(f, FuncOp)]
        if not checks_values(op):
            for check in [c for f in functions for c in checks_of(f)]:
                erase(check)
            return
        for function in functions:
            if function.sym_name.data == "main" and not function.is_declaration:
                self._lower(op, function)

    def _lower(self, module: ModuleOp, main: FuncOp) -> None:
        """The checks of `@main` without duplicates."""
        rows: list[ValueCheck] = []
        reports: list[SSAValue] = []
        seen: set[tuple[SSAValue, str, int, int]] = set()
        for check in checks_of(main):
            row = row_of(check)
            key = check.operand, row.what, row.lower, row.upper
            if key not in seen:
                rows.append(row)
                reports.append(report(check, row))
            seen.add(key)
            erase(check)
        if rows:
            record_checks(module, rows)
            return_report(main, reports)
