"""Learning: the index of the course leads to its lessons; the first and the last are solved."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from devproc import extension
from tests.test_course import COURSE, LESSONS, Lesson


def test_the_index_leads_to_the_lessons() -> None:
    page = (COURSE / "README.md").read_text()
    linked = re.findall(r"^\| \d+ \| \[[^|]+\]\((\w+\.py)\)", page, re.MULTILINE)
    assert linked == [lesson.name for lesson in LESSONS]


def test_the_index_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(COURSE)
    runpy.run_path(str(COURSE / "index.py"), run_name="__main__")


@pytest.mark.parametrize("lesson", [LESSONS[0], LESSONS[-1]], ids=["first", "last"])
def test_a_lesson_is_solved(lesson: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with extension.temporary():
        run = Lesson(lesson, monkeypatch)
        assert run.run(run.answers) == [None] * len(run.answers)
