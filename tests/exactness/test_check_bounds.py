"""Steps that compute where they read, in builds that check it: good inputs and bad."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

import numpy as np
import pytest

from devproc.exactness.bound import ANY
from devproc.exactness.steps.tables import BOUNDS
from tests.exactness import audio, crop, geometry, masks, spaces, text, warp
from tests.exactness.measuring import Array, Case, compare, compiled
from tests.repository import cpu_code

NUMBERS = (np.nan, np.inf, -np.inf, 1e30, -1e30, 0.5, -1.0, 7.0)
CLASSES = (2**62, -(2**62), 10**6, -1, 0)


def _image() -> Array:
    return np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)


def first_of_each(cases: Iterable[Case]) -> Iterator[Case]:
    """The first case of each row of the tables."""
    seen: set[object] = set()
    for case in cases:
        if case.key not in seen:
            seen.add(case.key)
            yield case


def _affine() -> Iterator[Case]:
    """Between pixels like each library; the nearest of them like one."""
    for cases in (warp._pillow_cases, warp._opencv_cases, warp._torchvision_cases):
        nearest, bilinear = first_of_each(cases(_image()))
        yield bilinear
    yield nearest


def _yuv() -> Iterator[Case]:
    """Of 2 x 2 pixels: OpenCV's way in each format, the standard's in the first."""
    cases = list(islice(spaces._yuv_cases(), 11))
    yield from (case for case in cases if case.key.like == "opencv")
    yield next(case for case in cases if case.key.like == "itu")


def _masks() -> Iterator[Case]:
    """Keypoints and palettes."""
    cases = [case for case in masks._cases() if case.key.step != "threshold"]
    yield from (case for case in cases if case.arrays[0].size < 100)


def _audio() -> Iterator[Case]:
    yield from islice(audio._frames("float32"), 5)
    yield list(audio._resamplings("float32"))[1]
    yield next(audio._spellings())


def _text() -> Iterator[Case]:
    yield from islice(text._tokens("int32"), 5)
    steps = {case.key.step: case for case in text._embeddings()}
    yield from (steps[name] for name in ("mean_pool", "l2_normalize", "cls_pool"))


def _resize() -> Iterator[Case]:
    """To one column, and like OpenCV with weights of a table."""
    for form in (
        ("torchvision", "bilinear"),
        ("pillow", "lanczos"),
        ("opencv", "area"),
    ):
        yield list(geometry.cases(*form, "float32"))[1]
    yield list(geometry.cases("opencv", "bicubic", "uint8"))[2]


def _crop() -> Iterator[Case]:
    yield from first_of_each(crop._cases())


FAMILIES: Mapping[str, Callable[[], Iterable[Case]]] = {
    "affine": _affine,
    "grid_sample": lambda: first_of_each(warp._grid_cases()),
    "crop_and_resize": lambda: first_of_each(warp._box_cases(_image())),
    "yuv": _yuv,
    "masks": _masks,
    "audio": _audio,
    "text": _text,
    "resize": _resize,
    "crop": _crop,
}
"""Family -> some of the exactness tests' cases."""


def bad(x: Array) -> Array:
    """An array of the same type and shape whose numbers are no places and no classes."""
    rng = np.random.default_rng(1)
    if x.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return rng.choice(NUMBERS, x.shape).astype(x.dtype)
    if x.dtype.itemsize < 4:
        return x
    return rng.choice(CLASSES, x.shape).astype(x.dtype)


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_stay_inside(family: str) -> None:
    """Checked code keeps the bounds on its error, and reads nothing outside."""
    cases = list(FAMILIES[family]())
    program, given = compiled(cases, check_bounds=True)
    assert cpu_code(program).accesses
    found = program(**given)
    for number, case in enumerate(cases):
        bound = BOUNDS.get(case.key) or BOUNDS[case.key._replace(dtype=ANY)]
        at = ... if case.compared is None else case.compared
        measured = compare([(found[f"y{number}"][at], case.wanted[at])])
        assert measured.distance(bound.measure) <= bound.limit, case.key
    # It raises where an access leaves its memory.
    program(**{name: bad(x) for name, x in given.items()})
