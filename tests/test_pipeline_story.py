"""The story of one program: what a stage leaves is what the next file begins with."""

from __future__ import annotations

import pytest

from devproc.driver import make_context, parse_module, run_stages
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


def final_text(index: int) -> str:
    """The text of the last stage, going on from the file of a stage."""
    context = make_context()
    module = parse_module(split(files()[index])[1], context)
    run_stages(module, context, STAGES[index + 1 :])
    return str(module)


@pytest.mark.parametrize("index", range(len(STAGES)), ids=[s.name for s in STAGES])
def test_every_stage_leads_to_the_same_end(index: int) -> None:
    assert final_text(index) == final_text(0)
