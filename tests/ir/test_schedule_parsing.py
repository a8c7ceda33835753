"""Schedules as a user writes them: what is taken, and what a message says."""

from __future__ import annotations

import pytest

from devproc.dialects.sched import ScatterSchedule, StrassenSchedule
from devproc.dialects.sched.parsing import parse_override, parse_schedule
from devproc.errors import CompileError


@pytest.mark.parametrize(
    "text",
    ["#sched.scatter<grain = 8, lanes = 1>", "  #sched.scatter<grain=8,lanes=1>\n"],
)
def test_schedule(text: str) -> None:
    assert parse_schedule(text) == ScatterSchedule(grain=8, lanes=1)


def test_schedule_with_a_layout() -> None:
    schedule = parse_schedule(
        "#sched.strassen<weight = #dev.strassen<48>, block = 104, rows = 8, slice = 384,"
        " group = 2, grain = 1>"
    )
    assert isinstance(schedule, StrassenSchedule)
    assert schedule.weight.width.data == 48


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must begin with #sched. and the name of an algorithm"),
        ("scatter<grain = 8>", "must begin with #sched. and the name"),
        ("#dev.strassen<48>", "must begin with #sched. and the name"),
        (
            "#sched.scater<grain = 8>",
            "unknown schedule '#sched.scater'; known schedules: ",
        ),
        ("#sched.scater<grain = 8>", "did you mean 'scatter'?"),
        ("#sched.variant<by = none>", "unknown schedule '#sched.variant'"),
        (
            "#sched.scatter<grains = 8>",
            "has no field 'grains', but grain, lanes; did you mean",
        ),
        ("#sched.scatter<>", "#sched.scatter needs the fields 'grain', 'lanes'"),
        ("#sched.nms<lanes = 8, lanes = 8>", "has the field 'lanes' twice"),
        ("#sched.scatter<grain = all>", "'grain' must be a number, 1 or more, or none"),
        ("#sched.scatter<grain = 0, lanes = 1>", "1 or more, or none, not 0"),
        ("#sched.elements<spread = 1, grain = none>", "'grain' must be a number"),
        ("#sched.scatter<grain = 8", "'>' expected"),
        ("#sched.scatter", "'<' expected"),
        ("#sched.scatter<grain = 8, lanes = 1> 4", "must end in '>', not '4'"),
        ("#sched.scatter<grain = $>", "Unexpected character"),
    ],
)
def test_wrong_schedule(text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse_schedule(text)
    assert message in str(caught.value)


def test_override() -> None:
    pattern, schedule = parse_override(
        "model.conv*=#sched.scatter<grain = 8, lanes = 1>"
    )
    assert (pattern, schedule) == ("model.conv*", ScatterSchedule(grain=8, lanes=1))


@pytest.mark.parametrize(
    "text",
    [
        "#sched.scatter<grain = 8, lanes = 1>",
        "=#sched.scatter<grain = 8, lanes = 1>",
        "conv=8",
        "",
    ],
)
def test_override_without_a_pattern_or_a_schedule(text: str) -> None:
    with pytest.raises(
        CompileError, match="must be a pattern on kernels, '=' and a sch"
    ):
        parse_override(text)
