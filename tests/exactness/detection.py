"""Checks of the family `detection`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import torch

import devproc
from devproc.exactness.bound import ANY, Key
from devproc.exactness.detection import BOUNDS
from devproc.ir.types import DTYPES
from tests.exactness.dtypes import random_array
from tests.exactness.measuring import Array, Check, Measured, compare
from tests.steps.libraries import processor
from tests.steps.test_detection import greedy, random_boxes

TAKE, FILL = (Key(step, "", "", ANY) for step in ("take_rows", "fill_padding"))
SIZE, CLASSES, MOST = 83, 4, 60


def _nms() -> Iterator[tuple[Array, Array]]:
    pipe = devproc.pipeline("nms")
    boxes = pipe.input("boxes", "float32", (SIZE, 4), "")
    scores = pipe.input("scores", "float32", (SIZE, CLASSES), "")
    pipe.output("found", pipe.nms(boxes, scores, 0.4, 0.3, MOST))
    program = devproc.compile(pipe, threads=1)
    rng = np.random.default_rng(0)
    for digits in (1, 9, 9, 9):
        x = random_boxes(rng, SIZE)
        chances = rng.uniform(0, 1, (SIZE, CLASSES)).round(digits).astype(np.float32)
        found = program(x, chances)["found"]
        every = np.repeat(x, CLASSES, 0)
        classes = np.arange(len(every)) % CLASSES
        kept = greedy(every, chances.ravel(), classes, 0.4, 0.3, MOST)
        count = int(found["count"])
        yield found["boxes"][:count], every[kept]
        yield found["classes"][:count], classes[kept]


def _detr() -> Iterator[tuple[Array, Array]]:
    size, queries = (480, 640), 100
    pipe = devproc.pipeline("detr")
    logits = pipe.input("logits", "float32", (2, queries, 92), "")
    boxes = pipe.input("boxes", "float32", (2, queries, 4), "")
    pipe.output("found", pipe.decode_detr(logits, boxes, size, 0.5))
    program = devproc.compile(pipe, threads=1)
    rng = np.random.default_rng(1)
    given = rng.normal(0, 4, (2, queries, 92)).astype(np.float32)
    places = rng.uniform(0, 1, (2, queries, 4)).astype(np.float32)
    found = program(given, places)["found"]
    outputs = SimpleNamespace(
        logits=torch.from_numpy(given), pred_boxes=torch.from_numpy(places)
    )
    process = processor("DetrImageProcessor").post_process_object_detection
    for i, wanted in enumerate(process(outputs, 0.5, [size] * 2)):
        count = int(found["count"][i])
        for ours, theirs in (
            ("boxes", "boxes"), ("scores", "scores"), ("classes", "labels")
        ):  # fmt: skip
            yield found[ours][i, :count], wanted[theirs].numpy()


def _row_arrays() -> dict[str, Array]:
    """Values of each dtype that belong to boxes: numbers, vectors, matrices."""
    rng = np.random.default_rng(2)
    shapes = cycle([(2, 9, 3), (2, 9), (2, 9, 2, 5)])
    return {
        dtype: random_array(rng, shape, dtype)
        for dtype, shape in zip(DTYPES, shapes, strict=False)
    }


@cache
def _rows() -> Mapping[Key, Measured]:
    """Rows of detections, of which image 1 has none; the boxes do not overlap."""
    pipe, arrays = devproc.pipeline("rows"), _row_arrays()
    boxes = pipe.input("boxes", "float32", (2, 9, 4), "")
    scores = pipe.input("scores", "float32", (2, 9), "")
    found = pipe.nms(boxes, scores, 0.5, 0.25, 6)
    for dtype, x in arrays.items():
        value = pipe.input(f"{dtype} x", str(x.dtype), x.shape, "")
        value = pipe.cast(value, dtype) if dtype == "bfloat16" else value
        taken = pipe.take_rows(value, found)
        # A bounded value goes out with its count alone.
        pipe.output(f"{dtype} take_rows", replace(found, boxes=taken))
        if dtype != "bool":
            pipe.output(f"{dtype} fill_padding", pipe.fill_padding(taken, 7))
    chances = np.random.default_rng(3).random((2, 9)).astype(np.float32)
    chances[1] = 0
    places = np.arange(2 * 9 * 4).reshape(2, 9, 4) // 4 * 10 + np.array([0, 0, 1, 1])
    given = {f"{dtype} x": x for dtype, x in arrays.items()}
    program = devproc.compile(pipe, threads=1)
    out = program(boxes=places.astype(np.float32), scores=chances, **given)
    order = np.argsort(-chances, 1, kind="stable")[:, :6]
    inside = np.arange(6) < (chances > 0.25).sum(1, keepdims=True)
    assert inside[0].any()
    assert not inside[0].all()
    pairs: dict[Key, list[tuple[Array, Array]]] = {TAKE: [], FILL: []}
    for dtype, x in arrays.items():
        ones = [1] * (x.ndim - 2)
        taken = np.take_along_axis(x, order.reshape(2, 6, *ones), 1)
        for key, padding in ((TAKE, 0), (FILL, 7)):
            name = f"{dtype} {key.step}"
            if name in out:
                ours = out[name] if key == FILL else out[name]["boxes"]
                other = np.array(padding, x.dtype)
                wanted = np.where(inside.reshape(2, 6, *ones), taken, other)
                pairs[key].append((ours, wanted))
    return {key: compare(found) for key, found in pairs.items()}


def _measured(key: Key) -> Measured:
    if key in (TAKE, FILL):
        return _rows()[key]
    return compare(_nms() if key.step == "nms" else _detr())


CHECKS: Mapping[Key, Check] = {key: partial(_measured, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
