"""What torchvision's transforms do to an image of Pillow, to tensors, and to batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import devproc
from devproc.errors import BuildError
from tests.exactness.measuring import Array
from tests.torchvision_import import torchvision

v1 = torchvision.transforms
v2: Any = pytest.importorskip("torchvision.transforms.v2")

FLOAT32 = torch.float32
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
MODES = (v1.InterpolationMode.BILINEAR, v1.InterpolationMode.BICUBIC)


def ours(transforms: Any, image: Array, layout: str | None = None) -> Array:
    """What the steps of the transforms give."""
    pipe = devproc.pipeline("kinds")
    x = pipe.input("image", str(image.dtype), image.shape, layout)
    pipe.output("x", pipe.torchvision(x, transforms))
    return devproc.compile(pipe, threads=1)(image=image)["x"]


def theirs(transforms: Any, image: Array) -> Array:
    """What they give of one image of Pillow."""
    result = transforms(Image.fromarray(image.squeeze()))
    return np.asarray(result)


def noise(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).integers(0, 256, shape, np.uint8)


ON_PILLOW = {
    "v1": v1.Compose([v1.Resize(20), v1.ToTensor(), v1.Normalize(MEAN, STD)]),
    "v1 gray": v1.Compose([v1.CenterCrop(30), v1.Grayscale(1), v1.ToTensor()]),
    "v2": v2.Compose([v2.Resize(30), v2.ToImage(), v2.ToDtype(FLOAT32, scale=True)]),
    "v2 bytes": v2.Compose([v2.PILToTensor(), v2.Pad(2)]),
    "v2, nothing made": v2.Compose([v2.Resize(30), v2.RGB()]),
    # Of an image these leave alone what is not theirs.
    "v2 dtype first": v2.Compose(
        [v2.Resize(30), v2.ToDtype(FLOAT32, scale=True), v2.ToImage()]
    ),
    "v2 convert first": v2.Compose([v2.ConvertImageDtype(FLOAT32), v2.PILToTensor()]),
    "v2 twice": v2.Compose([v2.ToImage(), v2.ToTensor(), v2.PILToTensor()]),
    "v2 dtype before resize": v2.Compose(
        [v2.ToDtype(FLOAT32, scale=True), v2.Resize(31), v2.ToImage(), v2.ToDtype(FLOAT32)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_PILLOW)
def test_image_and_batch(name: str) -> None:
    transforms, images = ON_PILLOW[name], noise(2, 50, 61, 3)
    wanted = np.stack([theirs(transforms, image) for image in images])
    for given, found in ((images[0], wanted[0]), (images, wanted)):
        result = ours(transforms, given)
        assert result.dtype == found.dtype
        np.testing.assert_allclose(result, found, rtol=0, atol=2e-6)


def test_gray_image() -> None:
    for transforms in (
        v1.Compose([v1.Resize(20), v1.ToTensor(), v1.Normalize([0.4], [0.3])]),
        v2.Compose([v2.RGB(), v2.ToImage(), v2.ToDtype(FLOAT32, scale=True)]),
    ):
        image = noise(50, 61)
        wanted = theirs(transforms, image)
        for given in (image, image[..., None]):
            np.testing.assert_allclose(
                ours(transforms, given), wanted, rtol=0, atol=2e-6
            )
        pair = np.stack([image, image])
        batch = ours(transforms, pair, "NHW")
        np.testing.assert_allclose(batch, np.stack([wanted, wanted]), rtol=0, atol=2e-6)


def test_opaque_image() -> None:
    image = noise(50, 61, 4)
    np.testing.assert_array_equal(ours([v2.RGB()], image), theirs(v2.RGB(), image))


def test_batch_of_tensors() -> None:
    transforms = v2.Compose([v2.Resize(30), v2.ToDtype(FLOAT32, scale=True)])
    images = noise(2, 3, 50, 61)
    wanted = transforms(torch.from_numpy(images)).numpy()
    np.testing.assert_allclose(ours(transforms, images, "NCHW"), wanted, atol=2e-6)


@pytest.mark.parametrize(
    ("transforms", "layout", "message"),
    [
        ([v1.Normalize(MEAN, STD)], "HWC", "Normalize of an image of Pillow: put it"),
        ([v2.ToImage(), v2.Normalize(MEAN, STD)], "HWC", "of a uint8 tensor: put it"),
        ([v1.ConvertImageDtype(FLOAT32)], "HWC", "ConvertImageDtype of an image"),
        ([v1.ToTensor(), v1.ToTensor()], "HWC", "ToTensor of a tensor of floats"),
        ([v1.PILToTensor()], "CHW", "PILToTensor of a uint8 tensor"),
        ([v1.ToTensor()], "", "is no image; give uint8 or float32 with a layout"),
    ],
)
def test_what_torchvision_refuses_is_refused(
    transforms: Any, layout: str, message: str
) -> None:
    with pytest.raises(BuildError, match=message):
        ours(transforms, noise(3, 3, 3), layout)


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_first_version_on_bytes_differs_only_near_a_half(
    seed: int, antialias: bool
) -> None:
    """PyTorch's float32 rounds to either side where the exact value is k + 1/2; so does
    its own code for another CPU.
    """
    rng = np.random.default_rng(seed)
    for mode in MODES:
        height, width, *size = (int(n) for n in rng.integers(5, 160, 4))
        image = torch.from_numpy(rng.integers(0, 256, (3, height, width), np.uint8))
        transform = v1.Resize(size, mode, antialias=antialias)
        found = ours([transform], image.numpy(), "CHW").astype(int)
        wrong = np.nonzero(found - transform(image).numpy())
        exact = torch.nn.functional.interpolate(
            image[None].double(), size, mode=mode.value, antialias=antialias
        )[0].numpy()  # fmt: skip
        assert np.abs(found - exact.clip(0, 255)).max() < 0.5 + 1e-3
        assert np.all(np.abs(exact[wrong] % 1 - 0.5) < 1e-3)
        assert len(wrong[0]) <= 3
