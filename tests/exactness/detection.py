"""Checks of the family `detection`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import SimpleNamespace

import numpy as np
import torch

import devproc
from devproc.exactness.bound import Key
from devproc.exactness.detection import BOUNDS
from tests.exactness.measuring import Array, Check, Measured, compare
from tests.steps.libraries import processor
from tests.steps.test_detection import greedy, random_boxes

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


def _measured(key: Key) -> Measured:
    return compare(_nms() if key.step == "nms" else _detr())


CHECKS: Mapping[Key, Check] = {key: partial(_measured, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
