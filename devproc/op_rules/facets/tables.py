"""The rules of all families by facet: op class -> its rule, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, TypeAlias, TypeVar

from xdsl.ir import Operation

from devproc.op_rules import (
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
    loop,
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
from devproc.op_rules.base.batches import BatchRule
from devproc.op_rules.base.costs import Cost
from devproc.op_rules.base.images import ImageRule
from devproc.op_rules.base.slices import SliceRule
from devproc.op_rules.base.tolerances import Tolerance

RuleT = TypeVar("RuleT")

FAMILIES: Mapping[str, ModuleType] = {
    "activations": activations,
    "attention": attention,
    "checks": checks,
    "compare": compare,
    "constant": constant,
    "contraction": contraction,
    "detection": detection,
    "elementary": elementary,
    "gather": gather,
    "image": image,
    "loop": loop,
    "normalization": normalization,
    "pointwise": pointwise,
    "quantized": quantized,
    "reduction": reduction,
    "scan": scan,
    "shape": shape,
    "signal": signal,
    "sort": sort,
    "window": window,
}
"""family name -> the file of its rows."""

Table: TypeAlias = Mapping[type[Operation], RuleT | str]


def _merged(facet: str) -> dict[type[Operation], Any]:
    return {op: row for f in FAMILIES.values() for op, row in getattr(f, facet).items()}


SLICING: Table[SliceRule] = _merged("SLICING")
BATCH: Table[BatchRule] = _merged("BATCH")
CHANNELS_LAST: Table[ImageRule] = _merged("CHANNELS_LAST")
COST: Table[Cost] = _merged("COST")
TOLERANCE: Table[Tolerance] = _merged("TOLERANCE")


def rule_of(table: Table[RuleT], op: Operation) -> RuleT | None:
    """The rule of an op; None if it has a reason instead, or is a user-defined op."""
    row = table.get(type(op))
    return None if isinstance(row, str) else row
