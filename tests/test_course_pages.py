"""Each lesson as a page in a browser, wide and narrow: nothing broken, nothing blank."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import re
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock

import marimo
import pytest
from marimo._cli.parse_args import parse_args
from marimo._export.file import export_html
from marimo._export.requests import HTMLFileExportRequest, NotebookExecutionOptions
from marimo._schemas.export_options import HTMLExportOptions
from marimo._utils.marimo_path import MarimoPath

from tests import browser
from tests.repository import ROOT
from tests.sweeps import sampled

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


@pytest.fixture(scope="module")
def page() -> Iterator[browser.Page]:
    """One for all lessons, which reads marimo's frontend once."""
    with browser.page() as page:
        yield page


@pytest.fixture(scope="module", autouse=True)
def _forked_kernels() -> Iterator[None]:
    """Kernels of notebooks are forks of a process that has imported what lessons use.

    marimo starts a new interpreter for each, which takes longer to import PyTorch than the
    lesson takes.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.lesson_imports"])
    with contextlib.chdir(ROOT):
        forkserver.ensure_running()
    with mock.patch(
        "marimo._session.managers.kernel.get_context", return_value=context
    ):
        yield


def export(notebook: Path, folder: Path) -> None:
    """Runs a notebook and writes it as a page that needs no other host.

    As `marimo export html` does, without a process for that command.
    """
    execution = NotebookExecutionOptions(
        cli_args=parse_args(()), argv=[], persist_session=False
    )
    request = HTMLFileExportRequest(
        path=MarimoPath(notebook),
        options=HTMLExportOptions(files=(), include_code=True),
        execution=execution,
    )
    text = asyncio.run(export_html(request)).contents
    assert isinstance(text, str)
    (folder / f"{notebook.stem}.html").write_text(FRONTEND.sub(".", text))


@pytest.mark.parametrize(
    "lesson",
    # Those with most pictures and the longest code; the others are built alike.
    sampled(
        LESSONS,
        lambda path: path.stem,
        *("00_hundred_lines", "05_pixels", "09_placing_and_partitioning"),
        *("11_matrix_product", "15_capstone"),
    ),
)
def test_page_is_whole(
    lesson: Path,
    site: tuple[Path, str],
    page: browser.Page,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, address = site
    monkeypatch.syspath_prepend(COURSE)
    export(lesson, folder)
    page.open(f"{address}/{lesson.stem}.html", f"{CHECKS} >= 2")
    for width, dark in ((1280, False), (400, True)):
        page.resize(width, dark)
        page.wait(f"document.body.classList.contains('dark') == {dark:d}")
        wide = page.ask("document.documentElement.scrollWidth > innerWidth")
        assert not wide, f"the page is wider than {width} pixels"
        # Some appear only once an exercise is solved.
        for measured in page.ask(PICTURES):
            assert 50 < measured[0] <= width, measured
            assert measured[1] > 10, measured
    assert not page.ask(HAS_ERRORS)
    assert not page.foreign


def test_an_error_is_seen(
    tmp_path: Path, site: tuple[Path, str], page: browser.Page
) -> None:
    """Otherwise the test above would prove nothing."""
    folder, address = site
    broken = tmp_path / "broken.py"
    broken.write_text(
        'import marimo\n\n__generated_with = "0.25.2"\napp = marimo.App()\n\n\n'
        "@app.cell\ndef _():\n    1 / 0\n    return\n"
    )
    export(broken, folder)
    page.open(f"{address}/broken.html", HAS_ERRORS)
