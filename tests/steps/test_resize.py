"""Resizing, run on both targets, beside the libraries."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
import torch

import devproc
from devproc.exactness.bound import Key
from tests.exactness.geometry import LIBRARIES, OPENCV
from tests.exactness.measuring import Array, Case, photographs, results
from tests.steps.both_targets import TARGETS, assert_equal
from tests.torchvision_import import functional
from tests.vectors import needs

FORMS = (
    ("opencv", "nearest", None), ("opencv", "bilinear", None), ("opencv", "bicubic", None),
    ("opencv", "area", None), ("opencv", "lanczos", None), ("pillow", "nearest", None),
    ("pillow", "box", None), ("pillow", "hamming", None), ("pillow", "bicubic", None),
    ("pillow", "lanczos", None), ("torchvision", "nearest", None),
    ("torchvision", "nearest-exact", None), ("torchvision", "bilinear", None),
    ("torchvision", "bilinear", False), ("torchvision", "bicubic", None),
    ("torchvision", "bicubic", False),
)  # fmt: skip
KEY = Key("", "", "", "")


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    for like, mode, antialias in FORMS:
        whole = mode if antialias is None else f"{mode}, no antialias"
        sizes = [((9, 7), (4, 5)), ((5, 4), (8, 3))]
        for old, new in sizes if mode in ("bilinear", "area") else sizes[:1]:
            x = rng.integers(0, 256, (*old, 4 if like == "pillow" else 3), np.uint8)
            yield Case(
                KEY,
                lambda p, v, n=new, w=like, m=mode, a=antialias: p.resize(
                    v, n, w, m, a
                ),
                [x],
                LIBRARIES[like](whole)(x, new),
                "HWC",
            )


@pytest.mark.parametrize("target", TARGETS)
def test_resize(target: str) -> None:
    assert_equal(list(_cases()), target)


def test_layouts_and_batches() -> None:
    """Rows and columns are those of the layout; images of a batch are resized alike."""
    rng = np.random.default_rng(1)
    batch = rng.integers(0, 256, (2, 11, 13, 3), np.uint8)
    for like in ("opencv", "pillow"):
        library = LIBRARIES[like]("bilinear")
        wanted = np.stack([library(x, (5, 6)) for x in batch])

        def step(p, x, like=like):  # pyright: ignore
            return p.resize(x, (5, 6), like)

        planes = np.ascontiguousarray(batch.transpose(0, 3, 1, 2))
        turned = np.ascontiguousarray(batch[0].transpose(1, 0, 2))
        assert_equal(
            [
                Case(KEY, step, [batch], wanted, "NHWC"),
                Case(KEY, step, [planes], wanted.transpose(0, 3, 1, 2), "NCHW"),
                Case(KEY, step, [turned], wanted[0].transpose(1, 0, 2), "WHC"),
            ],
            "cpu",
        )


def test_planes_become_one_column() -> None:
    """PyTorch repeats the first row of planes, but not of channels that lie last."""
    image = np.random.default_rng(3).random((13, 11, 3), np.float32)
    wanted = LIBRARIES["torchvision"]("bilinear")(image, (5, 1))
    assert np.ptp(wanted[:, 0], axis=0).min() > 0.01
    planes = np.ascontiguousarray(image.transpose(2, 0, 1))
    cases = [
        Case(
            KEY, lambda p, v: p.resize(v, (5, 1), "torchvision"), [given], other, layout
        )
        for given, other, layout in (
            (planes, wanted.transpose(2, 0, 1), "CHW"),
            (image[..., 0].copy(), wanted[..., 0], "HW"),
        )
    ]
    assert_equal(cases, "cpu", rtol=1e-6)


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_every_vector_length(cpu: str) -> None:
    """The same bits, however long the vectors, from one row up."""
    needs(cpu)
    rng = np.random.default_rng(2)
    pipe = devproc.pipeline("lengths")
    given: dict[str, Array] = {}
    wanted: dict[str, Array] = {}
    forms = (
        ("opencv", "bilinear", (3, 70), (2, 9)),
        ("opencv", "bilinear", (7, 2), (5, 3)),
        ("pillow", "box", (37, 21), (9, 20)),
    )
    for number, (like, mode, old, new) in enumerate(forms):
        x = rng.integers(0, 256, (*old, 3), np.uint8)
        given[f"x{number}"] = x
        wanted[f"y{number}"] = LIBRARIES[like](mode)(x, new)
        value = pipe.input(f"x{number}", "uint8", x.shape, "HWC")
        pipe.output(f"y{number}", pipe.resize(value, new, like, mode))
    found = devproc.compile(pipe, threads=2, cpu=cpu)(**given)
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name], value, name)


def test_opencv_with_intels_library() -> None:
    """Where a build of OpenCV calls it, cubic bytes differ by one, and floats as places in
    float32 do; all else is OpenCV's own code."""
    image = photographs()[1]
    real = image.astype(np.float32)
    for mode in ("bilinear", "bicubic"):
        flag = OPENCV[mode]
        wanted = [cv2.resize(x, (201, 90), interpolation=flag) for x in (image, real)]
        cases = [
            Case(
                KEY,
                lambda p, v, m=mode: p.resize(v, (90, 201), "opencv", m),
                [x],
                w,
                "HWC",
            )
            for x, w in zip((image, real), wanted, strict=True)
        ]
        pixels, numbers = results(cases, "cpu")
        apart = np.abs(pixels.astype(np.int32) - wanted[0])
        assert apart.max() <= (mode == "bicubic")
        assert np.abs(numbers - wanted[1]).max() <= 1e-3 * 255


@pytest.mark.parametrize("size", [(480, 640), (640, 480), (33, 71), (33, 33)])
@pytest.mark.parametrize("largest", [None, 25])
def test_shorter_edge_is_torchvisions(
    size: tuple[int, int], largest: int | None
) -> None:
    pipe = devproc.pipeline("shorter")
    x = pipe.input("x", "uint8", (*size, 3))
    y = pipe.resize_shorter_edge(x, 20, largest)
    image = torch.zeros((3, *size), dtype=torch.uint8)
    wanted = functional.resize(image, [20], max_size=largest)
    assert y.shape[:2] == tuple(wanted.shape[1:])
