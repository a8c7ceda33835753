"""The C and C++ examples print what Python computes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from examples import camera, classify, small_models
from tests.bundle.programs import run
from tests.repository import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundles, and the programs that `make` builds with them."""
    if shutil.which("make") is None or shutil.which("cc") is None:
        pytest.skip("needs make and cc")
    from examples.bundle import export

    made = tmp_path_factory.mktemp("bundles")
    export.main(made, Console(quiet=True))
    strict = "-O1 -Wall -Wextra -pedantic -Werror"
    flags = [f"BUNDLES={made}", f"CFLAGS={strict}", f"CXXFLAGS={strict}"]
    run(["make", "-C", EXAMPLES / "bundle", *flags], made)
    return made


def test_classes_of_a_photograph(folder: Path) -> None:
    image = small_models.photograph()
    program = classify.build(image.shape, small_models.resnet(classify.CLASSES))
    found = program(image=image)
    weights = folder / "classify" / "classify.weights"
    said = run([folder / "top5", folder / "photograph.ppm", weights], folder)
    rows = [line.split() for line in said.splitlines()]
    assert [int(row[0]) for row in rows] == found["classes"].reshape(-1).tolist()
    expected = [f"{value:.6f}" for value in found["probabilities"].reshape(-1)]
    assert [row[1] for row in rows] == expected


def test_boxes_of_frames(folder: Path) -> None:
    program = camera.build()
    weights = folder / "camera" / "camera.weights"
    command = f"{folder / 'boxes'} {weights} <{folder / 'frames.nv12'}"
    said = run(["sh", "-c", command], folder)
    counts = [int(n) for n in re.findall(r"frame \d+: (\d+) boxes", said)]
    results = [program(frame=frame)["found"] for frame in camera.frames(5)]
    assert counts == [int(np.ravel(r["count"])[0]) for r in results]
    assert sum(counts) > 0
    first = next(r for r in results if np.ravel(r["count"])[0])
    box = first["boxes"].reshape(-1, 4)[0]
    assert f"from ({box[0]:.1f}, {box[1]:.1f}) to ({box[2]:.1f}, {box[3]:.1f})" in said


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (b"P5\n2 2\n255\n1234", "not a PPM file"),
        (b"P6\n2 2\n255\n" + bytes(12), "is 2 x 2, the program takes 640 x 427"),
        (b"P6 #a\n#b\n640 427\n255\n" + bytes(9), "the file is truncated"),
    ],
)
def test_wrong_image(folder: Path, image: bytes, message: str) -> None:
    path = folder / "wrong.ppm"
    path.write_bytes(image)
    weights = folder / "classify" / "classify.weights"
    assert message in run([folder / "top5", path, weights], folder, code=1)
    assert "cannot read the weights" in run(
        [folder / "top5", folder / "photograph.ppm", path], folder, code=1
    )
