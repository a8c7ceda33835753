"""Suppression and detectors' heads beside loops over boxes, and transformers."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.func import FuncOp

import devproc
from devproc.driver import make_context, run_stages, stages_between
from devproc.frontends.dsl import Pipeline
from devproc.reference.run.interpreter import evaluate
from tests.steps.libraries import processor

Array = np.ndarray[Any, np.dtype[Any]]

OVERLAP, SCORE, MOST = 0.45, 0.25, 12


def greedy(
    boxes: Array,
    scores: Array,
    classes: Array,
    overlap: float,
    score: float,
    most: int,
    *,
    iom: bool = False,
) -> list[int]:
    """torchvision's `nms` as its CPU kernel has it, one class at a time, in float32;
    boxes (m, 4), one for each score. With `iom` overlaps are of the smaller box."""
    with np.errstate(all="ignore"):
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        order = np.argsort(-(scores + np.float32(0)), kind="stable")
        order = [i for i in order if scores[i] > np.float32(score)]
        kept: list[int] = []
        for j in order:
            if len(kept) == most:
                break
            for i in kept:
                low = np.maximum(boxes[i, :2], boxes[j, :2])
                size = np.minimum(boxes[i, 2:], boxes[j, 2:]) - low
                both = np.prod(np.maximum(size, np.float32(0)), dtype=np.float32)
                union = areas[i] + areas[j] - both
                shared = both / (np.minimum(areas[i], areas[j]) if iom else union)
                if classes[i] == classes[j] and float(shared) > overlap:
                    break
            else:
                kept.append(j)
    return kept


def random_boxes(rng: np.random.Generator, *shape: int) -> Array:
    first = rng.uniform(0, 60, (*shape, 2))
    size = rng.uniform(0, 40, (*shape, 2))
    return np.concatenate([first, first + size], -1).astype(np.float32)


def check(
    found: dict[str, Array], image: int, kept: list[int], c: int, rows: Any
) -> None:
    """Rows of an image are those kept, then padding. `rows` are boxes, scores, classes."""
    boxes, scores, classes = rows
    n, most = len(kept), found["scores"].shape[-1]
    assert found["count"][image] == n
    pairs = (
        (found["boxes"], boxes[kept], 0),
        (found["scores"], scores[kept], 0),
        (found["classes"], classes[kept], -1),
        (found["rows"], np.array(kept, np.int64) // c, -1),
    )
    for ours, wanted, padding in pairs:
        np.testing.assert_array_equal(ours[image, :n], wanted)
        assert np.array_equal(ours[image, n:], np.full_like(ours[image, n:], padding))
        assert ours.shape[1] == most


def nms_pipeline(b: int, n: int, c: int) -> Pipeline:
    """The same boxes in each of the step's forms."""
    pipe = devproc.pipeline("nms")
    boxes = pipe.input("boxes", "float32", (b, n, 4), "")
    own = pipe.input("own", "float32", (b, n, c, 4), "")
    scores = pipe.input("scores", "float32", (b, n, c), "")
    classes = pipe.input("classes", "int64", (b, n), "")
    line = pipe.input("line", "float32", (b, n), "")
    given = (OVERLAP, SCORE, MOST)
    pipe.output("each", pipe.nms(boxes, scores, *given))
    pipe.output("agnostic", pipe.nms(boxes, scores, *given, class_agnostic=True))
    pipe.output("best", pipe.nms(boxes, scores, *given, multi_label=False))
    pipe.output("own", pipe.nms(own, scores, *given))
    pipe.output("iom", pipe.nms(boxes, scores, *given, overlap="iom"))
    pipe.output("given", pipe.nms(boxes, line, *given, classes=classes))
    return pipe


def by_reference(pipe: Pipeline) -> Any:
    """The pipeline as PyTorch functions, op by op; called as a program."""
    module = pipe.module()
    run_stages(module, make_context(), stages_between(None, "tensor"))
    main = next(op for op in module.ops if isinstance(op, FuncOp))

    def run(**inputs: Array) -> Any:
        given = [torch.from_numpy(x) for x in inputs.values()]
        outputs = iter(evaluate(main, given, pipe.weights))
        names = ("each", "agnostic", "best", "own", "iom", "given")
        parts = ("boxes", "scores", "classes", "rows", "count")
        return {n: {part: next(outputs).numpy() for part in parts} for n in names}

    return run


def awkward(rng: np.random.Generator, number: int, b: int, n: int, c: int) -> Any:
    """Boxes, scores: random, then ties, NaN, one place, no size, none high enough."""
    boxes = random_boxes(rng, b, n)
    scores = rng.uniform(0, 1, (b, n, c)).astype(np.float32)
    if number == 1:
        scores = np.round(scores, 1)
    elif number == 2:
        scores[rng.random(scores.shape) < 0.3] = np.nan
        scores[:, 1], scores[:, 2] = np.inf, -np.inf
        boxes[:, 5, 2], boxes[:, 6, 0], boxes[:, 7] = np.nan, -np.inf, np.inf
    elif number == 3:
        boxes[:] = boxes[:, :1]
    elif number == 4:
        boxes[..., 2:] = boxes[..., :2]
    elif number == 5:
        scores[0], scores[1:] = 0.25, np.nan
    elif number == 6:
        boxes = boxes[..., [2, 3, 0, 1]]
    return boxes, scores


@pytest.mark.parametrize(
    ("target", "n", "kinds"),
    [("cpu", 67, range(7)), ("reference", 31, range(7)), ("cuda:interpret", 5, (1,))],
)
def test_nms(target: str, n: int, kinds: Iterable[int]) -> None:
    b, c = 2, 3
    pipe = nms_pipeline(b, n, c)
    program = (
        by_reference(pipe)
        if target == "reference"
        else devproc.compile(pipe, target=target, threads=1)
    )
    rng = np.random.default_rng(0)
    for number in kinds:
        boxes, scores = awkward(rng, number, b, max(n, 8), c)
        boxes, scores = boxes[:, :n].copy(), scores[:, :n].copy()
        own, classes = random_boxes(rng, b, n, c), rng.integers(-1, 2, (b, n))
        line = torch.tensor(scores).amax(-1).numpy()
        found = program(boxes=boxes, own=own, scores=scores, classes=classes, line=line)
        places, numbers = np.arange(n * c), np.arange(n * c) % c
        for i in range(b):
            flat, shared = scores[i].ravel(), np.repeat(boxes[i], c, 0)
            limits = (OVERLAP, SCORE, MOST)
            rows = (shared, flat, numbers)
            check(found["each"], i, greedy(*rows, *limits), c, rows)
            check(found["iom"], i, greedy(*rows, *limits, iom=True), c, rows)
            kept = greedy(shared, flat, places * 0, *limits)
            check(found["agnostic"], i, kept, c, rows)
            rows = (own[i].reshape(-1, 4), flat, numbers)
            check(found["own"], i, greedy(*rows, *limits), c, rows)
            best, label = (t.numpy() for t in torch.tensor(scores[i]).max(-1))
            rows = (boxes[i], best, label)
            check(found["best"], i, greedy(*rows, *limits), 1, rows)
            rows = (boxes[i], best, classes[i])
            check(found["given"], i, greedy(*rows, *limits), 1, rows)


def v8_heads(maps: list[Array], strides: tuple[int, ...], bins: int) -> Any:
    """Boxes and scores of an Ultralytics `Detect` head, in float64."""
    boxes, scores = [], []
    for x, stride in zip(maps, strides, strict=True):
        b, _, h, w = x.shape
        parts = np.exp(x[:, : 4 * bins].reshape(b, 4, bins, h * w).astype(np.float64))
        sides = np.einsum(
            "bskp,k->bsp", parts / parts.sum(2, keepdims=True), range(bins)
        )
        y, x_ = (v.ravel() + 0.5 for v in np.mgrid[:h, :w])
        middle = np.stack([x_, y], -1)
        first, last = sides[:, :2].transpose(0, 2, 1), sides[:, 2:].transpose(0, 2, 1)
        corners = np.concatenate([middle - first, middle + last], -1)
        boxes.append(corners * stride)
        logits = x[:, 4 * bins :].reshape(b, -1, h * w).astype(np.float64)
        scores.append(1 / (1 + np.exp(-logits.transpose(0, 2, 1))))
    return np.concatenate(boxes, 1), np.concatenate(scores, 1)


def v5_heads(maps: list[Array], strides: tuple[int, ...], anchors: Any) -> Any:
    """Boxes and scores of YOLOv5's `Detect`, in float64."""
    boxes, scores = [], []
    for x, stride, sizes in zip(maps, strides, np.array(anchors), strict=True):
        b, channels, h, w = x.shape
        y = 1 / (1 + np.exp(-x.astype(np.float64)))
        y = y.reshape(b, len(sizes), -1, h, w).transpose(0, 1, 3, 4, 2)
        down, right = np.mgrid[:h, :w]
        grid = np.stack([right, down], -1) - 0.5
        middle = (y[..., :2] * 2 + grid) * stride
        half = (y[..., 2:4] * 2) ** 2 * sizes[:, None, None] / 2
        corners = np.concatenate([middle - half, middle + half], -1)
        boxes.append(corners.reshape(b, -1, 4))
        both = y[..., 5:] * y[..., 4:5]
        scores.append(both.reshape(b, -1, both.shape[-1]))
        assert channels == len(sizes) * y.shape[-1]
    return np.concatenate(boxes, 1), np.concatenate(scores, 1)


@pytest.mark.parametrize(
    ("target", "size", "strides"), [("cpu", 7, (8, 16)), ("cuda:interpret", 2, (8,))]
)
def test_yolo_heads(target: str, size: int, strides: tuple[int, ...]) -> None:
    bins, anchors = 5, (((10, 13), (16, 30)), ((30, 61), (62, 45)))[: len(strides)]
    rng = np.random.default_rng(0)
    shapes = [(size, 3), (1, size)][: len(strides)]
    v8 = [rng.normal(0, 3, (2, 4 * bins + 2, *s)).astype(np.float32) for s in shapes]
    v5 = [rng.normal(0, 2, (2, 2 * (5 + 2), *s)).astype(np.float32) for s in shapes]
    pipe = devproc.pipeline("yolo")
    eight, five = (
        [pipe.input(f"{name}_{i}", "float32", x.shape, "") for i, x in enumerate(maps)]
        for name, maps in (("eight", v8), ("five", v5))
    )
    boxes, scores = pipe.decode_yolo(eight, "v8", strides, bins)
    pipe.output("boxes8", boxes)
    pipe.output("scores8", scores)
    best = pipe.nms(boxes, scores, 0.5, 0.3, 50, multi_label=False)
    pipe.output("best", best)
    boxes, scores = pipe.decode_yolo(five, "v5", strides, anchors=anchors)
    pipe.output("boxes5", boxes)
    pipe.output("scores5", scores)
    out = devproc.compile(pipe, target=target, threads=1)(*v8, *v5)
    for name, wanted in (
        ("8", v8_heads(v8, strides, bins)),
        ("5", v5_heads(v5, strides, anchors)),
    ):
        np.testing.assert_allclose(out[f"boxes{name}"], wanted[0], rtol=2e-5, atol=1e-3)
        np.testing.assert_allclose(
            out[f"scores{name}"], wanted[1], rtol=1e-5, atol=1e-7
        )
    for i in range(2):
        chances, label = (t.numpy() for t in torch.tensor(out["scores8"][i]).max(-1))
        rows = (out["boxes8"][i], chances, label)
        check(out["best"], i, greedy(*rows, 0.5, 0.3, 50), 1, rows)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("name", ["DetrImageProcessor", "YolosImageProcessor"])
def test_detr(target: str, name: str) -> None:
    b, q, c, size = 2, 7, 3, (37, 53)
    pipe = devproc.pipeline("detr")
    logits = pipe.input("logits", "float32", (b, q, c + 1), "")
    boxes = pipe.input("boxes", "float32", (b, q, 4), "")
    pipe.output("found", pipe.decode_detr(logits, boxes, size, 0.4))
    program = devproc.compile(pipe, target=target, threads=1)
    rng = np.random.default_rng(4)
    given = rng.normal(0, 2, (b, q, c + 1)).astype(np.float32)
    # Image 1 shows nothing; a query of image 0 is NaN.
    given[1, :, -1], given[0, 2] = 30, np.nan
    places = rng.uniform(0, 1, (b, q, 4)).astype(np.float32)
    found = program(logits=given, boxes=places)["found"]
    outputs = SimpleNamespace(
        logits=torch.from_numpy(given), pred_boxes=torch.from_numpy(places)
    )
    process = processor(name).post_process_object_detection
    for i, wanted in enumerate(process(outputs, 0.4, [size] * b)):
        n = found["count"][i]
        assert n == len(wanted["scores"]) == (0 if i else n)
        for ours, theirs in (
            ("boxes", "boxes"), ("scores", "scores"), ("classes", "labels")
        ):  # fmt: skip
            rows = found[ours][i]
            torch.testing.assert_close(torch.from_numpy(rows[:n]), wanted[theirs])
            assert (rows[n:] == (-1 if ours == "classes" else 0)).all()
    assert found["count"][0] > 1


def test_images_on_threads_and_within_bounds() -> None:
    """Each image of a batch is its own thread's, and reads nothing outside."""
    b, n, c, most = 5, 1500, 3, 40
    pipe = devproc.pipeline("nms")
    boxes = pipe.input("boxes", "float32", (b, n, 4), "")
    scores = pipe.input("scores", "float32", (b, n, c), "")
    pipe.output("found", pipe.nms(boxes, scores, OVERLAP, 0.9, most))
    program = devproc.compile(pipe, threads=2, check_bounds=True)
    rng = np.random.default_rng(5)
    given = random_boxes(rng, b, n), rng.uniform(0, 1, (b, n, c)).astype(np.float32)
    found = program(*given)["found"]
    for i in range(b):
        rows = (np.repeat(given[0][i], c, 0), given[1][i].ravel(), np.arange(n * c) % c)
        check(found, i, greedy(*rows, OVERLAP, 0.9, most), c, rows)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_merged_detections(batch: tuple[int, ...]) -> None:
    """Two scales and another threshold, whose rows behind the count never come back."""
    pipe, sizes = devproc.pipeline("scales"), (9, 40)
    found = []
    for number, n in enumerate(sizes):
        boxes = pipe.input(f"boxes{number}", "float32", (*batch, n, 4), "")
        scores = pipe.input(f"scores{number}", "float32", (*batch, n, 2), "")
        found.append(pipe.nms(boxes, scores, 0.6, 0.5, 15))
    boxes, scores, classes = pipe.merge_detections(found, (1, 0.5))
    pipe.output("one", pipe.nms(boxes, scores, 0.3, -1e30, 20, classes))
    program = devproc.compile(pipe, threads=1)
    rng = np.random.default_rng(0)
    given: dict[str, Array] = {}
    for number, n in enumerate(sizes):
        given[f"boxes{number}"] = random_boxes(rng, *batch, n) * (number + 1)
        given[f"scores{number}"] = rng.random((*batch, n, 2)).astype(np.float32)
    one = program(**given)["one"]
    for image in np.ndindex(batch):
        rows: list[tuple[Array, Array, Array]] = []
        for number, n in enumerate(sizes):
            every = np.repeat(given[f"boxes{number}"][image], 2, 0)
            chances = given[f"scores{number}"][image].ravel()
            labels = np.arange(2 * n) % 2
            kept = greedy(every, chances, labels, 0.6, 0.5, 15)
            scaled = every[kept] * np.float32((1, 0.5)[number])
            rows.append((scaled, chances[kept], labels[kept]))
        merged = [np.concatenate(parts) for parts in zip(*rows, strict=True)]
        kept = greedy(merged[0], merged[1], merged[2], 0.3, -1e30, 20)
        count = int(one["count"][image])
        assert count == len(kept) < 30
        for name, wanted in zip(("boxes", "scores", "classes"), merged, strict=True):
            np.testing.assert_array_equal(one[name][image][:count], wanted[kept])
