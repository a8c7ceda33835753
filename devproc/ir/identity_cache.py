"""Memoisation of functions of attributes, without hashing the attribute."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from xdsl.ir import Attribute

LIMIT = 4096
"""Most attributes that one function remembers before its cache is cleared."""

A = TypeVar("A", bound=Attribute | None)
R = TypeVar("R")


def cached_by_identity(function: Callable[[A], R]) -> Callable[[A], R]:
    """`functools.cache` for a function of one attribute that thousands of ops share.

    Hashing a type walks all of its parameters each time, a tenth of the time of a
    compilation. Here the address is the key; equal attributes may be computed twice.
    """
    known: dict[int, tuple[A, R]] = {}

    @wraps(function)
    def found(attribute: A) -> R:
        entry = known.get(id(attribute))
        if entry is None:
            if len(known) >= LIMIT:
                known.clear()
            # Keeping the attribute ensures that its address is not reused.
            entry = known[id(attribute)] = (attribute, function(attribute))
        return entry[1]

    return found
