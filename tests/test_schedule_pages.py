"""docs/schedules: a page for each schedule, whose IR and names are those of the code.

An excerpt is a block of MLIR whose first line names a FileCheck test, of an algorithm or
of a pass, and a function in it: `// pointwise.mlir @add_to_rows`. Its lines must be printed there, in this
order. `...` stands for any lines, or, within a line, for any text of it; values may be
named differently, but one name is one value.
"""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from devproc.backend.installed import backends
from devproc.stages import STAGES
from tests.filecheck_runner import run_devproc_opt, run_lines
from tests.repository import ROOT, repository_files

FOLDER = ROOT / "docs" / "schedules"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
TESTS = {
    path.name: path
    for folder in ("transforms", "algorithms")
    for path in (ROOT / "tests" / "filecheck" / folder).glob("*.mlir")
}
"""FileCheck tests by name."""

EXCERPT = re.compile(r"```mlir\n// (\S+) @(\w+)\n(.*?)```", re.DOTALL)
HEADER = re.compile(
    r"^ *(?:llvm|func|triton)\.func (?:private |internal )?@", re.MULTILINE
)
CODE = re.compile(r"`([^`\n]+)`")
PIECE = re.compile(r"(%\w+|\.\.\.|\s+)")


@cache
def functions(test: str) -> dict[str, str]:
    """What the passes of a FileCheck test make of each function, by name."""
    path = TESTS[test]
    # Of several lines, the last one runs the most passes.
    *_, line = (line for line in run_lines(path) if "filecheck" in line)
    command = shlex.split(line.partition("|")[0].replace("%s", str(path)))
    result = run_devproc_opt(command[1:])
    assert not result.code, result.stderr
    parts = HEADER.split(result.stdout)[1:]
    # Of several of one name, in modules of their own, the first.
    return {part.partition("(")[0]: part for part in reversed(parts)}


def pattern_of(excerpt: str) -> re.Pattern[str]:
    """The text of an excerpt as a regular expression, a group for each of its values."""
    lines: list[str] = []
    names: set[str] = set()

    def piece(text: str) -> str:
        if text == "...":
            return r"[^\n]*?"
        if text.isspace():
            return r"[ ]+"
        if not text.startswith("%"):
            return re.escape(text)
        name = f"v{text[1:]}"
        if name in names:
            return f"(?P={name})"
        names.add(name)
        return rf"(?P<{name}>%\w+)"

    for line in excerpt.strip().splitlines():
        if line.strip() == "...":
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            pieces = PIECE.split(line.strip())
            lines.append(rf"[ ]*{''.join(map(piece, pieces))}\n")
    return re.compile("".join(lines))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_excerpts_are_what_the_passes_print(page: Path) -> None:
    text = page.read_text()
    found = EXCERPT.findall(text)
    assert found, "show how the loops look"
    assert len(found) == text.count("```mlir"), "an excerpt names its FileCheck test"
    for test, function, excerpt in found:
        printed = functions(test)[function]
        match = pattern_of(excerpt).search(printed)
        values = list(match.groups()) if match else []
        if match is None or len(set(values)) != len(values):
            pytest.fail(f"{test} @{function} is\n{printed}", pytrace=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_names_are_those_of_the_code(page: Path) -> None:
    """Files exist; constants have the value that the page says."""
    codes = CODE.findall(re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL))
    files = [code for code in codes if re.fullmatch(r"[\w/-]+\.(py|ll|mlir)", code)]
    known = repository_files()
    found = {name: [p for p in known if f"/{name}" in str(p)] for name in files}
    missing = [name for name, paths in found.items() if not paths]
    assert not missing
    sources = "\n".join(p.read_text() for paths in found.values() for p in paths)
    for constant in (code for code in codes if re.match(r"[A-Z][A-Z_]+\b", code)):
        assert re.search(rf"\b{re.escape(constant)}(?!\w)", sources), constant


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_page_is_read_in_five_minutes(page: Path) -> None:
    text = page.read_text()
    assert len(text.splitlines()) <= 120
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    wanted = ["The problem", "The algorithm", "The loops", "Where", "The rules", "Not"]
    for section, name in zip(sections, wanted, strict=True):
        assert section.startswith(name)


def test_every_schedule_has_its_page() -> None:
    index = (FOLDER / "README.md").read_text()
    for page in PAGES:
        assert f"({page.name})" in index, f"docs/schedules/README.md lacks {page.name}"
    stages = [s for s in STAGES if s.name in ("schedules", "cpu", "gpu")]
    passes = [name for stage in stages for name in stage.passes]
    algorithms = [name for device in backends().values() for name in device.algorithms]
    for name in (*passes, *algorithms):
        assert f"`{name}`" in index, f"docs/schedules/README.md lacks `{name}`"
