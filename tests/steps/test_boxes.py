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


@pytest.mark.parametrize("target", TARGETS)
def test_boxes_go_back_to_the_source(target: str) -> None:
    """Through a crop and a resize, corner by corner."""
    pipe = devproc.pipeline("back")
    source = pipe.input("source", "uint8", (60, 100, 3))
    boxes = pipe.input("boxes", "float32", (5, 4), "")
    scores = pipe.input("scores", "float32", (5,), "")
    image = pipe.resize(pipe.crop(source, 10, 20, 40, 80), (20, 160))
    found = pipe.nms(boxes, scores, 0.9, max_n=7)
    pipe.output("alone", pipe.map_boxes(boxes, image=image, source=source, clip=False))
    pipe.output("found", pipe.map_boxes(found, image=image, source=source))
    program = devproc.compile(pipe, target, threads=1)
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


LETTERBOXED = (
    ((37, 101), (57, 33)),
    ((40, 90), (32, 32)),
    ((9, 5), (64, 64)),
    ((59, 219), (59, 57)),
    ((400, 3), (32, 40)),
    ((1, 7), (20, 31)),
)
"""(height, width) of a source, and of the letterbox it goes into."""


def letterbox_lines(source: int, whole: int, gain: float) -> tuple[int, int]:
    """Where Ultralytics' `LetterBox` puts an axis: its first pixel and its new size."""
    size = max(round(source * gain), 1)
    return round((whole - size) / 2 - 0.1), size


@pytest.mark.parametrize("target", TARGETS)
def test_boxes_go_back_through_letterboxes(target: str) -> None:
    """What the forward transform, in float64, made of a source's boxes."""
    pipe = devproc.pipeline("back")
    rng, given, wanted = np.random.default_rng(4), {}, {}
    for number, (size, whole) in enumerate(LETTERBOXED):
        source = pipe.input(f"image{number}", "uint8", (*size, 3))
        boxed = pipe.letterbox(source, whole)
        # Behind it the image is mirrored, and its height halved.
        image = pipe.resize(pipe.flip(boxed, "horizontal"), (whole[0] // 2, whole[1]))
        boxes = rng.uniform(0, 1, (7, 4)) * [*size[::-1], *size[::-1]]
        boxes[0] = 0, 0, *size[::-1]
        wanted[f"y{number}"] = boxes
        gain = min(whole[0] / size[0], whole[1] / size[1])
        (top, height), (left, width) = (
            letterbox_lines(n, m, gain) for n, m in zip(size, whole, strict=True)
        )
        x, y = (
            boxes[:, 0::2] / size[1] * width + left,
            boxes[:, 1::2] / size[0] * height,
        )
        moved = np.stack([whole[1] - x, (y + top) * (whole[0] // 2) / whole[0]], -1)
        given[f"x{number}"] = moved.reshape(7, 4).astype(np.float32)
        value = pipe.input(f"x{number}", "float32", (7, 4), "")
        pipe.output(f"y{number}", pipe.map_boxes(value, image=image, source=source))
    out = devproc.compile(pipe, target, threads=1)(
        **given,
        **{
            f"image{n}": np.zeros((*s, 3), np.uint8)
            for n, (s, _) in enumerate(LETTERBOXED)
        },
    )
    for name, boxes in wanted.items():
        atol = 2e-6 * boxes.max()
        np.testing.assert_allclose(out[name], boxes, rtol=0, atol=atol, err_msg=name)


def test_pixels_of_a_letterbox_say_where_they_come_from() -> None:
    """A source whose pixels are their places: OpenCV reads between them in a line."""
    size = (37, 101)
    y, x = np.mgrid[: size[0], : size[1]] + 0.5
    pipe = devproc.pipeline("places")
    source = pipe.input("source", "float32", (*size, 2), "HWC")
    image = pipe.letterbox(pipe.crop(source, 3, 8, 31, 90), (57, 43))
    middles = np.stack(np.meshgrid(np.arange(43), np.arange(57)), -1) + 0.5
    points = pipe.input("points", "float32", (57, 43, 2), "")
    pipe.output("image", image)
    pipe.output("places", pipe.map_boxes(points, image=image, source=source))
    out = devproc.compile(pipe, threads=1)(
        source=np.stack([x, y], -1).astype(np.float32),
        points=middles.astype(np.float32),
    )
    inside = slice(22, 35), slice(2, -2)
    places = out["places"][inside]
    np.testing.assert_allclose(places, out["image"][inside], rtol=0, atol=1e-4)
    assert np.ptp(places[..., 0]) > 70
    assert np.ptp(places[..., 1]) > 20


def test_letterboxes_go_back_near_ultralytics_scale_boxes() -> None:
    """At most a pixel of the letterboxed image apart, as the step's docstring says."""
    pipe = devproc.pipeline("ultralytics")
    given, theirs, gains = {}, {}, {}
    for number, (size, whole) in enumerate(LETTERBOXED):
        source = pipe.input(f"image{number}", "uint8", (*size, 3))
        given[f"image{number}"] = np.zeros((*size, 3), np.uint8)
        image = pipe.letterbox(source, whole)
        gain = min(whole[0] / size[0], whole[1] / size[1])
        # The image between its borders: no other places are further apart.
        (top, height), (left, width) = (
            letterbox_lines(n, m, gain) for n, m in zip(size, whole, strict=True)
        )
        corners = np.array([[left, top, left + width, top + height]], np.float32)
        rest = [(m - n * gain) / 2 for n, m in zip(size, whole, strict=True)]
        pad = np.array([round(r - 0.1) for r in rest[::-1]] * 2)
        given[f"x{number}"], name = corners, f"y{number}"
        theirs[name], gains[name] = (corners - pad) / gain, gain
        boxes = pipe.input(f"x{number}", "float32", (1, 4), "")
        back = pipe.map_boxes(boxes, image=image, source=source, clip=False)
        pipe.output(name, back)
    out = devproc.compile(pipe, threads=1)(**given)
    apart = [np.abs(out[k] - v).max() * gains[k] for k, v in theirs.items()]
    assert 0.1 < max(apart) <= 1


@pytest.mark.parametrize("target", TARGETS)
def test_rows_and_padding_of_detections(target: str) -> None:
    pipe = devproc.pipeline("rows")
    boxes = pipe.input("boxes", "float32", (2, 6, 4), "")
    scores = pipe.input("scores", "float32", (2, 6), "")
    more = pipe.input("more", "float32", (2, 6, 3, 2), "")
    found = pipe.nms(boxes, scores, 1.0, 0.5, max_n=4)
    pipe.output("more", pipe.fill_padding(pipe.take_rows(more, found), -2.5))
    pipe.output("classes", pipe.fill_padding(found.classes, 99))
    pipe.output("count", found.count)
    program = devproc.compile(pipe, target, threads=1)
    rng = np.random.default_rng(3)
    given = rng.normal(0, 1, (2, 6, 3, 2)).astype(np.float32)
    chances = np.array([[0.1, 0.9, 0.2, 0.8, 0.3, 0.4], [0] * 6], "f4")
    out = program(boxes=random_boxes(rng, 2, 6), scores=chances, more=given)
    assert out["count"].tolist() == [2, 0]
    assert np.array_equal(out["more"][0, :2], given[0, [1, 3]])
    assert (out["more"][0, 2:] == -2.5).all()
    assert (out["more"][1] == -2.5).all()
    assert out["classes"].tolist() == [[0, 0, 99, 99], [99] * 4]
