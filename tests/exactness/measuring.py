"""What a check is: run a step on many inputs, beside the library, and keep the worst."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from sklearn.datasets import load_sample_images

import devproc
from devproc.exactness.bound import Key, Measure
from devproc.frontends.dsl import Pipeline, Value

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Measured:
    """The largest distances found, in each measure, and over how many inputs."""

    inputs: int
    differing: int
    """Elements that are not equal to the reference's."""
    absolute: float
    relative: float

    def distance(self, measure: Measure) -> float:
        """The largest distance in this measure."""
        if measure is Measure.EXACT:
            return float(self.differing)
        return self.absolute if measure is Measure.ABSOLUTE else self.relative


Check: TypeAlias = Callable[[], Measured]
"""Measures one row."""


def compare(pairs: Iterable[tuple[Array, Array]]) -> Measured:
    """The worst of pairs (ours, the reference's).

    NaN equals NaN and infinity itself; against anything else they are infinitely far.
    """
    inputs = differing = 0
    absolute = relative = 0.0
    for ours, wanted in pairs:
        assert ours.shape == wanted.shape, (ours.shape, wanted.shape)
        assert ours.dtype == wanted.dtype, (ours.dtype, wanted.dtype)
        inputs += 1
        same = (ours == wanted) | ((ours != ours) & (wanted != wanted))
        if same.all():
            continue
        a, b = ours.astype(np.float64), wanted.astype(np.float64)
        differing += int(np.count_nonzero(~same))
        with np.errstate(invalid="ignore"):
            apart = np.where(same, 0.0, np.abs(a - b))
        largest = float(np.max(np.where(np.isnan(apart), np.inf, apart)))
        finite = np.abs(b[np.isfinite(b)])
        scale = float(finite.max()) if finite.size else 0.0
        absolute = max(absolute, largest)
        relative = max(relative, largest / scale if scale else np.inf)
    return Measured(inputs, differing, absolute, relative)


def run_step(
    step: Callable[[Pipeline, Value], Value], x: Array, layout: str | None = None
) -> Array:
    """One step, compiled and run on the CPU."""
    pipe = devproc.pipeline("exactness")
    value = pipe.input("x", str(x.dtype), x.shape, layout)
    pipe.output("y", step(pipe, value))
    return devproc.compile(pipe, threads=1)(x=x)["y"]


@dataclass(frozen=True)
class Case:
    """A step on arrays, and what the library makes of them."""

    key: Key
    step: Callable[..., Value]
    """From the pipeline and the values of the arrays to the result."""
    arrays: Sequence[Array]
    wanted: Array
    layout: str | None = None
    """The first array's; the others have none."""
    compared: Array | None = None
    """Which elements are; by default all."""


def compiled(
    cases: Sequence[Case], target: str = "cpu", *, check_bounds: bool = False
) -> tuple[devproc.Program, dict[str, Array]]:
    """One program of all cases, of outputs "y0", "y1", and so on; and its inputs."""
    pipe = devproc.pipeline("exactness")
    given: dict[str, Array] = {}
    for number, case in enumerate(cases):
        values: list[Value] = []
        for place, array in enumerate(case.arrays):
            name, layout = f"x{number}_{place}", "" if place else case.layout
            given[name] = array
            values.append(pipe.input(name, str(array.dtype), array.shape, layout))
        pipe.output(f"y{number}", case.step(pipe, *values))
    program = devproc.compile(pipe, target=target, threads=1, check_bounds=check_bounds)
    return program, given


def results(cases: Sequence[Case], target: str = "cpu") -> list[Array]:
    """What one program of all cases gives, in their order."""
    program, given = compiled(cases, target)
    found = program(**given)
    return [found[f"y{number}"] for number in range(len(cases))]


def measure(cases: Sequence[Case]) -> dict[Key, Measured]:
    """What each key's cases come to, all of them run by one program on the CPU."""
    pairs: dict[Key, list[tuple[Array, Array]]] = {}
    for case, result in zip(cases, results(cases), strict=True):
        at = ... if case.compared is None else case.compared
        pairs.setdefault(case.key, []).append((result[at], case.wanted[at]))
    return {key: compare(found) for key, found in pairs.items()}


@cache
def photographs() -> tuple[Array, ...]:
    """Real photographs, uint8 (427, 640, 3), of scikit-learn."""
    return tuple(np.ascontiguousarray(image) for image in load_sample_images().images)


def random_images(
    rng: np.random.Generator, sizes: Iterable[tuple[int, int]], channels: int = 3
) -> Iterator[Array]:
    """uint8 images (height, width, channels): noise, and black and white."""
    for number, (height, width) in enumerate(sizes):
        image = rng.integers(0, 256, (height, width, channels), np.uint8)
        yield (image > 127).astype(np.uint8) * 255 if number % 4 == 3 else image
