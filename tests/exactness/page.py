"""The page `docs/exactness.md`: a row for each bound, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, Measure
from devproc.exactness.steps.tables import BOUNDS
from devproc.tools.generate_docs import markdown_table
from tests.exactness.measuring import Measured

PAGE = "docs/exactness.md"
HEADER = ("step", "like", "mode", "dtype", "promised", "reference", "measured")
INTRODUCTION = """# Exactness

How near each step comes to its reference, the library's function that it names or, where
there is none, a formula in float64: what is promised, and the worst that was found over
random inputs of odd and non-square sizes, batches, one-pixel edges, extreme ratios, NaN and
infinity, and real photographs. A row of dtype "any" holds for each dtype that the step
takes. `tests/exactness` measures each row in every run of the tests;
`python -m tests.exactness` writes this page. A compiled program carries the rows of its
steps: `program.exactness`.

The mode of a cast is its rounding, of a YOLO's head its version, of a choice of tokens its
strategy. Where `normalize` has a scale that is not 1 / n of a whole number n, its first
division is `torch.mul`.

`like="opencv"` means OpenCV's own code. On x86 its packages may call Intel's library (IPP)
for cubic and for float bilinear resizing; pixels of uint8 then differ by at most 1, floats
by what a place rounded to float32 moves them. `cv2.ipp.setUseIPP(False)` turns it off.

`like="torchvision"`, antialiased to a width of 1: where each channel lies in a plane of its
own, as in most tensors and wherever there is one channel, PyTorch fills the column with its
first row (float32, and uint8 of five channels or more). With the channels last in memory it
resizes every row; these steps do so however the image lies.

"""


def promised(bound: Bound) -> str:
    """The bound in words."""
    if bound.measure is Measure.EXACT:
        return bound.measure.value
    return f"{bound.limit:.3g} {bound.measure.value}"


def found(bound: Bound, measured: Measured) -> str:
    """What was measured, in the bound's measure."""
    if bound.measure is Measure.EXACT:
        return f"{measured.differing} of {measured.inputs} inputs' elements differ"
    return f"{measured.distance(bound.measure):.2g} over {measured.inputs} inputs"


def promises() -> list[tuple[str, ...]]:
    """The rows without what was measured."""
    return [
        (*key, promised(bound), bound.reference)
        for key, bound in sorted(BOUNDS.items())
    ]


def page(measured: Mapping[Key, Measured]) -> str:
    """The whole page."""
    keys = sorted(BOUNDS)
    rows = [
        (*row, found(BOUNDS[key], measured[key]))
        for key, row in zip(keys, promises(), strict=True)
    ]
    return INTRODUCTION + markdown_table(HEADER, rows) + "\n"


def rows_of(text: str) -> list[tuple[str, ...]]:
    """The rows of the page's table without their last column."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in lines]
    return [row[:-1] for row in cells[2:]]
