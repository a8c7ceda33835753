"""Bounds of the family `arithmetic`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact

REFERENCES = {
    "add": "torch.add",
    "subtract": "torch.sub",
    "multiply": "torch.mul",
    "divide": "torch.div",
    "minimum": "torch.minimum",
    "maximum": "torch.maximum",
    "equal": "torch.eq",
    "less": "torch.lt",
    "less_equal": "torch.le",
    "logical_and": "torch.logical_and",
    "logical_or": "torch.logical_or",
    "logical_not": "torch.logical_not",
    "where": "torch.where",
}
"""Step -> the function that it equals, of operands of one dtype."""

BOUNDS: Mapping[Key, Bound] = {
    Key(step, "", "", ANY): exact(reference) for step, reference in REFERENCES.items()
}
"""Step, form and dtype -> bound."""
