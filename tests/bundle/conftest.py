"""Compares what tests state about machines with the record, or renews that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.bundle.machine_table import add_to_record, read_record


@pytest.fixture(autouse=True)
def machine_statements(request: pytest.FixtureRequest) -> Iterator[None]:
    """Checks the statements of a marked test before it runs, or records them after it."""
    marks = list(request.node.iter_markers("machine"))
    renewed = request.config.getoption("--update-golden")
    if marks and not renewed:
        record = read_record()
        for mark in marks:
            machine, kind, what = mark.args
            assert what in record.get(machine, {}).get(kind, []), (
                f"{machine}: '{what}' is not in machines.json; run with --update-golden"
            )
    yield
    failed = getattr(request.node, "was_passed", False) is False
    if marks and renewed and not failed:
        for mark in marks:
            add_to_record(*mark.args)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[None]:
    """Tells the fixture whether the test itself passed: skips do not count."""
    report: pytest.TestReport = yield  # pyright: ignore[reportAssignmentType]
    if call.when == "call":
        setattr(item, "was_passed", report.passed)
    return report  # pyright: ignore[reportReturnType]
