"""The C and C++ examples print what Python computes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
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


@pytest.fixture(scope="module")
def jpeg(folder: Path) -> Path:
    """The photograph as JPEG, where the programs can read that."""
    check = ["cc", "-E", "-include", "stdio.h", "-x", "c", "-"]
    found = subprocess.run(
        check, input=b"#include <jpeglib.h>\n", capture_output=True, check=False
    )
    if found.returncode:
        pytest.skip("needs libjpeg's headers")
    return folder / "photograph.jpg"


def pixels(folder: Path, path: Path) -> Any:
    """What the program's decoder makes of the file, (height, width, 3) of uint8."""
    with Image.open(path) as image:
        width, height = image.size
    sources = [
        Path(__file__).parent / "c" / "pixels.c",
        EXAMPLES / "bundle" / "image.c",
    ]
    flags = ["-std=c11", "-DHAVE_JPEG", f"-I{EXAMPLES / 'bundle'}"]
    program = folder / "pixels"
    subprocess.run(["cc", *flags, *sources, "-ljpeg", "-o", program], check=True)
    command = [program, path, str(width), str(height)]
    data = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(data, np.uint8).reshape(height, width, 3)


@pytest.mark.parametrize(
    "options", [{}, {"subsampling": 0}, {"subsampling": 1}, {"progressive": True}]
)
def test_pixels_are_those_of_pillow(
    folder: Path, jpeg: Path, options: dict[str, Any], tmp_path: Path
) -> None:
    """Decoders may round differently, by 2 of 255 at most."""
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (31, 45, 3), np.uint8)
    for image in (Image.open(jpeg), Image.fromarray(noise).convert("L"), noise):
        path = tmp_path / "image.jpg"
        given = Image.fromarray(image) if isinstance(image, np.ndarray) else image
        given.save(path, quality=80, **options)
        expected = np.asarray(Image.open(path).convert("RGB"), np.int16)
        assert np.abs(pixels(folder, path) - expected).max() <= 2


def test_classes_of_a_jpeg(folder: Path, jpeg: Path) -> None:
    image = np.asarray(Image.open(jpeg))
    program = classify.build(image.shape, small_models.resnet(classify.CLASSES))
    found = program(image=image)
    weights = folder / "classify" / "classify.weights"
    rows = run([folder / "top5", jpeg, weights], folder).split()
    assert [int(n) for n in rows[::2]] == found["classes"].reshape(-1).tolist()
    said = np.array(rows[1::2], np.float64)
    expected = found["probabilities"].reshape(-1)
    np.testing.assert_allclose(said, expected, atol=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[: len(data) // 2], "Premature end"),
        (lambda data: data[:2] + bytes(100), "photograph.jpg: "),
        (lambda data: data.replace(b"\x01\xab\x02\x80", b"\x01\xab\x02\x81"), "641 x"),
    ],
)
def test_wrong_jpeg(
    folder: Path,
    jpeg: Path,
    change: Callable[[bytes], bytes],
    message: str,
    tmp_path: Path,
) -> None:
    path = tmp_path / "photograph.jpg"
    path.write_bytes(change(jpeg.read_bytes()))
    weights = folder / "classify" / "classify.weights"
    assert message in run([folder / "top5", path, weights], folder, code=1)


def test_without_libjpeg(folder: Path) -> None:
    """A build that cannot read JPEG files says so."""
    made = folder / "plain"
    sources = [
        Path(__file__).parent / "c" / "pixels.c",
        EXAMPLES / "bundle" / "image.c",
    ]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{EXAMPLES / 'bundle'}"]
    run(["cc", *flags, *sources, "-o", made], folder)
    said = run([made, folder / "photograph.jpg", "640", "427"], folder, code=1)
    assert "libjpeg's headers were missing" in said


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
        (b"P5\n2 2\n255\n1234", "neither a PPM (P6) nor a JPEG file"),
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
