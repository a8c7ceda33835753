"""The story of one program: what a stage leaves is what the next file begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from devproc.stages import STAGES
from tests.update_pipeline_story import STORY, files, main, program_after, split


@pytest.fixture(scope="module", autouse=True)
def renewed(request: pytest.FixtureRequest) -> None:
    """With --update-golden the programs are written before they are compared."""
    if request.config.getoption("--update-golden"):
        main()


def test_story_is_complete() -> None:
    assert sorted(STORY.glob("*.mlir")) == files()


@pytest.mark.parametrize("index", range(len(STAGES)), ids=[s.name for s in STAGES])
def test_output_is_the_next_input(index: int) -> None:
    source = files()[max(index - 1, 0)]
    _, before = split(source)
    _, after = split(files()[index])
    assert program_after(index, before) == after, (
        f"stage '{STAGES[index].name}' gives another program than "
        f"{files()[index].name}; python -m tests.update_pipeline_story renews it"
    )


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_every_chapter_says_what_to_look_at(path: Path) -> None:
    head, _ = split(path)
    assert head.startswith("// RUN: devproc-opt %s ")
    assert head.count("// CHECK") >= 4
