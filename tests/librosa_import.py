"""librosa, without what Numba compiles when it is imported.

In a fresh environment that takes fifteen seconds, for peaks, beats and pitches, which no test
finds. What the tests call computes the same on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any
from unittest import mock


def _left_as_it_is(*signature: Any, **options: Any) -> Callable[..., Any]:
    """A decorator with or without arguments, which changes nothing."""
    if signature and callable(signature[0]):
        return signature[0]
    return lambda function: function


with mock.patch.multiple(
    "numba",
    guvectorize=_left_as_it_is,
    jit=_left_as_it_is,
    stencil=_left_as_it_is,
    vectorize=_left_as_it_is,
):
    # A module of librosa's is imported when it is first used.
    librosa: Any = import_module("librosa")
    for name in ("core.audio", "core.pitch", "util.utils"):
        import_module(f"librosa.{name}")
