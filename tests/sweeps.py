"""Parameters of which the suite tries a sample; `--full-sweeps` tries all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

T = TypeVar("T")


def sampled(
    values: Iterable[T], name_of: Callable[[T], str], *sample: str
) -> list[ParameterSet]:
    """A parameter for each value; all but those of these names need `--full-sweeps`.

    Raises ValueError for a name that none has.
    """
    named = {name_of(value): value for value in values}
    unknown = set(sample) - set(named)
    if unknown:
        raise ValueError(f"no value is called {', '.join(sorted(unknown))}")
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            id=name,
            marks=[] if name in sample else [pytest.mark.full_sweeps],
        )
        for name, value in named.items()
    ]
