"""Value checks in the IR: an attribute of the module, and a report returned by `@main`.

With `check_values` a program has an additional result, between its outputs and its states:
`int64 (n, 2)`, for each of the n checks the position of the first invalid value and that
value, or those of any other value. From stage `tensor` on, an attribute of the module
describes the checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)

from devproc.ir.value_check import ValueCheck

CHECKS = "devproc.checks"
"""The attribute of a module that describes the checks, and the name of the report."""


def record_checks(module: ModuleOp, checks: Sequence[ValueCheck]) -> None:
    """Writes the checks on a module."""
    module.attributes[CHECKS] = ArrayAttr([_attribute(check) for check in checks])


def read_checks(module: ModuleOp) -> tuple[ValueCheck, ...]:
    """The checks of a module of any stage from `tensor` on; none without `check_values`."""
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


def _check(data: Mapping[str, Any]) -> ValueCheck:
    of, what, where = (data[name].data for name in ("of", "what", "where"))
    lower, upper = (data[name].value.data for name in ("lower", "upper"))
    shape = tuple(data["shape"].get_values())
    return ValueCheck(of, what, lower, upper, shape, where)
