"""Hugging Face's image processors and feature extractors, as steps.

A processor says by its attributes what it does, as long as its class leaves the methods
of its backend alone. Classes that have methods of their own are known by name; another
is refused, naming the method. Written for transformers 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from devproc.dialects.nn.filters import single
from devproc.frontends.dsl.user_input import fail
from devproc.frontends.processors.refusal import refuse

if TYPE_CHECKING:
    from devproc.frontends.dsl.pipeline import Pipeline
    from devproc.frontends.dsl.value import Value

STEP = "hf_processor"
BACKENDS = ("TorchvisionBackend", "PilBackend")
METHODS = (
    *("_preprocess", "resize", "center_crop", "rescale", "normalize", "pad"),
    "rescale_and_normalize",
)
"""What a class may override."""

DETECTORS = ("_preprocess", "resize", "pad")
KNOWN: Mapping[str, tuple[str, ...]] = {
    "ConditionalDetrImageProcessor": DETECTORS,
    "ConvNextImageProcessor": ("_preprocess", "resize"),
    "DeformableDetrImageProcessor": DETECTORS,
    "DetrImageProcessor": DETECTORS,
    "SegformerImageProcessor": ("_preprocess",),
    "YolosImageProcessor": DETECTORS,
}
"""Class -> its own methods that do, for one image without labels, what is written here."""

FILTERS = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")
"""Pillow's numbers of its filters."""


def add_processor(pipe: Pipeline, x: Value, processor: object) -> Value:
    """The steps that give the processor's `pixel_values` (1, 3, height, width), or its
    `input_features` (1, bands, frames) of a wave.

    Raises BuildError that names every part without a step.
    """
    given: Any = processor
    for part in ("image_processor", "feature_extractor"):
        given = getattr(given, part, given)
    if type(given).__name__ == "WhisperFeatureExtractor":
        return _whisper(pipe, x, given)
    problems = _problems(given)
    if problems:
        refuse(STEP, type(given).__name__, problems)
    if x.layout != "HWC" or x.dtype != "uint8" or x.shape[-1] != 3:
        fail(STEP, f"{x!r} is no RGB image", "give uint8 (height, width, 3)")
    return _image(pipe, x, given)


def _problems(processor: Any) -> list[str]:
    """Everything about an image processor that has no step."""
    if not hasattr(processor, "do_rescale"):
        return ["the class is none of WhisperFeatureExtractor, image processors"]
    class_ = cast(Any, type(processor))
    name = class_.__name__.removesuffix("Pil").removesuffix("Fast")
    own = [
        method
        for method in METHODS
        if hasattr(class_, method)
        and getattr(class_, method).__qualname__.split(".")[0] not in BACKENDS
        and "Base" not in getattr(class_, method).__qualname__
        and method not in KNOWN.get(name, ())
    ]
    problems = [f"its class has a `{method}` of its own" for method in own]
    size: dict[str, int | None] = dict(processor.size or {})
    if processor.do_resize and not _is_known_size(size):
        problems.append(f"its size {size}")
    mode = _filter(processor)
    if mode in ("lanczos", "box", "hamming") and processor.backend == "torchvision":
        problems.append(f'the filter {mode} of a tensor: take `backend="pil"`')
    if getattr(processor, "do_pad", None) and getattr(processor, "pad_size", None):
        problems.append("padding to a size: use letterbox() or pad()")
    return problems


def _is_known_size(size: Mapping[str, int | None]) -> bool:
    given = {name for name, value in size.items() if value}
    return given in (
        {"height", "width"},
        {"shortest_edge"},
        {"shortest_edge", "longest_edge"},
    )


def _filter(processor: Any) -> str:
    """The name of the filter; the attribute is Pillow's number, or torchvision's enum."""
    given = processor.resample
    given = getattr(given, "value", given)
    return given if isinstance(given, str) else FILTERS[2 if given is None else given]


def _image(pipe: Pipeline, x: Value, processor: Any) -> Value:
    if processor.do_resize:
        x = _resize(pipe, x, processor)
    if getattr(processor, "do_center_crop", None):
        crop = processor.crop_size
        x = _center_crop(pipe, x, (crop["height"], crop["width"]), processor.backend)
    x = _rescale_and_normalize(pipe, x, processor)
    return pipe.layout(x, "HWC->NCHW")


def _resize(pipe: Pipeline, x: Value, processor: Any) -> Value:
    like = "pillow" if processor.backend == "pil" else "torchvision"
    mode, size = _filter(processor), dict(processor.size)
    if like == "torchvision" and mode == "nearest":
        mode = "nearest-exact"
    if size.get("height"):
        return pipe.resize(x, (size["height"], size["width"]), like, mode)
    shortest, longest = size["shortest_edge"], size.get("longest_edge")
    if hasattr(processor, "crop_pct"):
        return _resize_convnext(pipe, x, shortest, processor.crop_pct, like, mode)
    if longest:
        new = _detection_size(x, shortest, longest)
        if "Yolos" in type(processor).__name__:
            new = (new[0] - new[0] % 16, new[1] - new[1] % 16)
        return pipe.resize(x, new, like, mode)
    return pipe.resize_shorter_edge(x, shortest, None, like, mode)


def _resize_convnext(
    pipe: Pipeline, x: Value, shortest: int, crop_pct: float, like: str, mode: str
) -> Value:
    """Below 384 the middle of a larger image, else the whole, squeezed (ConvNeXt)."""
    if shortest >= 384:
        return pipe.resize(x, (shortest, shortest), like, mode)
    x = pipe.resize_shorter_edge(x, int(shortest / crop_pct), None, like, mode)
    backend = "pil" if like == "pillow" else "torchvision"
    return _center_crop(pipe, x, (shortest, shortest), backend)


def _center_crop(
    pipe: Pipeline, x: Value, size: tuple[int, int], backend: str
) -> Value:
    """The middle, rounded down where torchvision's own crop rounds to even; of zeros
    around a smaller image the odd one goes below with the one backend, above with the
    other.
    """
    missing = [max(new - old, 0) for new, old in zip(size, x.shape, strict=False)]
    low = [(m + (backend == "pil")) // 2 for m in missing]
    if any(missing):
        padding = (low[1], low[0], missing[1] - low[1], missing[0] - low[0])
        x = pipe.pad(x, padding)
    height, width = size
    return pipe.crop(
        x, (x.shape[0] - height) // 2, (x.shape[1] - width) // 2, height, width
    )


def _detection_size(x: Value, shortest: int, longest: int) -> tuple[int, int]:
    """Where the longer edge is limited, DETR rounds the shorter one first and takes the
    other from what it was before (`get_size_with_aspect_ratio`).
    """
    height, width, _ = x.shape
    short, long = min(height, width), max(height, width)
    edge: float = shortest
    if long / short * shortest > longest:
        edge = longest * short / long
    rounded = round(edge)
    if short == rounded:
        return height, width
    other = int(edge * long / short)
    return (rounded, other) if height <= width else (other, rounded)


def _rescale_and_normalize(pipe: Pipeline, x: Value, processor: Any) -> Value:
    rescales, normalizes = processor.do_rescale, processor.do_normalize
    factor = processor.rescale_factor
    if not normalizes:
        return pipe.scale(x, factor) if rescales else pipe.cast(x, "float32")
    mean, std = list(processor.image_mean), list(processor.image_std)
    if not rescales:
        return pipe.normalize(pipe.cast(x, "float32"), mean, std)
    if processor.backend == "pil":
        if factor == 1 / 255:
            return pipe.normalize(x, mean, std)
        return pipe.normalize(pipe.scale(x, factor), mean, std)
    # The torchvision backend puts the factor into mean and std, in float32.
    inverse = single(1.0 / factor)
    mean = [single(single(m) * inverse) for m in mean]
    std = [single(single(s) * inverse) for s in std]
    return pipe.normalize(pipe.cast(x, "float32"), mean, std)


def _whisper(pipe: Pipeline, x: Value, extractor: Any) -> Value:
    problems = [
        f"{name} = {getattr(extractor, name)}"
        for name, plain in (("do_normalize", False), ("dither", 0.0))
        if getattr(extractor, name, plain) != plain
    ]
    if problems:
        refuse(STEP, type(extractor).__name__, problems)
    return pipe.log_mel(
        x,
        "whisper",
        sample_rate=extractor.sampling_rate,
        n_fft=extractor.n_fft,
        hop=extractor.hop_length,
        n_mels=extractor.feature_size,
        length=extractor.n_samples,
    )
