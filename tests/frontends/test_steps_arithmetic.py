"""Arithmetic between values, and parts of them: what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import devproc
from tests.frontends.refusals import Wrong, assert_refused

WRONG: dict[str, Wrong] = {
    "two dtypes": (
        lambda p, x: x + p.cast(x, "float16"),
        r"add of .*: add takes values of one dtype, got uint8 \(8, 9, 3\) HWC and float16"
        r" \(8, 9, 3\) HWC; cast one of them",
    ),
    "a number that is no byte": (
        lambda p, x: x + 300,
        r"add: 300 is no uint8; cast the value before",
    ),
    "a number that is no half": (
        lambda p, x: p.cast(x, "float16") * 1e6,
        r"multiply: 1000000.0 is no float16; cast the value before",
    ),
    "shapes that do not broadcast": (
        lambda p, x: np.zeros(4, np.float32) * x,
        r"shapes \(8, 9, 3\) and \(4\) do not broadcast; give values whose shapes NumPy",
    ),
    "axes that mean different things": (
        lambda p, x: (
            p.crop(x, 0, 0, 3, 3) + p.layout(p.crop(x, 0, 0, 3, 3), "HWC->CHW")
        ),
        r"their axes mean different things",
    ),
    "an image below its channels": (
        lambda p, x: p.crop(x, 0, 0, 3, 3) + p.input("y", "uint8", (3, 3)),
        r"the axes HW would be aligned with the last axes of HWC",
    ),
    "a word": (lambda p, x: x - "a", r"subtract: an operand is 'a'; give an array of"),
    "nothing": (lambda p, x: x == None, r"equal: an operand is None; give an"),  # noqa: E711
    "bools in a sum": (
        lambda p, x: (x > 1) + (x > 2),
        r"add takes numbers, got bool \(8, 9, 3\) HWC; cast bools before",
    ),
    "bytes as bools": (
        lambda p, x: ~x,
        r"logical_not takes bools, got uint8 \(8, 9, 3\) HWC; compare numbers before",
    ),
    "a condition of bytes": (
        lambda p, x: p.where(x, 1, 2),
        r"where takes bools, got uint8",
    ),
    "a value as a condition of Python": (
        lambda p, x: 1 if x > 3 else 2,  # pyright: ignore
        r"is neither true nor false while the pipeline is built; choose with where",
    ),
    "a loop over a value": (
        lambda p, x: list(x),  # pyright: ignore
        r"is no sequence; unstack\(x\) gives what lies along an axis",
    ),
    "a part too far": (lambda p, x: x[8], r"index 8 is out of range for axis 0"),
    "too many indices": (
        lambda p, x: x[0, 0, 0, 0],
        r"part: .* has no part \(0, 0, 0, 0\); give an index for each axis",
    ),
    "an index that is a value": (
        lambda p, x: x[x > 3],
        r"part: an index is <Value bool .*>; give an integer",
    ),
    "a mask of one": (lambda p, x: x[True], r"part: True is a mask; choose with where"),
    "an empty part": (
        lambda p, x: x[4:4],
        r"0 elements from 4 on in steps of 1 are not within axis 0 of uint8 \(8, 9, 3\)"
        r" HWC; give places that leave at least one element",
    ),
    "a step of zero": (lambda p, x: x[::0], r"slice: step is 0; give a step"),
    "concat of other sizes": (
        lambda p, x: p.concat([x, x[:2]], 1),
        r"of one shape but along axis 1, got uint8 \(8, 9, 3\) HWC and uint8 \(2, 9, 3\)",
    ),
    "concat of one value": (
        lambda p, x: p.concat(x),  # pyright: ignore
        r"concat: <Value .*> is no list; give a list of values",
    ),
    "an axis twice": (
        lambda p, x: p.transpose(x, (0, 1, -2)),
        r"\[0, 1, 1\] does not name each axis of uint8 \(8, 9, 3\) HWC once",
    ),
    "another number of elements": (
        lambda p, x: p.reshape(x, (5, -1)),
        r"has 216 elements, and \(5, 43\) 215; give sizes whose product",
    ),
    "a reshape with a layout that does not fit": (
        lambda p, x: p.reshape(x, (8, 27), "HWC"),
        r"layout 'HWC' does not fit shape \(8, 27\)",
    ),
    "rows without their count": (
        lambda p, x: (
            p.nms(
                p.input("b", "float32", (9, 4), ""),
                p.input("s", "float32", (9,), ""),
                0.5,
            ).boxes
            * 2
        ),
        r"ignores the count of float32 \(100, 4\) bounded along axis 0",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_step_is_refused_at_its_line(name: str) -> None:
    assert_refused(WRONG[name], __file__)


def test_boxes_are_traced_back_through_parts_and_arithmetic() -> None:
    pipe = devproc.pipeline("p")
    image = pipe.input("image", "uint8", (40, 30, 3))
    boxes = pipe.input("boxes", "float32", (5, 4), "")
    small = pipe.transpose(image[4:, 2:20] / 255 - 0.5, (2, 0, 1))
    pipe.output("boxes", pipe.map_boxes(boxes, image=small, source=image, clip=False))
    program = devproc.compile(pipe, threads=1)
    given = np.random.default_rng(0).random((5, 4), np.float32)
    found = program(np.zeros((40, 30, 3), np.uint8), given)["boxes"]
    np.testing.assert_allclose(found, given + np.array([2, 4, 2, 4], np.float32))
