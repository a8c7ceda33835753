"""The checks of values in the IR: their rows on the module, their report in `@main`.

With `check_values` a program has one more result, behind its outputs and in front of its
states: `int64 (n, 2)`, for each of the n checks the place of the first value that is
refused and that value, or of any other one. What the rows mean says an attribute of the
module from the stage `tensor` on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute

from devproc.runtime.execution.value_checks import ValueCheck

CHECKS = "devproc.checks"
"""The attribute of a module that holds the rows, and the name of the report."""


def record_checks(module: ModuleOp, checks: Sequence[ValueCheck]) -> None:
    """Writes the rows on a module."""
    module.attributes[CHECKS] = ArrayAttr([_attribute(check) for check in checks])


def read_checks(module: ModuleOp) -> tuple[ValueCheck, ...]:
    """The rows of a module of any stage from `tensor` on; none without `check_values`."""
    found = module.attributes.get(CHECKS)
    if found is None:
        return ()
    rows = cast("ArrayAttr[DictionaryAttr]", found)
    return tuple(_check(row.data) for row in rows)


def _attribute(check: ValueCheck) -> DictionaryAttr:
    return DictionaryAttr(
        {
            "of": StringAttr(check.of),
            "what": StringAttr(check.what),
            "lower": IntegerAttr(check.lower, i64),
            "upper": IntegerAttr(check.upper, i64),
            "shape": DenseArrayBase.from_list(i64, check.shape),
            "where": StringAttr(check.where),
        }
    )


def _check(data: Mapping[str, Attribute]) -> ValueCheck:
    def text(name: str) -> str:
        return cast(StringAttr, data[name]).data

    def number(name: str) -> int:
        return cast(IntegerAttr, data[name]).value.data

    shape = cast("DenseArrayBase[IntegerType]", data["shape"]).get_values()
    return ValueCheck(
        text("of"),
        text("what"),
        number("lower"),
        number("upper"),
        tuple(shape),
        text("where"),
    )
