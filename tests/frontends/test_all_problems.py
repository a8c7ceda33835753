"""All that is wrong with the arguments of one step is told at once, at the user's line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

import devproc
from devproc.errors import BuildError
from devproc.frontends.dsl import Pipeline, Value

Step: TypeAlias = Callable[[Any, Any], object]

WRONG: dict[str, tuple[Step, list[str]]] = {
    "arguments that are converted": (
        lambda p, x: p.normalize(x, mean="a", std=None, scale="x"),
        ["mean is 'a'", "std is None", "scale is 'x'"],
    ),
    "operands and arguments": (
        lambda p, x: p.concat([x, 3, "a"], axis="q"),
        ["axis is 'q'", "got int", "got str"],
    ),
    "texts and sizes": (
        lambda p, x: p.resize(x, "a", mode=3),
        ["mode is 3", "size is 'a'"],
    ),
    "what the verifier refuses": (
        lambda p, x: p.pad(x, (1, 2), mode="refect"),
        ["needs \\(left, top, right, bottom\\)", "did you mean 'reflect'"],
    ),
    "problems with remedies of their own": (
        lambda p, x: p.normalize(x, mean=(1, 2), std=(0, 0, 0)),
        ["mean has 2 values", "std must not be zero", "divided by 255"],
    ),
    "an input": (
        lambda p, x: p.input("b", "flaot", (0,)),
        ["unknown dtype 'flaot'", "sizes must be positive"],
    ),
    "a place": (
        lambda p, x: p.place("", "gpu"),
        ["pattern is ''", "unknown device 'gpu'"],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_all_problems_of_a_step(name: str) -> None:
    step, problems = WRONG[name]
    pipe = devproc.pipeline("test")
    image = pipe.input("image", "uint8", (8, 9, 3))
    listed = r"[^\n]*\n  ".join(f"{i}. .*{p}" for i, p in enumerate(problems, 1))
    with pytest.raises(BuildError, match=f"{len(problems)} problems:\n  {listed}") as e:
        step(pipe, image)
    line = step.__code__.co_firstlineno  # pyright: ignore
    file, number = str(e.value).split(": ")[0].rsplit(":", 1)
    assert file == __file__
    assert line <= int(number) <= line + 1
    assert not e.value.__cause__


def test_what_follows_from_a_stand_in_is_not_told() -> None:
    """One problem has the message that it has alone; the pipeline stays as it was."""
    pipe = devproc.pipeline("test")
    image: Value = pipe.input("image", "uint8", (8, 9, 3))
    size: Any = "a"
    with pytest.raises(BuildError, match=r"resize: size is 'a'; give a tuple of int"):
        pipe.resize(image, size)
    with pytest.raises(BuildError, match="2 problems"):
        pipe.input("more", "flaot", (0,))
    with pytest.raises(BuildError, match=r"crop: top is 'a'; give an integer$"):
        pipe.crop(image, size, 0, 2, 2)
    pipe.output("image", pipe.flip(image, "vertical"))
    assert repr(pipe) == "<Pipeline 'test': image -> image>"


def test_steps_fail_one_by_one() -> None:
    """What was refused in one call does not reach the next, nor hide other errors."""
    pipe: Pipeline = devproc.pipeline("test")
    image = pipe.input("image", "uint8", (8, 9, 3))
    wrong: Any = "a"
    for _ in range(2):
        with pytest.raises(
            BuildError, match=r"top_k: 2 problems:\n  1. k .*\n  2. axis"
        ):
            pipe.top_k(image, wrong, wrong)
    with pytest.raises(BuildError, match="has no axis 7"):
        pipe.unstack(image, 7)
