"""The `target` of a compilation: what it may say, and each refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from devproc.backend.target import parse_target, shared_memories
from devproc.errors import CompileError
from tests.backend.packages import DEVICE, install_device

WITH_OPTIONS = DEVICE + '    options = ("slow", "exact")\n'


@pytest.fixture(autouse=True)
def _npu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_device(tmp_path, monkeypatch, "npu", WITH_OPTIONS)


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("cpu", {"cpu": ""}),
        ("cuda", {"cuda": ""}),
        ("npu:exact", {"npu": "exact"}),
        (
            "cpu+npu:slow+cuda:interpret",
            {"cpu": "", "npu": "slow", "cuda": "interpret"},
        ),
        ("npu+cpu", {"npu": "", "cpu": ""}),
    ],
)
def test_devices_with_their_options(target: str, found: dict[str, str]) -> None:
    assert parse_target(target) == found
    assert list(parse_target(target)) == list(found)
    assert shared_memories(target) == {"cpu", *found}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "there is no device ''; the devices are cpu, cuda, npu"),
        ("cpu+", "there is no device ''"),
        ("tpu", "unknown target 'tpu': there is no device 'tpu'"),
        ("CPU", r"there is no device 'CPU'.*did you mean 'cpu'\?"),
        ("cpu + npu", "there is no device 'cpu '"),
        ("cpu+nppu", r"no device 'nppu'.*joined by '\+'; did you mean 'npu'\?"),
        # PyTorch, which the compiler adds where it is needed.
        ("cpu+host", "there is no device 'host'"),
        ("cpu+npu+cpu", "names the device 'cpu' twice"),
        ("cpu+npu:slow+npu:exact", "names the device 'npu' twice"),
        ("cpu:fast", "'cpu' has no option 'fast'; it has none"),
        (
            "cpu+npu:exakt",
            r"'npu' has no option 'exakt'; it has 'npu:slow', 'npu:exact'; did you mean "
            r"'npu:exact'\?",
        ),
        ("npu:slow:exact", "'npu' has no option 'slow:exact'"),
        ("npu+cuda", r"several devices, but not 'cpu'.*write 'cpu\+npu\+cuda'"),
    ],
)
def test_refusals(target: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        parse_target(target)
