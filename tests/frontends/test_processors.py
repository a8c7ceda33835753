"""Transforms and processors as steps give what the objects themselves give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import devproc
from devproc.errors import BuildError
from tests.exactness.measuring import Array, photographs
from tests.torchvision_import import torchvision

v1 = torchvision.transforms
v2: Any = pytest.importorskip("torchvision.transforms.v2")
presets: Any = pytest.importorskip("torchvision.transforms._presets")
# Imported after torchvision, for it looks whether that can be imported.
from transformers import (  # noqa: E402
    CLIPImageProcessor,
    ConvNextImageProcessor,
    DetrImageProcessor,
    SegformerImageProcessor,
    ViTImageProcessor,
    WhisperFeatureExtractor,
    YolosImageProcessor,
)
from transformers.models.clip.image_processing_pil_clip import (  # noqa: E402
    CLIPImageProcessorPil,
)

BICUBIC = v1.InterpolationMode.BICUBIC
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

TRANSFORMS = {
    "v1 on Pillow": v1.Compose(
        [v1.Resize(40), v1.CenterCrop((33, 37)), v1.ToTensor(), v1.Normalize(MEAN, STD)]
    ),
    "v1 on tensors": v1.Compose(
        [
            v1.PILToTensor(),
            torch.nn.Sequential(
                v1.Resize((31, 43), BICUBIC), v1.ConvertImageDtype(torch.float32)
            ),
        ]
    ),
    "v1 gray, padded": v1.Compose(
        [v1.Pad((1, 2), 7), v1.Grayscale(3), v1.Pad(3, padding_mode="reflect"), v1.ToTensor()]
    ),
    "v2": v2.Compose(
        [v2.ToImage(), v2.Resize(36, max_size=40), v2.CenterCrop(50),
         v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD), v2.Identity()]
    ),
    "v2 without antialias": v2.Compose(
        [v2.ToImage(), v2.Resize((30, 41), antialias=False), v2.ToDtype(torch.float32)]
    ),
    "preset": presets.ImageClassification(crop_size=32, resize_size=40),
}  # fmt: skip


def images() -> list[Array]:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, (61, 47, 3), np.uint8)
    return [noise, np.ascontiguousarray(photographs()[0][::3, ::3])]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_torchvision(name: str) -> None:
    transforms = TRANSFORMS[name]
    for image in images():
        pipe, x = devproc.pipeline.from_torchvision(transforms, image.shape)
        pipe.output("x", x)
        ours = devproc.compile(pipe, threads=1)(image=image)["x"]
        wanted = torch.as_tensor(transforms(Image.fromarray(image))).numpy()
        assert ours.dtype == wanted.dtype
        np.testing.assert_allclose(ours, wanted, rtol=0, atol=2e-6)


PROCESSORS = {
    "vit": ViTImageProcessor(size={"height": 40, "width": 31}),
    "clip": CLIPImageProcessor(size={"shortest_edge": 40}, crop_size={"height": 50, "width": 33}),
    "clip by Pillow": CLIPImageProcessorPil(size={"shortest_edge": 40}),
    "detr": DetrImageProcessor(size={"shortest_edge": 50, "longest_edge": 60}),
    "yolos": YolosImageProcessor(size={"shortest_edge": 50, "longest_edge": 90}),
    "segformer": SegformerImageProcessor(size={"height": 33, "width": 47}),
    "convnext": ConvNextImageProcessor(size={"shortest_edge": 40}),
    "only rescaled": ViTImageProcessor(do_normalize=False, do_resize=False),
    "only normalized": ViTImageProcessor(do_rescale=False, do_resize=False),
}  # fmt: skip


@pytest.mark.parametrize("name", PROCESSORS)
def test_hf_processor(name: str) -> None:
    processor = PROCESSORS[name]
    for image in images():
        pipe, x = devproc.pipeline.from_hf_processor(processor, image.shape)
        pipe.output("x", x)
        ours = devproc.compile(pipe, threads=1)(image=image)["x"]
        wanted = processor(image, return_tensors="np")["pixel_values"]
        np.testing.assert_allclose(ours, wanted, rtol=1e-6, atol=2e-6)


def test_whisper_extractor() -> None:
    extractor = WhisperFeatureExtractor(chunk_length=2)
    wave = np.random.default_rng(1).standard_normal(20_011).astype(np.float32)
    pipe, x = devproc.pipeline.from_hf_processor(extractor, wave.shape, "float32")
    pipe.output("x", x)
    ours = devproc.compile(pipe, threads=1)(image=wave)["x"]
    given = extractor(wave, sampling_rate=16_000, return_tensors="np")
    wanted = given["input_features"]
    np.testing.assert_allclose(ours.reshape(wanted.shape), wanted, atol=1e-4)


def test_all_that_cannot_be_expressed_is_named() -> None:
    transforms = v1.Compose(
        [v1.RandomHorizontalFlip(), v1.ToTensor(), v1.Lambda(abs), v1.Grayscale()]
    )
    with pytest.raises(
        BuildError, match=r"test_processors.py:\d+: torchvision: 3 of 4"
    ) as e:
        devproc.pipeline.from_torchvision(transforms, (8, 9, 3))
    assert all(
        n in str(e.value) for n in ("RandomHorizontalFlip", "Lambda", "Grayscale")
    )


def test_a_processor_with_methods_of_its_own_is_refused() -> None:
    class Mine(ViTImageProcessor):
        def resize(self, *args: Any, **kwargs: Any) -> Any: ...

        def rescale_and_normalize(self, *args: Any, **kwargs: Any) -> Any: ...

    with pytest.raises(
        BuildError, match=r"2 of Mine.*`resize`.*`rescale_and_normalize`"
    ):
        devproc.pipeline.from_hf_processor(Mine(), (8, 9, 3))
    with pytest.raises(BuildError, match="none of"):
        devproc.pipeline.from_hf_processor(object(), (8, 9, 3))
    with pytest.raises(BuildError, match="RGB image"):
        devproc.pipeline.from_hf_processor(ViTImageProcessor(), (8, 9, 4))
    with pytest.raises(BuildError, match="1 channels, but mean has 3 values"):
        devproc.pipeline.from_hf_processor(ViTImageProcessor(), (8, 9, 1))
