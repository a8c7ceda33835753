"""The page of the steps shows how they are called."""

from __future__ import annotations

from devproc.frontends.dsl import Pipeline
from devproc.tools.steps_page import signature, steps_page


def test_options_by_name_stand_behind_a_star() -> None:
    page = steps_page("")
    assert "### `map_boxes(boxes, *, image, source, clip=True)`" in page
    assert "classes=None, *, class_agnostic=False, multi_label=True, overlap" in page
    assert signature("model", Pipeline.model) == (
        "model(program, *inputs, fallback=None, trust_pickle=False)"
    )


def test_words_of_a_family_stand_below_its_title() -> None:
    page = steps_page("")
    assert "## Steps between values, element by element\n\nAlso written with" in page
    for step in ("decode_yolo", "clip_boxes", "decode_detr"):
        assert f"`{step}`" in page.split("## Steps that select boxes")[1]
