"""Steps on boxes beside torchvision's functions and formulas in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import devproc
from devproc.dialects.pipe.boxes import FORMATS
from tests.steps.libraries import box_coder, torchvision_boxes
from tests.steps.test_detection import random_boxes

TARGETS = ("cpu", "cuda:interpret")


@pytest.mark.parametrize("target", TARGETS)
def test_boxes(target: str) -> None:
    changes = [(a, b) for a in FORMATS for b in FORMATS]
    weights = (10.0, 10.0, 5.0, 5.0)
    pipe = devproc.pipeline("boxes")
    x = pipe.input("x", "float32", (2, 9, 4), "")
    deltas = pipe.input("deltas", "float32", (2, 9, 4), "")
    rng = np.random.default_rng(0)
    anchors = random_boxes(rng, 9)
    for a, b in changes:
        pipe.output(f"{a} {b}", pipe.convert_boxes(x, f"{a}->{b}"))
    pipe.output("clipped", pipe.clip_boxes(x, (40, 50.5)))
    pipe.output("scaled", pipe.scale_boxes(x, (1.5, 2), (-3, 4)))
    pipe.output("decoded", pipe.decode_boxes(deltas, anchors, weights))
    pipe.output("moving", pipe.decode_boxes(deltas, x))
    program = devproc.compile(pipe, target=target, threads=1)
    boxes = random_boxes(rng, 2, 9)
    boxes[0, 0, 1] = np.nan
    # Growth beyond the limit, too.
    moves = rng.normal(0, 8, (2, 9, 4)).astype(np.float32)
    found = program(x=boxes, deltas=moves)
    ops, given = torchvision_boxes(), torch.from_numpy(boxes)
    for a, b in changes:
        wanted = ops.box_convert(given, a, b).numpy()
        assert np.array_equal(found[f"{a} {b}"], wanted, equal_nan=True), (a, b)
    wanted = ops.clip_boxes_to_image(given, (40, 50.5)).numpy()
    assert np.array_equal(found["clipped"], wanted, equal_nan=True)
    wanted = boxes * np.array([1.5, 2, 1.5, 2], "f4") + np.array([-3, 4, -3, 4], "f4")
    assert np.array_equal(found["scaled"], wanted, equal_nan=True)
    for name, scale, places in (
        ("decoded", weights, np.stack([anchors] * 2)),
        ("moving", (1.0, 1.0, 1.0, 1.0), boxes),
    ):
        flat = (torch.from_numpy(v).reshape(-1, 4) for v in (moves, places))
        wanted = box_coder(scale).decode_single(*flat).reshape(2, 9, 4)
        torch.testing.assert_close(
            torch.from_numpy(found[name]), wanted, rtol=1e-6, atol=1e-4, equal_nan=True
        )


def test_expected_bins() -> None:
    pipe = devproc.pipeline("dfl")
    x = pipe.input("x", "float32", (2, 28, 5), "")
    y = pipe.input("y", "float32", (3, 12), "")
    pipe.output("x", pipe.decode_dfl(x, bins=7))
    pipe.output("y", pipe.decode_dfl(y, bins=3, axis=-1))
    program = devproc.compile(pipe, threads=1)
    rng = np.random.default_rng(1)
    given = {"x": rng.normal(0, 9, (2, 28, 5)), "y": rng.normal(0, 2, (3, 12))}
    given = {k: v.astype(np.float32) for k, v in given.items()}
    found = program(**given)
    for name, shape, axis in (("x", (2, 4, 7, 5), 2), ("y", (3, 4, 3), 2)):
        parts = np.exp(given[name].astype(np.float64)).reshape(shape)
        line = np.arange(shape[axis]).reshape(-1, *[1] * (len(shape) - axis - 1))
        wanted = (parts * line).sum(axis) / parts.sum(axis)
        np.testing.assert_allclose(found[name], wanted, rtol=1e-5, atol=1e-6)


def test_boxes_go_back_to_the_source() -> None:
    """Through a crop, a letterbox and a resize, corner by corner."""
    pipe = devproc.pipeline("back")
    source = pipe.input("source", "uint8", (60, 100, 3))
    boxes = pipe.input("boxes", "float32", (5, 4), "")
    scores = pipe.input("scores", "float32", (5,), "")
    image = pipe.resize(pipe.crop(source, 10, 20, 40, 80), (20, 160))
    found = pipe.nms(boxes, scores, 0.9, max_n=7)
    pipe.output("image", pipe.layout(image, "HWC->CHW"))
    pipe.output("alone", pipe.map_boxes(boxes, image=image, source=source, clip=False))
    pipe.output("found", pipe.map_boxes(found, image=image, source=source))
    program = devproc.compile(pipe, threads=1)
    rng = np.random.default_rng(2)
    given, chances = random_boxes(rng, 5), np.array([0.5, 0.9, 0, 0.7, 0.1], "f4")
    out = program(source=np.zeros((60, 100, 3), np.uint8), boxes=given, scores=chances)
    wanted = given * [0.5, 2, 0.5, 2] + [20, 10, 20, 10]
    np.testing.assert_allclose(out["alone"], wanted, rtol=1e-6)
    kept = out["found"]["rows"][:4]
    assert out["found"]["count"] == 4
    assert kept.tolist() == [1, 3, 0, 4]
    held = np.clip(wanted, 0, [100, 60, 100, 60])[kept]
    np.testing.assert_allclose(out["found"]["boxes"][:4], held, rtol=1e-6)
    # Padding is not moved.
    assert not out["found"]["boxes"][4:].any()


def test_rows_and_padding_of_detections() -> None:
    pipe = devproc.pipeline("rows")
    boxes = pipe.input("boxes", "float32", (2, 6, 4), "")
    scores = pipe.input("scores", "float32", (2, 6), "")
    more = pipe.input("more", "float32", (2, 6, 3, 2), "")
    found = pipe.nms(boxes, scores, 1.0, 0.5, max_n=4)
    pipe.output("more", pipe.fill_padding(pipe.take_rows(more, found), -2.5))
    pipe.output("classes", pipe.fill_padding(found.classes, 99))
    pipe.output("count", found.count)
    program = devproc.compile(pipe, threads=1)
    rng = np.random.default_rng(3)
    given = rng.normal(0, 1, (2, 6, 3, 2)).astype(np.float32)
    chances = np.array([[0.1, 0.9, 0.2, 0.8, 0.3, 0.4], [0] * 6], "f4")
    out = program(boxes=random_boxes(rng, 2, 6), scores=chances, more=given)
    assert out["count"].tolist() == [2, 0]
    assert np.array_equal(out["more"][0, :2], given[0, [1, 3]])
    assert (out["more"][0, 2:] == -2.5).all()
    assert (out["more"][1] == -2.5).all()
    assert out["classes"].tolist() == [[0, 0, 99, 99], [99] * 4]
