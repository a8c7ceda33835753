"""The error bounds of a program's steps, recorded when the steps are lowered to formulas.

A row of the tables is for a form of a step; a row here is for one step of a program, with the
user's line. Rows are stored as an attribute of the module, and in a saved program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    ModuleOp,
    StringAttr,
    f64,
)
from xdsl.ir import Attribute

from devproc.exactness.bound import StepBound
from devproc.ir.text.location import describe_location

EXACTNESS = "devproc.exactness"
"""The attribute of a module that holds the rows."""


def record_bounds(module: ModuleOp) -> None:
    """Records the bounds of a module's steps as its attribute, in program order."""
    steps = [op for op in module.walk() if op.name.startswith("pipe.")]
    if not steps:
        return
    # A model alone has no steps, and does not need the tables.
    from devproc.exactness.steps.tables import bound_of, key_of

    rows: list[Attribute] = []
    for op in steps:
        bound = bound_of(op)
        if bound is None:
            continue
        key = key_of(op)
        where = describe_location(op.location)
        row = StepBound(
            *(key.step, where, key.like, key.mode, key.dtype),
            *(bound.measure.value, bound.limit, bound.reference),
        )
        rows.append(_attribute(row))
    if rows:
        module.attributes[EXACTNESS] = ArrayAttr(rows)


def read_bounds(module: ModuleOp) -> tuple[StepBound, ...]:
    """The rows of a module of any stage from `tensor` on."""
    found = module.attributes.get(EXACTNESS)
    if found is None:
        return ()
    rows = cast("Sequence[DictionaryAttr]", cast("ArrayAttr[DictionaryAttr]", found))
    return tuple(_row(row.data) for row in rows)


def _attribute(row: StepBound) -> DictionaryAttr:
    return DictionaryAttr(
        {
            name: FloatAttr(value, f64)
            if isinstance(value, float)
            else StringAttr(cast(str, value))
            for name, value in asdict(row).items()
        }
    )


def _row(data: Mapping[str, Attribute]) -> StepBound:
    limit = cast("FloatAttr", data["limit"]).value.data
    texts = {k: cast(StringAttr, v).data for k, v in data.items() if k != "limit"}
    return StepBound(**texts, limit=limit)
