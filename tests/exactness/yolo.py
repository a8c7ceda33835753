"""Checks of the family `yolo`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

import devproc
from devproc.exactness.bound import Key
from devproc.exactness.yolo import BOUNDS
from tests.exactness.measuring import Check, Measured, compare
from tests.steps.test_detection import v5_heads, v8_heads

STRIDES, SHAPES, CLASSES = (8, 16), ((11, 7), (1, 9)), 5
ANCHORS = (((10, 13), (16, 30), (33, 23)), ((30, 61), (62, 45), (59, 119)))


def _measured(version: str) -> Measured:
    """Boxes, then scores."""
    rng = np.random.default_rng(0)
    channels = 3 * (5 + CLASSES) if version == "v5" else 4 * 16 + CLASSES
    pipe = devproc.pipeline(version)
    shapes = [(2, channels, *shape) for shape in SHAPES]
    maps = [
        pipe.input(f"map {i}", "float32", shape, "") for i, shape in enumerate(shapes)
    ]
    found = pipe.decode_yolo(maps, version, STRIDES, anchors=ANCHORS)
    for name, value in zip(("boxes", "scores"), found, strict=True):
        pipe.output(name, value)
    given = [rng.normal(0, 4, shape).astype(np.float32) for shape in shapes]
    out = devproc.compile(pipe, threads=1)(*given)
    if version == "v5":
        wanted = v5_heads(given, STRIDES, ANCHORS)
    else:
        wanted = v8_heads(given, STRIDES, 16)
    singles = [v.astype(np.float32) for v in wanted]
    return compare(zip((out["boxes"], out["scores"]), singles, strict=True))


CHECKS: Mapping[Key, Check] = {key: partial(_measured, key.mode) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
