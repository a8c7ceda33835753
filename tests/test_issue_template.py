"""The template of a report and the lesson that fills it in have the same sections."""

from __future__ import annotations

import re

from tests.repository import ROOT


def test_the_lesson_has_the_sections_of_the_template() -> None:
    template = ROOT / ".github" / "ISSUE_TEMPLATE" / "wrong_result.md"
    lesson = ROOT / "notebooks" / "course" / "15_capstone.py"
    sections = re.findall(r"^## (.+)$", template.read_text(), re.M)
    (report,) = re.findall(r'report = """(.*?)"""', lesson.read_text(), re.S)
    assert re.findall(r"^\s*## (.+)$", report, re.M) == sections
    assert template.name in lesson.read_text()
