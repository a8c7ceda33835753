"""What all tests share: golden files, the option that renews them, kinds of processors."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from devproc.targets.cpu.machine import cpu_target
from tests.installed_wheel import devproc_wheel as devproc_wheel
from tests.seeds import pytest_collectstart as pytest_collectstart
from tests.seeds import pytest_fixture_setup as pytest_fixture_setup
from tests.seeds import pytest_runtest_call as pytest_runtest_call
from tests.torchvision_finder import install_finder

GOLDEN = Path(__file__).parent / "golden"

RARE_COLLECTIONS = (100_000, 50, 100)
"""Thresholds of Python's collection of garbage: each one walks all that PyTorch's import left,
a twentieth of the suite's time."""


install_finder()
gc.set_threshold(*RARE_COLLECTIONS)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden files and the pipeline story anew instead of comparing",
    )
    parser.addoption(
        "--full-sweeps",
        action="store_true",
        help="try every combination where the suite takes a sample of them: each dtype of "
        "each operator of op_db, for instance",
    )


LONGEST = ("tests/test_types.py",)
"""Files whose tests take a minute: they begin first, for nothing is left to run alongside
them at the end.
"""


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
    if not config.getoption("--full-sweeps"):
        left_out = [i for i in items if i.get_closest_marker("full_sweeps")]
        items[:] = [i for i in items if i not in left_out]
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    """Leaves what the tests made to the end of the process: pytest would collect garbage
    twice before, for seconds each.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)


@pytest.fixture
def separate_adders(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine, as if it added beside its multiply-adds."""
    host = cpu_target.CPUTarget.host()
    monkeypatch.setattr(cpu_target, "SEPARATE_ADDERS", (host.cpu,))


@pytest.fixture
def shared_adders(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine, as if additions took the place of its multiply-adds."""
    monkeypatch.setattr(cpu_target, "SEPARATE_ADDERS", ())


@pytest.fixture
def full_sweeps(request: pytest.FixtureRequest) -> bool:
    """Whether to try every combination where the suite takes a sample of them."""
    return bool(request.config.getoption("--full-sweeps"))


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def golden(
    request: pytest.FixtureRequest, update_golden: bool
) -> Callable[[str, str], None]:
    """Compares a text with `golden/<name of the test>.<suffix>`."""
    name = request.node.name.removeprefix("test_").rstrip("]").replace("[", "-")

    def compare(suffix: str, text: str) -> None:
        path = GOLDEN / f"{name}.{suffix}"
        if update_golden:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"no {path.name}; pytest --update-golden writes it"
        assert text == path.read_text(), f"{path.name}; --update-golden renews it"

    return compare
