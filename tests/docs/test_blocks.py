"""The Python blocks of all pages run, page by page, as a reader would run them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from devproc import errors
from tests.docs.setups import SETUPS, common
from tests.repository import ROOT

DOCS = ROOT / "docs"
SHIP = DOCS / "ship"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PARTS = re.compile(
    r"^#+ (?P<heading>[^\n]*)$|^```python\n(?P<block>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FRAGMENTS = {"running": 2, "ship/state": 1, "ship/troubleshooting": 1}
"""Page -> how many of its blocks are marked `py`: shown, but not run. Never more."""

ELSEWHERE = {
    "backends": "tests/backend/test_backends_page.py",
    "custom_ops": "tests/custom_ops/test_custom_ops.py",
    "security": "tests/test_security.py",
}
"""Page -> the tests that run its blocks."""

TROUBLE = (SHIP / "troubleshooting.md").read_text()


def pages(fence: re.Pattern[str]) -> dict[str, int]:
    """Page -> how many of its blocks begin so."""
    counts = {
        page.relative_to(DOCS).with_suffix("").as_posix(): len(
            fence.findall(page.read_text())
        )
        for page in sorted(DOCS.rglob("*.md"))
    }
    return {page: count for page, count in counts.items() if count}


PAGES = [page for page in pages(FENCE) if page not in ELSEWHERE]


def photo() -> Image.Image:
    """A smooth picture of odd sizes, which JPEG keeps well."""
    rows, columns = np.mgrid[0:181, 0:243]
    planes = [rows, columns, (rows + columns) // 2]
    return Image.fromarray(np.stack(planes, -1).astype(np.uint8))


def run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Runs the blocks of a page in a folder with a photo; gives what they define.

    The pages of `ship` are complete; others take the names of `setups` as given.
    """
    monkeypatch.chdir(folder)
    photo().save("photo.jpg")
    names: dict[str, Any] = {} if page.startswith("ship/") else common()
    for number, part in enumerate(PARTS.finditer((DOCS / f"{page}.md").read_text())):
        if part["block"] is None:
            names |= SETUPS.get((page, part["heading"]), dict)()
        else:
            exec(compile(part["block"], f"{page}.md, part {number}", "exec"), names)
    return names


def check_quickstart(names: dict[str, Any]) -> None:
    """Pillow and PyTorch find the same classes."""
    image = Image.open("photo.jpg").convert("RGB")
    short = image.resize(
        (128 * image.width // image.height, 128), Image.Resampling.BILINEAR
    )
    top, left = round((128 - 96) / 2), round((short.width - 96) / 2)
    crop = np.asarray(short)[top : top + 96, left : left + 96] / 255
    x = (crop - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    with torch.no_grad():
        logits = names["model"](torch.from_numpy(x).float().permute(2, 0, 1)[None])
    scores, classes = logits.softmax(-1).topk(5)
    assert names["out"]["classes"].tolist() == classes.tolist()
    np.testing.assert_allclose(names["out"]["scores"], scores.numpy(), atol=1e-5)


def check_boxes(names: dict[str, Any]) -> None:
    """The boxes that are kept overlap by no more than the threshold, best first."""
    count = names["count"]
    boxes, scores = (names["found"][key][:count] for key in ("boxes", "scores"))
    assert 0 < count <= 20
    assert (np.diff(scores) <= 0).all()
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(-1)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    overlap = shared / (area[:, None] + area[None] - shared)
    assert overlap[~np.eye(count, dtype=bool)].max() <= 0.5


def check_sound(names: dict[str, Any]) -> None:
    """The features are those of transformers."""
    from transformers import WhisperFeatureExtractor

    wave = (names["tone"] * 20_000).astype(np.int16) / np.float32(32768)
    extractor = WhisperFeatureExtractor(chunk_length=1)
    wanted = extractor(wave, sampling_rate=16_000, return_tensors="np").input_features
    np.testing.assert_allclose(names["features"], wanted[0], atol=1e-3)


CHECKS = {
    "ship/quickstart": check_quickstart,
    "ship/boxes": check_boxes,
    "ship/sound": check_sound,
}


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = run(page, tmp_path, monkeypatch)
    if page in CHECKS:
        CHECKS[page](names)


def test_few_blocks_do_not_run() -> None:
    assert pages(re.compile("^```py$", re.MULTILINE)) == FRAGMENTS


@pytest.mark.parametrize("page", ELSEWHERE)
def test_other_tests_run_the_page(page: str) -> None:
    assert pages(FENCE)[page]
    assert (ROOT / ELSEWHERE[page]).is_file()


def test_headings_of_setups_exist() -> None:
    """A heading that was renamed would leave its blocks without their names."""
    for page, heading in SETUPS:
        found = PARTS.finditer((DOCS / f"{page}.md").read_text())
        assert heading in {part["heading"] for part in found}


ERRORS = {
    name: value
    for name, value in inspect.getmembers(errors, inspect.isclass)
    if issubclass(value, errors.DevProcError) and value is not errors.DevProcError
}
WITHOUT_EXAMPLE = {"BoundsError", "CompilerNeededError"}
"""No input of a correct program causes the one; the other is that of `devproc-runtime`."""


def test_every_error_has_a_section_with_an_example() -> None:
    """The blocks fail where an error is not raised: `test_blocks_run` runs them."""
    parts = re.split(r"^## `(\w+)`$", TROUBLE, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert set(sections) == {*ERRORS, "CompilerNeededError"}
    raised = {
        name
        for name, section in sections.items()
        if re.search(rf"with expected\(devproc\.(errors\.)?{name}\):", section)
    }
    assert raised == set(sections) - WITHOUT_EXAMPLE
