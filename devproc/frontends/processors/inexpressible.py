"""Image processors of transformers that no steps can express, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping

_TILES = "it cuts an image into tiles, as many as its proportions ask for"
_PATCHES = "it gives the patches of an image in a row, with their grid alongside"
_PADDED_PATCHES = (
    "it gives the patches of an image in a row, filled up to a fixed number"
)
_FRAMES = "it takes the frames of a video"
_PAIRS = "it takes pairs of images"
_WORDS = "it reads the words of a page with another program (OCR)"
_PAGE = "it turns, shrinks and pads a page by its content or proportions"

REASONS: Mapping[str, str] = {
    "Cohere2VisionImageProcessor": _TILES,
    "DonutImageProcessor": _PAGE,
    "EfficientLoFTRImageProcessor": _PAIRS,
    "FlavaImageProcessor": "it gives a second image for the codebook, and random masks",
    "FuyuImageProcessor": _PATCHES,
    "Glm4vImageProcessor": _PATCHES,
    "Idefics3ImageProcessor": _TILES,
    "ImageGPTImageProcessor": "it gives the nearest of its colours for each pixel",
    "LayoutLMv2ImageProcessor": _WORDS,
    "LayoutLMv3ImageProcessor": _WORDS,
    "LightGlueImageProcessor": _PAIRS,
    "Llama4ImageProcessor": _TILES,
    "LlavaNextImageProcessor": _TILES,
    "LlavaOnevisionImageProcessor": _TILES,
    "MllamaImageProcessor": _TILES,
    "NougatImageProcessor": _PAGE,
    "OneFormerImageProcessor": "it takes the text of a task with the image",
    "Owlv2ImageProcessor": "it blurs before it resizes, as scipy's `gaussian_filter` does",
    "Pix2StructImageProcessor": _PADDED_PATCHES,
    "Qwen2VLImageProcessor": _PATCHES,
    "RfDetrImageProcessor": "it resizes after rescaling, in floats without antialiasing",
    "Siglip2ImageProcessor": _PADDED_PATCHES,
    "SmolVLMImageProcessor": _TILES,
    "SuperGlueImageProcessor": _PAIRS,
    "Swin2SRImageProcessor": 'it pads with "symmetric", which pad() does not have',
    "TvpImageProcessor": _FRAMES,
    "VideoMAEImageProcessor": _FRAMES,
    "VitMatteImageProcessor": "it takes a trimap with the image",
    "VivitImageProcessor": _FRAMES,
    "ZoeDepthImageProcessor": "it pads by reflection and resizes with aligned corners",
}
"""Class -> what it does that no step can express."""
