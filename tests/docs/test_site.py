"""The site builds strictly, and its pages are whole in a browser, wide, narrow and dark."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import devproc
from devproc.tools.api_page import SPECIAL
from devproc.tools.devproc import COMMANDS
from tests import browser
from tests.repository import ROOT

pytest.importorskip("mkdocs", reason="`make venv` installs it, with the extra `docs`")

PAGES = (
    "index",
    "concepts",
    "benchmarks",
    "command_options",
    "comparison",
    "ship/setup",
    "ship/quickstart",
    "ship/troubleshooting",
    "api",
    "models",
    "stages/tensor",
    "operators",
)
NARROW, WIDE = 400, 1280
BAND = 400
"""Height, in pixels, of which a part of a page is never of one colour."""

READY = "document.readyState == 'complete' && !!document.querySelector('h1')"
WIDTH = "document.documentElement.scrollWidth"
BROKEN = "[...document.images].filter(i => !i.naturalWidth).map(i => i.src)"
BACKGROUND = (
    "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
)
CONTENT = """(() => { const box = document.querySelector('.md-content__inner')
    .getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })()"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    done = subprocess.run(
        [*command, "--site-dir", folder], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def other_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as Zensical builds it, in the folder of its mkdocs.yml and nowhere else."""
    reason = "`make venv` installs it, with the extra `docs`"
    pytest.importorskip("zensical", reason=reason)
    folder = tmp_path_factory.mktemp("zensical")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    (folder / "devproc").symlink_to(ROOT / "devproc")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "site"


@pytest.fixture(scope="module")
def page(site: Path) -> Iterator[tuple[browser.Page, str]]:
    """A page of one browser for all tests, and the address of the site."""
    if not browser.CHROMIUM:
        pytest.skip("needs Chromium")
    with browser.served(site) as address, browser.page() as opened:
        yield opened, address


def test_api_has_every_name_and_no_internal_one(site: Path) -> None:
    text = (site / "api.html").read_text()
    found = re.findall(r"id=\"devproc[\w.]*\.(_\w+)\"", text)
    assert set(found) == set(SPECIAL)
    assert "Pipeline.block" not in text, "steps are on a page of their own"
    missing = [name for name in devproc.__all__ if f"devproc.{name}" not in text]
    assert not [n for n in missing if f"devproc.errors.{n}" not in text]


def headings(site: Path) -> dict[str, list[str]]:
    """Page -> the anchors of its headings."""
    heading = re.compile(r"<h[1-6][^>]* id=\"([^\"]+)\"")
    return {
        page.relative_to(site).as_posix(): heading.findall(page.read_text())
        for page in site.rglob("*.html")
        if page.name != "404.html"
    }


def test_zensical_builds_the_same_pages(site: Path, other_site: Path) -> None:
    assert headings(other_site) == headings(site)


def test_every_command_has_its_options(site: Path) -> None:
    text = (site / "command_options.html").read_text()
    assert not [name for name in COMMANDS if f"<code>devproc {name}</code>" not in text]


def test_abbreviations_have_capitals() -> None:
    """Generated sentences too: no "One **ssa** graph", no "Cpu kernels"."""
    wrong = re.compile(r"\b(?:Cpu|Gpu|Ssa|ssa|Llvm|Ir|Json|Api|Onnx|onnx)\b(?![./_(-])")
    found = {
        f"{page.name}: {line}"
        for page in (ROOT / "docs").rglob("*.md")
        for line in re.sub(
            r"```.*?```|`[^`\n]*`|\([^)\n]*\)", "", page.read_text(), flags=re.DOTALL
        ).splitlines()
        if wrong.search(line)
    }
    assert found == set()


def pixels(opened: browser.Page) -> NDArray[Any]:
    """What the window shows of the page's content."""
    image = Image.open(io.BytesIO(opened.screenshot())).convert("RGB")
    left, top, right, bottom = (int(v) for v in opened.ask(CONTENT))
    box = (
        max(left, 0),
        max(top, 0),
        min(right, image.width),
        min(bottom, image.height),
    )
    return np.asarray(image.crop(box))


def look_at(opened: browser.Page, dark: bool = False) -> None:
    """Nothing overflows, is broken or blank, and the colours are those asked for."""
    assert opened.ask(f"{WIDTH} <= innerWidth")
    assert opened.ask(BROKEN) == []
    assert (sum(opened.ask(BACKGROUND)[:3]) < 3 * 128) == dark
    shown = pixels(opened)
    for top in range(0, len(shown) - BAND + 1, BAND):
        assert shown[top : top + BAND].std() > 1, f"blank from {top} pixels on"


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, page: tuple[browser.Page, str]) -> None:
    opened, address = page
    opened.resize(WIDE)
    opened.open(f"{address}/{name}.html", READY)
    look_at(opened)
    opened.resize(NARROW)
    look_at(opened)
    assert not opened.foreign


@pytest.mark.slow
def test_every_page_fits(site: Path, page: tuple[browser.Page, str]) -> None:
    """In a narrow window tables and code scroll, not the page; no picture is missing."""
    opened, address = page
    opened.resize(NARROW)
    for name in headings(site):
        opened.open(f"{address}/{name}", READY)
        assert opened.ask(f"{WIDTH} <= innerWidth"), name
        assert opened.ask(BROKEN) == [], name
    assert not opened.foreign


def test_pages_of_zensical(other_site: Path, page: tuple[browser.Page, str]) -> None:
    opened, _ = page
    with browser.served(other_site) as address:
        for name in ("index", "concepts", "api", "operators"):
            opened.resize(WIDE)
            opened.open(f"{address}/{name}.html", READY)
            look_at(opened)
            opened.resize(NARROW)
            look_at(opened)
    assert not opened.foreign


@pytest.mark.parametrize("name", ["concepts", "benchmarks"])
def test_dark(name: str, page: tuple[browser.Page, str]) -> None:
    """The colours that the user prefers, in a browser where nothing was chosen yet."""
    _, address = page
    with browser.page() as fresh:
        fresh.resize(NARROW, dark=True)
        fresh.open(f"{address}/{name}.html", READY)
        look_at(fresh, dark=True)


def test_rows_of_operators_are_filtered(page: tuple[browser.Page, str]) -> None:
    opened, address = page
    shown = "[...document.querySelectorAll('tbody tr')].filter(r => !r.hidden)"
    opened.open(
        f"{address}/operators.html", f"{READY} && !!document.querySelector('.filter')"
    )
    before = opened.ask(f"{shown}.length")
    opened.ask("""(() => { const field = document.querySelector('.filter');
        field.value = 'aten.RELU.default'; field.dispatchEvent(new Event('input')); })()""")
    texts: list[str] = opened.ask(f"{shown}.map(r => r.textContent)")
    assert 0 < len(texts) < before
    assert all("aten.relu.default" in text for text in texts)
