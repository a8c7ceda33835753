"""Suppression of boxes: how many meet at a time, beside a loop in Python."""

from __future__ import annotations

import numpy as np
import pytest

from devproc.algorithms.base import Choice
from devproc.dialects.sched import NmsSchedule
from tests.algorithms.schedules import decisions, module_of, planned, problem, run_by
from tests.cpu.native_kernels import memref_type

RANDOM = np.random.default_rng(5)
IMAGES, MOST = 3, 37
OVERLAP, SCORE = 0.5, 0.25


def boxes(number: int = 101, room: int = 48) -> tuple[str, list[np.ndarray]]:
    """Many overlapping boxes of one class; some scores are equal."""
    corner = RANDOM.uniform(0, 20, (IMAGES, number, 2))
    corners = np.concatenate([corner, corner + RANDOM.uniform(2, 9, corner.shape)], -1)
    scores = RANDOM.integers(0, 50, (IMAGES, number)) / 50
    arrays = [
        corners.reshape(IMAGES, number, 1, 4).astype(np.float32),
        scores.astype(np.float32),
        np.zeros((IMAGES, MOST), np.int64),
        np.zeros(IMAGES, np.int64),
        np.zeros((IMAGES, number), np.int64),
        np.zeros((IMAGES, 5, room), np.float32),
        np.zeros((IMAGES, room), np.int64),
    ]
    types = ", ".join(map(memref_type, arrays))
    text = f"""linalg_ext.nms %a0, %a1 into %a2, %a3, %a4, %a5, %a6
      overlap {OVERLAP} : f32 score {SCORE} : f32 agnostic 0 : ({types}) -> ()"""
    return text, arrays


def kept(corners: np.ndarray, scores: np.ndarray) -> list[int]:
    """The places of the boxes that stay, by comparing each with all before it."""
    x1, y1, x2, y2 = corners.reshape(-1, 4).astype(np.float64).T
    area = (x2 - x1) * (y2 - y1)
    stay: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        width = (np.minimum(x2, x2[i]) - np.maximum(x1, x1[i])).clip(0)
        height = (np.minimum(y2, y2[i]) - np.maximum(y1, y1[i])).clip(0)
        both = width * height
        overlap = both / (area + area[i] - both)
        if scores[i] > SCORE and all(overlap[stay] <= OVERLAP):
            stay.append(int(i))
    return stay[:MOST]


@pytest.mark.parametrize(("lanes", "grain"), [(1, None), (3, 1), (16, 2), (48, 7)])
def test_other_schedules_keep_the_same_boxes(lanes: int, grain: int | None) -> None:
    text, arrays = boxes()
    schedule = NmsSchedule(lanes=lanes, grain=grain)
    found = run_by(module_of(text, arrays, "nms"), "nms", schedule, arrays)
    for image in range(IMAGES):
        wanted = kept(arrays[0][image], arrays[1][image])
        assert found[3][image] == len(wanted)
        padded = wanted + [-1] * (MOST - len(wanted))
        assert found[2][image].tolist() == padded


def test_plan() -> None:
    module = module_of(*boxes(number=20001), "nms")
    (choice,) = decisions(module, "nms")
    assert isinstance(choice, Choice)
    assert choice.schedule == NmsSchedule(lanes=16, grain=1)
    assert choice.why == (
        "3 images of 20001 scores; room for 48 boxes in whole vectors"
    )
    module = module_of(*boxes(), "nms", vector_bits=128, threads=1)
    narrow = planned(module, "nms")
    assert narrow == NmsSchedule(lanes=4, grain=None)


def test_room_of_another_size() -> None:
    module = module_of(*boxes(room=40), "nms")
    found = planned(module, "nms")
    assert found == NmsSchedule(lanes=8, grain=None)
    assert problem(module, "nms", found.replace(lanes=16)) == (
        "'lanes' must divide the 40 boxes that there is room for"
    )
