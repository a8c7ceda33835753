"""Masks, maps of classes and heatmaps beside NumPy, PyTorch and transformers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import devproc
from tests.steps.libraries import processor

Array = np.ndarray[Any, np.dtype[Any]]


def hrnet(heatmaps: Array) -> tuple[Array, Array]:
    """`get_max_preds` and the refinement of `get_final_preds`, as HRNet has them."""
    b, k, h, w = heatmaps.shape
    places, scores = np.zeros((b, k, 2), np.float32), np.zeros((b, k), np.float32)
    for i, j in np.ndindex(b, k):
        map_ = heatmaps[i, j]
        index = int(map_.argmax())
        scores[i, j] = map_.ravel()[index]
        x, y = index % w, index // w
        if not scores[i, j] > 0:
            continue
        places[i, j] = x, y
        if 1 < x < w - 1 and 1 < y < h - 1:
            right = map_[y, x + 1] - map_[y, x - 1]
            down = map_[y + 1, x] - map_[y - 1, x]
            places[i, j] += np.sign([right, down]) * 0.25
    return places, scores


@pytest.mark.parametrize(("target", "b"), [("cpu", 9), ("cuda:interpret", 2)])
def test_keypoints(target: str, b: int) -> None:
    pipe = devproc.pipeline("keypoints")
    x = pipe.input("x", "float32", (b, 5, 7, 6), "")
    places, scores = pipe.decode_keypoints(x)
    pipe.output("places", places)
    pipe.output("scores", scores)
    program = devproc.compile(pipe, target=target, threads=1)
    rng = np.random.default_rng(0)
    given = rng.normal(0, 1, (b, 5, 7, 6)).astype(np.float32)
    given[0, 0], given[0, 1] = -1, 0.5
    given[1] = np.round(given[1])
    out = program(given)
    wanted = hrnet(given)
    assert np.array_equal(out["places"], wanted[0])
    assert np.array_equal(out["scores"], wanted[1])


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_masks(target: str) -> None:
    rng = np.random.default_rng(1)
    colors = rng.integers(0, 256, (4, 3))
    pipe = devproc.pipeline("masks")
    x = pipe.input("x", "float32", (2, 4, 3, 5), "")
    labels = pipe.input("labels", "int64", (7, 4), "HW")
    mask = pipe.resize_mask(x, (8, 7))
    pipe.output("above", pipe.threshold(mask, 0.3))
    classes = pipe.argmax(mask, axis=1)
    pipe.output("classes", classes)
    pipe.output("picture", pipe.palette(classes, colors))
    painted = pipe.palette(labels, colors)
    assert painted.layout == "HWC"
    pipe.output("painted", painted)
    program = devproc.compile(pipe, target=target, threads=1)
    given = rng.normal(0, 1, (2, 4, 3, 5)).astype(np.float32)
    given[0, 0, 0, 0] = np.nan
    numbers = rng.integers(-9, 9, (7, 4))
    out = program(x=given, labels=numbers)
    logits = torch.from_numpy(given)
    process = processor("SegformerImageProcessor").post_process_semantic_segmentation
    wanted = torch.stack(process(SimpleNamespace(logits=logits), [(8, 7)] * 2)).numpy()
    assert np.array_equal(out["classes"], wanted)
    assert np.array_equal(out["picture"], colors.astype(np.uint8)[wanted])
    held = np.clip(np.where(numbers < 0, numbers + 4, numbers), 0, 3)
    assert np.array_equal(out["painted"], colors.astype(np.uint8)[held])
    resized = torch.nn.functional.interpolate(logits, (8, 7), mode="bilinear")
    assert np.array_equal(out["above"], (resized > 0.3).numpy())
