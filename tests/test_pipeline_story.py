"""The story of one program: what a stage leaves is what the next file begins with."""

from __future__ import annotations

import pytest

from devproc.pipeline import STAGES
from tests.update_pipeline_story import STORY, files, program_after, split


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
