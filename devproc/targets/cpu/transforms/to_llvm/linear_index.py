"""Symbolic indices: sums of lowered values with constant factors, and a constant.

Schedules emit the full index of each access: `i * 4 + 1`, `i * 4 + 2`. As symbolic
sums, such indices share their common terms, and their constants are folded into the
instructions that access memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.ir import SSAValue


@dataclass(slots=True)
class LinearIndex:
    """The sum of value * factor over `terms`, plus `constant`; no factor is 0."""

    terms: Mapping[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    constant: int = 0

    @staticmethod
    def total(parts: Iterable[tuple[LinearIndex, int]]) -> LinearIndex:
        """The sum of indices, each times a factor."""
        terms: dict[SSAValue, int] = {}
        constant = 0
        for index, factor in parts:
            constant += index.constant * factor
            for value, own in index.terms.items():
                terms[value] = terms.get(value, 0) + own * factor
        if 0 in terms.values():
            terms = {value: factor for value, factor in terms.items() if factor}
        return LinearIndex(terms, constant)

    @property
    def value(self) -> SSAValue | None:
        """The only term of the index if its factor is 1 and there is no constant."""
        if self.constant or len(self.terms) != 1:
            return None
        ((value, factor),) = self.terms.items()
        return value if factor == 1 else None
