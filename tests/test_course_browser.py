"""The lessons that stop before code generation run in a browser, with no other host.

A reader's way: the page shows the hints; each solution, as the lesson shows it, goes into
the cell of its exercise.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import runpy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from notebooks.browser import build
from tests import browser
from tests.sweeps import sampled

VERDICTS = """[...document.querySelectorAll('marimo-callout-output')].map(box => [
    JSON.parse(box.dataset.kind), JSON.parse(box.dataset.html).replaceAll(/<.*?>/g, '')])"""
EDITORS = "[...document.querySelectorAll('.cm-content')].map(e => e.cmTile.view)"
IS_COMPLETE = (
    "document.querySelectorAll('[data-cell-id]').length == " + f"{EDITORS}.length"
)
CELLS = f"{EDITORS}.map(view => view.state.doc.toString())"
FILL_IN = """(view => {
    const changes = {from: 0, to: view.state.doc.length, insert: %s};
    view.dispatch({changes});
    const cell = view.dom.closest('[data-cell-id]');
    cell.querySelector('[data-testid=run-button]').click();
})(%s[%d])"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not browser.CHROMIUM, reason="needs Chromium"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the pages."""
    folder = tmp_path_factory.mktemp("lessons")
    try:
        build.build(folder)
    except build.DownloadError as error:
        pytest.skip(f"Pyodide and its packages cannot be downloaded: {error}")
    with browser.served(folder) as address:
        yield address


@pytest.fixture(scope="module")
def page() -> Iterator[browser.Page]:
    """One for all lessons, which reads what they share once."""
    with browser.page() as page:
        page.resize(1280, height=20_000)  # editors out of view are not made
        yield page


@pytest.mark.parametrize(
    "lesson",
    # One that needs Python alone, one that needs xDSL and most of DevProc; the others take
    # the same way.
    sampled(build.LESSONS, lambda path: path.stem, "00_hundred_lines", "06_rewrites"),
)
def test_a_lesson_is_solved_in_the_page(
    lesson: Path,
    site: str,
    page: browser.Page,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(build.COURSE)
    exercise = importlib.import_module("exercise")
    solutions = build.COURSE / "solutions" / lesson.name
    answers: dict[str, Any] = runpy.run_path(str(solutions))["ANSWERS"]
    ready = f"{VERDICTS}.length == {len(answers)} && {IS_COMPLETE}"
    page.open(f"{site}/{lesson.stem}.html", ready, seconds=300)
    for number, (kind, hint) in enumerate(page.ask(VERDICTS), 1):
        assert kind == "warn"
        assert re.match(rf"Exercise {number}: .", hint), hint
    cells = page.ask(CELLS)
    for name in answers:
        source = json.dumps(exercise.source(solutions, name))
        page.ask(FILL_IN % (source, EDITORS, _cell_of(name, cells)))
    page.wait(f"{VERDICTS}.every(([kind, hint]) => kind == 'success')", seconds=300)
    assert not page.foreign


def test_the_index_links_to_pages_that_exist(site: str, page: browser.Page) -> None:
    page.open(f"{site}/index.html", "!!document.querySelector('#glossary')")
    links = page.ask("[...document.links].map(link => link.href)")
    own = {link.partition("#")[0] for link in links if link.startswith(site)}
    wanted = {f"{site}/{lesson.stem}.html" for lesson in build.LESSONS}
    assert own - {f"{site}/index.html"} == wanted
    page.resize(400)
    assert not page.ask("document.documentElement.scrollWidth > innerWidth")


def _cell_of(name: str, cells: Sequence[str]) -> int:
    """The index of the cell that defines a name at its top."""
    for i, text in enumerate(cells):
        try:
            nodes = ast.parse(text).body
        except SyntaxError:  # Markdown
            continue
        for node in nodes:
            match node:
                case ast.FunctionDef(name=found) | ast.ClassDef(name=found):
                    pass
                case ast.Assign(targets=[ast.Name(id=found)]):
                    pass
                case _:
                    continue
            if found == name:
                return i
    raise LookupError(f"no cell defines {name}")
