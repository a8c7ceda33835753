"""librosa, without what Numba compiles when it is imported.

In a fresh environment that takes fifteen seconds, for peaks, beats and pitches, which no test
finds. What the tests call computes the same on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numba


def _left_as_it_is(*signature: Any, **options: Any) -> Callable[..., Any]:
    """A decorator with or without arguments, which changes nothing."""
    if signature and callable(signature[0]):
        return signature[0]
    return lambda function: function


with mock.patch.multiple(
    numba,
    guvectorize=_left_as_it_is,
    jit=_left_as_it_is,
    stencil=_left_as_it_is,
    vectorize=_left_as_it_is,
):
    # librosa imports a module when it is first used.
    import librosa as librosa
    import librosa.core.audio
    import librosa.core.pitch
    import librosa.util.utils  # noqa: F401
