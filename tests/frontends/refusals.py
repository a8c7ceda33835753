"""A wrong step is refused at the user's line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

import devproc
from devproc.errors import BuildError
from devproc.frontends.dsl import Pipeline, Value

Wrong: TypeAlias = tuple[Callable[[Pipeline, Value], object], str]
"""A step on a uint8 image (8, 9, 3) HWC, and what its error must match."""


def assert_refused(wrong: Wrong, file: str) -> None:
    """The step of `wrong`, written in `file`, raises BuildError with its line."""
    step, message = wrong
    pipe = devproc.pipeline("test")
    image = pipe.input("image", "uint8", (8, 9, 3))
    with pytest.raises(BuildError, match=message) as caught:
        step(pipe, image)
    line = step.__code__.co_firstlineno  # pyright: ignore
    place, number = str(caught.value).split(": ")[0].rsplit(":", 1)
    assert place == file
    assert line <= int(number) <= line + 1
