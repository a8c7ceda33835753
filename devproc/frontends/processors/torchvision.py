"""torchvision's transforms, of the first and of the second version, as steps.

The effect of a transform depends on its operand: a Pillow image is resized by Pillow, a
tensor by PyTorch. An image with channels last, or without channels, represents a Pillow
image until a transform makes it a tensor; a leading axis N represents a list of images.

The first version resizes uint8 tensors in float32 and rounds. A pixel may differ by one where
the exact value is within float32's error of a half, as between PyTorch's kernels for
different CPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from devproc.frontends.processors.refusal import refuse
from devproc.frontends.user_input import fail

if TYPE_CHECKING:
    from devproc.frontends.dsl.pipeline import Pipeline
    from devproc.frontends.dsl.values.value import Value

STEP = "torchvision"

Kind: TypeAlias = Literal["image", "bytes", "floats"]
"""The kind of an operand: a Pillow image, or a tensor of uint8 or of float32."""
NAMES: Mapping[Kind, str] = {
    "image": "an image of Pillow",
    "bytes": "a uint8 tensor",
    "floats": "a tensor of floats",
}


@dataclass
class State:
    """The image between two transforms."""

    pipe: Pipeline
    image: Value
    kind: Kind

    def resize(self, transform: Any, size: Sequence[int], longest: int | None) -> None:
        """Resizes to (height, width), or to one size of the shorter edge."""
        pipe, mode = self.pipe, _mode(transform)
        is_tensor, is_nearest = self.kind != "image", "nearest" in mode
        has_choice = is_tensor and not is_nearest
        smooth = transform.antialias is True if has_choice else None
        # The first version resizes a uint8 tensor in float32.
        is_first = not _is_second(transform)
        in_float = self.kind == "bytes" and not is_nearest and is_first
        x = pipe.cast(self.image, "float32") if in_float else self.image
        like = "torchvision" if is_tensor else "pillow"
        if len(size) == 2:
            x = pipe.resize(x, size, like, mode, smooth)
        else:
            x = pipe.resize_shorter_edge(x, size[0], longest, like, mode, smooth)
        if in_float:
            x = pipe.cast(pipe.clamp(x, 0, 255), "uint8", "nearest_even")
        self.image = x

    def to_float(self, _: Any = None) -> None:
        """Maps 0 .. 255 to 0 .. 1 by a division, as `ToTensor` does."""
        if self.image.dtype == "uint8":
            self.image = self.pipe.normalize(self.image, 0.0, 1.0)


@dataclass(frozen=True)
class Rule:
    """The effect of a transform on an image of each kind that it accepts."""

    apply: Callable[[State, Any], None]
    makes: Mapping[Kind, Kind]
    """Kind before -> kind after; other kinds are refused."""
    remedy: str = ""
    """What to do if it is refused."""
    passes: bool = False
    """Whether the second version ignores kinds that the first one refuses."""


def _sizes(value: Any) -> list[int]:
    return [value] if isinstance(value, int) else list(value)


def _is_second(t: Any) -> bool:
    """Whether a transform is of the second version."""
    return ".v2" in type(t).__module__


def _mode(t: Any) -> str:
    """The interpolation, an enumeration or its value."""
    return getattr(t.interpolation, "value", t.interpolation)


def _resize(state: State, t: Any) -> None:
    state.resize(t, _sizes(t.size), t.max_size)


def _center_crop(state: State, t: Any) -> None:
    size = _sizes(t.size)
    state.image = state.pipe.center_crop(state.image, (size[0], size[-1]))


def _pad(state: State, t: Any) -> None:
    padding = (_sizes(t.padding) * 4)[:4]
    state.image = state.pipe.pad(state.image, padding, t.padding_mode, t.fill)


def _grayscale(state: State, t: Any) -> None:
    state.image = state.pipe.color(state.image, "RGB->GRAY", "pillow")
    if t.num_output_channels == 3:
        state.image = state.pipe.color(state.image, "GRAY->RGB", "pillow")


def _rgb(state: State, t: Any) -> None:
    layout = state.image.layout or ""
    channels = state.image.shape[layout.index("C")] if "C" in layout else 1
    if channels == 1:
        state.image = state.pipe.color(state.image, "GRAY->RGB")
    elif channels == 4 and state.kind == "image":
        state.image = state.pipe.color(state.image, "RGBA->RGB", "pillow")


def _convert_dtype(state: State, t: Any) -> None:
    # The first version divides by 255; the second multiplies by the reciprocal.
    if not _is_second(t):
        state.to_float()
    elif getattr(t, "scale", True) and state.kind == "bytes":
        state.image = state.pipe.scale(state.image, 1.0 / 255)
    else:
        state.image = state.pipe.cast(state.image, "float32")


def _normalize(state: State, t: Any) -> None:
    state.image = state.pipe.normalize(state.image, list(t.mean), list(t.std))


def _nothing(state: State, t: Any) -> None:
    pass


def _classification(state: State, t: Any) -> None:
    """The preset of torchvision's weights for image classification."""
    state.resize(t, t.resize_size, None)
    state.image = state.pipe.center_crop(state.image, (t.crop_size * 2)[:2])
    state.to_float()
    _normalize(state, t)


ANY: Mapping[Kind, Kind] = {"image": "image", "bytes": "bytes", "floats": "floats"}
TO_FLOATS: Mapping[Kind, Kind] = {"bytes": "floats", "floats": "floats"}
OF_IMAGE = "put it before what makes a tensor"
OF_TENSOR = "put it after what makes a tensor"
OF_FLOATS = "put it after what makes a tensor of floats"

RULES: Mapping[str, Rule] = {
    "CenterCrop": Rule(_center_crop, ANY),
    "ConvertImageDtype": Rule(_convert_dtype, TO_FLOATS, OF_TENSOR, passes=True),
    "Grayscale": Rule(_grayscale, {"image": "image"}, OF_IMAGE),
    "Identity": Rule(_nothing, ANY),
    "ImageClassification": Rule(_classification, {"image": "floats", **TO_FLOATS}),
    "Normalize": Rule(_normalize, {"floats": "floats"}, OF_FLOATS),
    "Pad": Rule(_pad, ANY),
    "PILToTensor": Rule(_nothing, {"image": "bytes"}, OF_IMAGE, passes=True),
    "RGB": Rule(_rgb, ANY),
    "Resize": Rule(_resize, ANY),
    "ToDtype": Rule(_convert_dtype, TO_FLOATS, OF_TENSOR, passes=True),
    "ToImage": Rule(_nothing, {**ANY, "image": "bytes"}),
    "ToPureTensor": Rule(_nothing, ANY),
    "ToTensor": Rule(State.to_float, {"image": "floats"}, OF_IMAGE, passes=True),
}
"""Class -> its effect on the image."""


def flattened(transforms: Any) -> Iterator[Any]:
    """The transforms of a `Compose`, a `Sequential` or a list, one after another."""
    parts = getattr(transforms, "transforms", transforms)
    if type(transforms).__name__ == "Sequential" or isinstance(parts, list | tuple):
        for part in cast(Iterable[Any], parts):
            yield from flattened(part)
    else:
        yield transforms


def _problem(transform: Any) -> str | None:
    """Why a transform cannot be expressed; None where it can."""
    name = type(transform).__name__
    if name.startswith("Random") or name in ("ColorJitter", "AutoAugment"):
        return f"{name} is random: give the transforms of evaluation"
    if name not in RULES:
        return f"{name} has no step"
    if name == "Resize" and transform.size is None:
        return "Resize without a size: give the size of the shorter edge"
    if name in ("ToDtype", "ConvertImageDtype"):
        dtype = transform.dtype
        if str(dtype) != "torch.float32":
            return f"{name} to {dtype}: only torch.float32 has a step"
    if name == "Pad" and not isinstance(transform.fill, int | float):
        return f"Pad with the fill {transform.fill!r}: give one number"
    return None


def _chosen(
    parts: Sequence[Any], kind: Kind, dtype: str
) -> tuple[list[tuple[Rule, Any, Kind]], list[str]]:
    """The rules that apply, each with its transform and the kind after it; and the
    transforms that cannot be expressed.
    """
    chosen: list[tuple[Rule, Any, Kind]] = []
    problems: list[str] = []
    for part in parts:
        problem = _problem(part)
        if problem is not None:
            problems.append(problem)
            continue
        rule = RULES[type(part).__name__]
        if kind in rule.makes:
            kind = rule.makes[kind]
            # An image may be one of floats (Pillow's F).
            kind = "floats" if kind == "bytes" and dtype == "float32" else kind
            chosen.append((rule, part, kind))
        elif not (rule.passes and _is_second(part)):
            problems.append(f"{type(part).__name__} of {NAMES[kind]}: {rule.remedy}")
    return chosen, problems


def _kind(x: Value) -> Kind:
    """The kind that a value represents; raises BuildError if it is not an image."""
    layout = x.layout or ""
    if "H" not in layout or "W" not in layout or x.dtype not in ("uint8", "float32"):
        remedy = "give uint8 or float32 with a layout, as 'HWC' or 'CHW'"
        fail(STEP, f"{x!r} is no image", remedy)
    if "C" not in layout or layout.endswith("C"):
        return "image"
    return "bytes" if x.dtype == "uint8" else "floats"


def add_transforms(pipe: Pipeline, x: Value, transforms: object) -> Value:
    """Adds the steps that compute `transforms(image)`.

    `x` is an image, uint8 or float32: (height, width, 3) represents a Pillow image,
    (3, height, width) a tensor; with a leading axis N, each image of a batch is treated
    alike. Raises BuildError with every transform that no step can express.
    """
    parts = list(flattened(transforms))
    kind = _kind(x)
    state = State(pipe, x, kind)
    chosen, problems = _chosen(parts, kind, x.dtype)
    if problems:
        refuse(STEP, f"{len(parts)} transforms", problems)
    for rule, part, kind in chosen:
        rule.apply(state, part)
        state.kind = kind
    layout = state.image.layout or ""
    channels_first = "NCHW" if "N" in layout else "CHW"
    if kind == "image" or layout == channels_first:
        return state.image
    return pipe.layout(state.image, f"{layout}->{channels_first}")
