"""Image processors whose classes have methods of their own, batches and gray images."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import devproc
from devproc.errors import BuildError
from devproc.frontends.processors.hugging_face import KNOWN
from devproc.frontends.processors.inexpressible import REASONS
from tests.exactness.measuring import Array
from tests.torchvision_import import torchvision

# transformers looks whether torchvision can be imported.
transformers: Any = import_module("transformers") if torchvision else None

EDGES = {"shortest_edge": 50, "longest_edge": 60}
EXACT = {"height": 40, "width": 31}
SHORTER = {"shortest_edge": 37}
CROP = {"crop_size": {"height": 35, "width": 45}}

CONFIGURATIONS: list[tuple[str, dict[str, Any]]] = [
    ("Beit", {"size": EXACT}),
    ("Beit", {"size": EXACT, "do_center_crop": True, **CROP}),
    ("ConditionalDetr", {"size": EDGES}),
    ("ConvNext", {"size": SHORTER}),
    ("ConvNext", {"size": {"shortest_edge": 385}}),
    ("DeformableDetr", {"size": EDGES}),
    ("Detr", {"size": EXACT}),
    ("DPT", {"size": EXACT}),
    ("DPT", {"size": EXACT, "keep_aspect_ratio": True, "ensure_multiple_of": 8}),
    ("DPT", {"size": EXACT, "do_pad": True, "size_divisor": 14}),
    ("EfficientNet", {"size": EXACT}),
    ("EfficientNet", {"size": EXACT, "rescale_offset": True, "rescale_factor": 1 / 127.5}),
    ("EfficientNet", {"size": EXACT, "include_top": False, "do_center_crop": True, **CROP}),
    ("EfficientNet", {"size": EXACT, "include_top": False, "do_normalize": False}),
    ("GLPN", {"size_divisor": 8}),
    ("GroundingDino", {"size": EDGES}),
    ("Levit", {"size": SHORTER, **CROP}),
    ("Levit", {"size": EXACT, **CROP}),
    ("Mask2Former", {"size": EDGES}),
    ("MaskFormer", {"size": EDGES, "size_divisor": 7}),
    ("MobileNetV2", {"size": SHORTER, **CROP}),
    ("MobileViT", {"size": SHORTER, **CROP}),
    ("MobileViT", {"size": SHORTER, "do_flip_channel_order": False, "do_normalize": True}),
    ("Perceiver", {"size": EXACT, **CROP}),
    ("PoolFormer", {"size": SHORTER, **CROP}),
    ("PoolFormer", {"size": EXACT, "crop_pct": None, **CROP}),
    ("RTDetr", {"size": EXACT}),
    ("RTDetr", {"size": EDGES, "do_normalize": True}),
    ("Segformer", {"size": EXACT}),
    ("TextNet", {"size": SHORTER}),
    ("TextNet", {"size": SHORTER, "size_divisor": 5, "do_center_crop": True, **CROP}),
    ("Vilt", {"size": SHORTER, "size_divisor": 4}),
    ("Yolos", {"size": EDGES}),
]  # fmt: skip


def pil_class(name: str) -> Any:
    """The class of the Pillow backend; None where there is none."""
    module = getattr(transformers, f"{name}ImageProcessor").__module__
    path = module.replace("image_processing_", "image_processing_pil_")
    try:
        return getattr(import_module(path), f"{name}ImageProcessorPil")
    except ModuleNotFoundError:
        return None


def ours(processor: Any, image: Array) -> Array:
    """What the steps of the processor give."""
    pipe, x = devproc.pipeline.from_hf_processor(processor, image.shape)
    pipe.output("x", x)
    return devproc.compile(pipe, threads=1)(image=image)["x"]


def assert_equal(processor: Any, image: Array, images: Any = None) -> None:
    """Both give the same pixels of `image`, which the object may take as `images`."""
    given = image if images is None else images
    wanted = np.asarray(processor(given, return_tensors="np")["pixel_values"])
    np.testing.assert_allclose(ours(processor, image), wanted, rtol=1e-6, atol=4e-6)


def test_each_known_class_is_here() -> None:
    names = {f"{name}ImageProcessor" for name, _ in CONFIGURATIONS}
    assert names == set(KNOWN)


@pytest.mark.parametrize(
    ("name", "given"), CONFIGURATIONS, ids=[f"{i} {n}" for i, (n, _) in enumerate(CONFIGURATIONS)]
)  # fmt: skip
def test_class(name: str, given: dict[str, Any]) -> None:
    rng = np.random.default_rng(len(name))
    classes = [getattr(transformers, f"{name}ImageProcessor"), pil_class(name)]
    for class_ in filter(None, classes):
        height, width = rng.integers(33, 90, 2)
        for size in ((height, width), (width, height)):
            image = rng.integers(0, 256, (*size, 3), np.uint8)
            assert_equal(class_(**given), image)


@pytest.mark.parametrize(
    ("name", "given"), [CONFIGURATIONS[i] for i in (1, 3, 9, 23, 32)]
)
def test_batch(name: str, given: dict[str, Any]) -> None:
    processor = getattr(transformers, f"{name}ImageProcessor")(**given)
    images = np.random.default_rng(3).integers(0, 256, (3, 45, 61, 3), np.uint8)
    assert_equal(processor, images, list(images))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("CLIP", {"size": SHORTER, **CROP}),
        ("ViT", {"size": EXACT, "image_mean": [0.4], "image_std": [0.3]}),
        ("ViT", {"size": EXACT, "do_normalize": False}),
        ("TextNet", {"size": SHORTER}),
    ],
)
def test_gray(name: str, given: dict[str, Any]) -> None:
    image = np.random.default_rng(4).integers(0, 256, (45, 61, 1), np.uint8)
    for class_ in (getattr(transformers, f"{name}ImageProcessor"), pil_class(name)):
        processor = class_(**given)
        assert_equal(processor, image)
        flat = ours(processor, image[..., 0])
        np.testing.assert_array_equal(flat, ours(processor, image))
        pair = np.stack([image, image[::-1]])
        assert_equal(processor, pair, list(pair))


@pytest.mark.parametrize("name", REASONS)
def test_what_no_step_can_express_says_why(name: str) -> None:
    class_ = getattr(transformers, name)
    processor = class_.__new__(class_)
    processor.do_rescale = True
    with pytest.raises(BuildError, match=f"1 of {name} cannot") as caught:
        devproc.pipeline.from_hf_processor(processor, (8, 9, 3))
    assert REASONS[name] in str(caught.value)


def test_a_size_that_the_class_refuses() -> None:
    processor = transformers.TextNetImageProcessor(size=EXACT)
    with pytest.raises(BuildError, match=r"1 of TextNetImageProcessor.*its size"):
        devproc.pipeline.from_hf_processor(processor, (8, 9, 3))
