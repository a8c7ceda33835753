"""Each lesson as a page in a browser, wide and narrow: nothing broken, nothing blank."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import marimo
import pytest

from tests import browser
from tests.repository import ROOT

COURSE = ROOT / "notebooks" / "course"
LESSONS = sorted(COURSE.glob("[0-9][0-9]_*.py"))
FRONTEND = re.compile(
    r"https://cdn\.jsdelivr\.net/npm/@marimo-team/frontend@[^/]*/dist"
)
CHECKS = "document.querySelectorAll('marimo-callout-output').length"
HAS_ERRORS = "/cell wasn.t run because it has errors/.test(document.body.innerText)"
PICTURES = """[...document.querySelectorAll('svg[style*="max-width"]')]
    .map(svg => svg.getBoundingClientRect()).map(box => [box.width, box.height])"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not browser.CHROMIUM, reason="needs Chromium"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with marimo's frontend, and its address."""
    folder = tmp_path_factory.mktemp("site")
    for item in (Path(marimo.__file__).parent / "_static").iterdir():
        (folder / item.name).symlink_to(item)
    with browser.served(folder) as address:
        yield folder, address


def export(notebook: Path, folder: Path) -> None:
    """Runs a notebook and writes it as a page that needs no other host."""
    page = folder / f"{notebook.stem}.html"
    done = subprocess.run(
        [sys.executable, "-m", "marimo", "export", "html", str(notebook), "-o", page],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{COURSE}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert page.exists(), done.stderr[-2000:]
    page.write_text(FRONTEND.sub(".", page.read_text()))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_page_is_whole(lesson: Path, site: tuple[Path, str]) -> None:
    folder, address = site
    export(lesson, folder)
    with browser.page() as page:
        page.open(f"{address}/{lesson.stem}.html", f"{CHECKS} >= 2")
        for width, dark in ((1280, False), (400, True)):
            page.resize(width, dark)
            wide = page.ask("document.documentElement.scrollWidth > innerWidth")
            assert not wide, f"the page is wider than {width} pixels"
            # Some appear only once an exercise is solved.
            for measured in page.ask(PICTURES):
                assert 50 < measured[0] <= width, measured
                assert measured[1] > 10, measured
        assert not page.ask(HAS_ERRORS)
        assert not page.foreign


def test_an_error_is_seen(tmp_path: Path, site: tuple[Path, str]) -> None:
    """Otherwise the test above would prove nothing."""
    folder, address = site
    broken = tmp_path / "broken.py"
    broken.write_text(
        'import marimo\n\n__generated_with = "0.25.2"\napp = marimo.App()\n\n\n'
        "@app.cell\ndef _():\n    1 / 0\n    return\n"
    )
    export(broken, folder)
    with browser.page() as page:
        page.open(f"{address}/broken.html", HAS_ERRORS)
