"""Schedules as attributes: their examples, how they are made, what they cost."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import LayoutAttr
from devproc.dialects.sched import (
    SCHEDULES,
    BottleneckSchedule,
    ElementsSchedule,
    NmsSchedule,
    PaddingSchedule,
    PixelTileSchedule,
    RegisterTileSchedule,
    RowsSchedule,
    Schedule,
    Variant,
)
from tests.malformed.schedules import WELL_FORMED
from tests.repository import context

CONTEXT = context()
EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
TILE = RegisterTileSchedule(
    weight=LayoutAttr.get([0, 1], [48, 1]),
    rows=7,
    vectors=3,
    order="panels",
    cut=None,
    block=64,
    accumulators=8,
    prefetch_panel=False,
    prefetch_results=(),
    spread=2,
    grain=1,
)


def parse(text: str) -> object:
    return Parser(CONTEXT, text).parse_attribute()


@pytest.mark.parametrize("class_", [*SCHEDULES.values(), Variant])
def test_example_round_trips(class_: type[Schedule]) -> None:
    found = EXAMPLE.search(inspect.getdoc(class_) or "")
    assert found, f"{class_.__name__} has no example"
    schedule = parse(found[1])
    assert isinstance(schedule, class_)
    assert " ".join(found[1].split()).replace("< ", "<") == str(schedule)
    assert class_(**schedule.values) == schedule == parse(str(schedule))


@pytest.mark.parametrize("text", WELL_FORMED)
def test_what_is_mutated_is_well_formed(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize("name", SCHEDULES)
def test_names_agree(name: str) -> None:
    camel = "".join(part.capitalize() for part in name.split("_"))
    assert SCHEDULES[name].__name__ == f"{camel}Schedule"
    assert SCHEDULES[name].name == f"sched.{name}"


def test_every_field_says_what_it_means() -> None:
    for class_ in SCHEDULES.values():
        for field in class_.fields.values():
            assert field.meaning.endswith("."), f"{class_.name}: {field.name}"


def test_fields_are_python_values() -> None:
    assert (TILE.rows, TILE.order, TILE.prefetch_panel) == (7, "panels", False)
    assert TILE.cut is None
    assert TILE.algorithm == "register_tile"
    assert RowsSchedule(lanes=4, vectors=(2, 1), block=None, grain=None).vectors == (
        2,
        1,
    )


def test_equal_values_are_equal() -> None:
    again = TILE.replace(rows=8).replace(rows=7)
    assert again == TILE
    assert len({again, TILE}) == 1
    assert TILE.replace(rows=8) != TILE
    assert PaddingSchedule(lanes=4) != ElementsSchedule(spread=0, grain=None)


def test_a_tuner_keeps_what_changes_digits() -> None:
    assert TILE.fixed == {"block": 64, "accumulators": 8}
    # A short tile of such a height takes several terms at a time.
    assert TILE.replace(rows=5).fixed.keys() == TILE.fixed.keys() | {"rows", "vectors"}
    assert NmsSchedule(lanes=8, grain=None).fixed == {}


def test_a_tuner_keeps_what_changes_digits_within() -> None:
    window = PixelTileSchedule(vectors=2, pixels=4, block=64, split=None, grain=None)
    tile = TILE.replace(spread=0, grain=None)
    bottleneck = BottleneckSchedule(
        expansion=tile, window=window, projection=tile, parts=2, grain=1
    )
    kept = ("sched.register_tile", tile.fixed)
    assert bottleneck.fixed == {
        "expansion": kept,
        "window": ("sched.pixel_tile", {"block": 64}),
        "projection": kept,
    }
    assert bottleneck.replace(parts=1).fixed == bottleneck.fixed
    assert bottleneck.replace(window=window.replace(block=32)).fixed != bottleneck.fixed


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": True}, "'rows' must be a number, 1 or more, not True"),
        ({"rows": 7.0}, "'rows' must be a number, 1 or more, not 7.0"),
        ({"order": "columns"}, "'order' must be panels or rows, not columns"),
        ({"order": None}, "'order' must be panels or rows, not none"),
        ({"prefetch_panel": 1}, "'prefetch_panel' must be yes or no, not 1"),
        ({"prefetch_results": 0}, "'prefetch_results' must be a list"),
        ({"prefetch_results": ("a",)}, "each a number, 0 or more, not [a]"),
        ({"weight": 48}, "'weight' must be #dev.layout, or none, not 48"),
    ],
)
def test_wrong_values_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(VerifyException, match=re.escape(message)):
        TILE.replace(**changes)  # pyright: ignore[reportArgumentType]


def test_wrong_fields_are_refused() -> None:
    with pytest.raises(TypeError, match=r"no field 'row', but weight, rows, .* 'rows'"):
        TILE.replace(row=7)
    with pytest.raises(TypeError, match="needs the field 'grain'"):
        NmsSchedule(lanes=8)  # pyright: ignore[reportCallIssue]


def test_dialect_needs_neither_torch_nor_numpy() -> None:
    code = (
        "import sys, devproc.dialects.sched\n"
        "print([n for n in ('torch', 'numpy', 'devproc.transforms') if n in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
