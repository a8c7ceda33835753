"""Hugging Face's image processors and feature extractors, as steps.

The attributes of a processor describe what it does, unless its class overrides methods of
its backend. Known classes with overrides are listed by name; others are refused, with what
no step can express. Written for transformers 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, cast

from devproc.dialects.nn.resampling.filters import single
from devproc.frontends.processors import image_sizes
from devproc.frontends.processors.inexpressible import REASONS
from devproc.frontends.processors.refusal import refuse
from devproc.frontends.user_input import fail

if TYPE_CHECKING:
    from devproc.frontends.dsl.pipeline import Pipeline
    from devproc.frontends.dsl.values.value import Value

STEP = "hf_processor"
BACKENDS = ("TorchvisionBackend", "PilBackend")
METHODS = (
    *("_preprocess", "resize", "center_crop", "rescale", "normalize", "pad"),
    "rescale_and_normalize",
)
"""Methods that a class may override."""


@dataclass(frozen=True)
class Known:
    """A class whose overridden methods are implemented here, for images without labels."""

    methods: tuple[str, ...] = ()
    """The overridden methods."""
    size: image_sizes.Rule = image_sizes.of_processor
    """The size to which it resizes."""


PLAIN = Known(("_preprocess",))
DETECTOR = Known(("_preprocess", "resize", "pad"), image_sizes.of_detector)
MASK_FORMER = Known(("_preprocess", "resize", "pad"), image_sizes.of_mask_former)
RESIZING = ("_preprocess", "resize")

KNOWN: Mapping[str, Known] = {
    "BeitImageProcessor": PLAIN,
    "ConditionalDetrImageProcessor": DETECTOR,
    "ConvNextImageProcessor": Known(RESIZING, image_sizes.of_convnext),
    "DPTImageProcessor": Known(RESIZING, image_sizes.of_dpt),
    "DeformableDetrImageProcessor": DETECTOR,
    "DetrImageProcessor": DETECTOR,
    "EfficientNetImageProcessor": Known(("_preprocess", "rescale")),
    "GLPNImageProcessor": Known(RESIZING, image_sizes.of_glpn),
    "GroundingDinoImageProcessor": DETECTOR,
    "LevitImageProcessor": Known(("resize",), image_sizes.of_levit),
    "Mask2FormerImageProcessor": MASK_FORMER,
    "MaskFormerImageProcessor": MASK_FORMER,
    "MobileNetV2ImageProcessor": PLAIN,
    "MobileViTImageProcessor": PLAIN,
    "PerceiverImageProcessor": Known(("_preprocess", "center_crop")),
    "PoolFormerImageProcessor": Known(RESIZING, image_sizes.of_poolformer),
    "RTDetrImageProcessor": DETECTOR,
    "SegformerImageProcessor": PLAIN,
    "TextNetImageProcessor": Known(RESIZING, image_sizes.of_textnet),
    "ViltImageProcessor": Known(RESIZING, image_sizes.of_vilt),
    "YolosImageProcessor": Known(DETECTOR.methods, image_sizes.of_yolos),
}

FILTERS = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")
"""Filters by Pillow's numbers."""


def add_processor(pipe: Pipeline, x: Value, processor: object) -> Value:
    """Adds the steps that compute the processor's `pixel_values` (count, channels, height,
    width), or its `input_features` (1, bands, frames) of a wave.

    `x` is uint8: (height, width, 3), gray without axis C or with a C of size 1; a leading
    axis N makes a batch. Raises BuildError with every part that no step can express.
    """
    given: Any = processor
    for part in ("image_processor", "feature_extractor"):
        given = getattr(given, part, given)
    if type(given).__name__ == "WhisperFeatureExtractor":
        return _whisper(pipe, x, given)
    if not hasattr(given, "do_rescale"):
        problem = "the class is none of WhisperFeatureExtractor, image processors"
        refuse(STEP, type(given).__name__, [problem])
    channels = x.shape[-1] if (x.layout or "").endswith("C") else 1
    if (
        x.layout not in ("HW", "HWC", "NHW", "NHWC")
        or x.dtype != "uint8"
        or channels not in (1, 3)
    ):
        remedy = "give uint8 (height, width, 3), or of 1 channel, or a batch of these"
        fail(STEP, f"{x!r} is no RGB image and no gray one", remedy)
    problems = _problems(given, x)
    if problems:
        refuse(STEP, type(given).__name__, problems)
    return _image(pipe, x, given)


def _class_name(processor: Any) -> str:
    """The name of the class without its backend."""
    return type(processor).__name__.removesuffix("Pil").removesuffix("Fast")


def _problems(processor: Any, x: Value) -> list[str]:
    """Everything about an image processor that no step can express."""
    class_, name = cast(Any, type(processor)), _class_name(processor)
    if name in REASONS:
        return [REASONS[name]]
    own = [
        method
        for method in METHODS
        if hasattr(class_, method)
        and getattr(class_, method).__qualname__.split(".")[0] not in BACKENDS
        and "Base" not in getattr(class_, method).__qualname__
        and method not in KNOWN.get(name, Known()).methods
    ]
    problems = [f"its class has a `{method}` of its own" for method in own]
    if processor.do_resize and not own and _new_size(x, processor) is None:
        problems.append(f"its size {dict(processor.size or {})}")
    mode = _filter(processor)
    if mode in ("lanczos", "box", "hamming") and processor.backend == "torchvision":
        problems.append(f'the filter {mode} of a tensor: take `backend="pil"`')
    if getattr(processor, "do_pad", None) and getattr(processor, "pad_size", None):
        problems.append("padding to a size: use letterbox() or pad()")
    return problems


def _filter(processor: Any) -> str:
    """The name of the filter; the attribute is Pillow's number, or torchvision's enum."""
    given = processor.resample
    given = getattr(given, "value", given)
    return given if isinstance(given, str) else FILTERS[2 if given is None else given]


def _image(pipe: Pipeline, x: Value, processor: Any) -> Value:
    name = _class_name(processor)
    layout = (x.layout or "").removesuffix("C") + "C"
    is_gray = x.layout != layout or x.shape[-1] == 1
    if is_gray and getattr(processor, "do_convert_rgb", None):
        x = pipe.color(x, "GRAY->RGB")
    elif x.layout != layout:
        x = pipe.layout(x, f"{x.layout}->{layout}")
    crops = getattr(processor, "do_center_crop", None)
    if crops and name == "PerceiverImageProcessor":
        x = _crop_perceiver(pipe, x, processor)
    if processor.do_resize:
        x = _resize(pipe, x, processor)
    if crops and name != "PerceiverImageProcessor":
        crop = processor.crop_size
        x = _center_crop(pipe, x, (crop["height"], crop["width"]), processor.backend)
    x = _rescale_and_normalize(pipe, x, processor)
    if getattr(processor, "include_top", None):
        x = pipe.normalize(x, 0.0, list(processor.image_std))
    if getattr(processor, "do_flip_channel_order", None):
        x = pipe.color(x, "RGB->BGR")
    if name == "DPTImageProcessor" and processor.do_pad and processor.size_divisor:
        x = _pad_around(pipe, x, processor.size_divisor)
    return pipe.layout(x, f"{layout}->NCHW")


def _image_size(x: Value) -> tuple[int, int]:
    layout = x.layout or ""
    return x.shape[layout.index("H")], x.shape[layout.index("W")]


def _new_size(x: Value, processor: Any) -> image_sizes.Size | None:
    known = KNOWN.get(_class_name(processor), Known())
    return known.size(*_image_size(x), processor)


def _resize(pipe: Pipeline, x: Value, processor: Any) -> Value:
    like = "pillow" if processor.backend == "pil" else "torchvision"
    mode, size = _filter(processor), _new_size(x, processor)
    if like == "torchvision" and mode == "nearest":
        mode = "nearest-exact"
    x = pipe.resize(x, size or (), like, mode)
    if _class_name(processor) == "ConvNextImageProcessor":
        shortest: int = processor.size["shortest_edge"]
        if shortest < 384:
            x = _center_crop(pipe, x, (shortest, shortest), processor.backend)
    return x


def _crop_perceiver(pipe: Pipeline, x: Value, processor: Any) -> Value:
    """The middle of the image, in the ratio of `size` to `crop_size`, before resizing."""
    shorter = min(_image_size(x))
    height, width = (
        int(processor.size[edge] / processor.crop_size[edge] * shorter)
        for edge in ("height", "width")
    )
    return _center_crop(pipe, x, (height, width), processor.backend)


def _pad_around(pipe: Pipeline, x: Value, divisor: int) -> Value:
    """Pads with zeros to multiples of a number; an odd zero goes below and right."""
    height, width = (ceil(old / divisor) * divisor - old for old in _image_size(x))
    top, left = height // 2, width // 2
    return pipe.pad(x, (left, top, width - left, height - top))


def _center_crop(
    pipe: Pipeline, x: Value, size: tuple[int, int], backend: str
) -> Value:
    """The middle, rounded down where torchvision's own crop rounds to even. A smaller
    image is padded with zeros, of which an odd one goes above for "pil", else below.
    """
    missing = [max(new - old, 0) for new, old in zip(size, _image_size(x), strict=True)]
    low = [(m + (backend == "pil")) // 2 for m in missing]
    if any(missing):
        padding = (low[1], low[0], missing[1] - low[1], missing[0] - low[0])
        x = pipe.pad(x, padding)
    height, width = size
    old_height, old_width = _image_size(x)
    return pipe.crop(
        x, (old_height - height) // 2, (old_width - width) // 2, height, width
    )


def _rescale_and_normalize(pipe: Pipeline, x: Value, processor: Any) -> Value:
    rescales, normalizes = processor.do_rescale, processor.do_normalize
    factor = processor.rescale_factor
    offset = -1.0 if getattr(processor, "rescale_offset", None) else 0.0
    if not normalizes or _class_name(processor) == "MobileViTImageProcessor":
        return pipe.scale(x, factor, offset) if rescales else pipe.cast(x, "float32")
    mean, std = list(processor.image_mean), list(processor.image_std)
    if not rescales:
        return pipe.normalize(pipe.cast(x, "float32"), mean, std)
    if processor.backend == "pil" or offset:
        if factor == 1 / 255 and not offset:
            return pipe.normalize(x, mean, std, scale=factor)
        return pipe.normalize(pipe.scale(x, factor, offset), mean, std)
    # The torchvision backend folds the factor into mean and std, in float32.
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
