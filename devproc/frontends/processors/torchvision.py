"""torchvision's transforms, of the first and of the second version, as steps.

What a transform does depends on what it is given: an image of Pillow is resized by
Pillow, a tensor by PyTorch. An image whose channels come last stands for one of Pillow's
until a transform makes a tensor of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from devproc.frontends.processors.refusal import refuse

if TYPE_CHECKING:
    from devproc.frontends.dsl.pipeline import Pipeline
    from devproc.frontends.dsl.value import Value

STEP = "torchvision"


@dataclass
class State:
    """The image between two transforms."""

    pipe: Pipeline
    image: Value
    is_tensor: bool
    """Whether the transforms hold a tensor here, and no longer an image of Pillow."""

    def resize(self, transform: Any, size: Sequence[int], longest: int | None) -> None:
        """To (height, width), or to one size of the shorter edge."""
        pipe, mode = self.pipe, _mode(transform)
        smooth = None
        if self.is_tensor and "nearest" not in mode:
            smooth = transform.antialias is True
        # The first version resizes a uint8 tensor in float32.
        in_float = (
            self.is_tensor
            and self.image.dtype == "uint8"
            and "nearest" not in mode
            and not _is_second(transform)
        )
        x = pipe.cast(self.image, "float32") if in_float else self.image
        like = "torchvision" if self.is_tensor else "pillow"
        if len(size) == 2:
            x = pipe.resize(x, size, like, mode, smooth)
        else:
            x = pipe.resize_shorter_edge(x, size[0], longest, like, mode, smooth)
        if in_float:
            x = pipe.cast(pipe.clamp(x, 0, 255), "uint8", "nearest_even")
        self.image = x

    def to_float(self) -> None:
        """0 .. 255 becomes 0 .. 1 by a division, as in `ToTensor`."""
        if self.image.dtype == "uint8":
            self.image = self.pipe.normalize(self.image, 0.0, 1.0)
        self.is_tensor = True


Rule: TypeAlias = Callable[[State, Any], None]


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
    sides = _sizes(t.padding)
    left, top, right, bottom = (sides * 4)[:4]
    padding = (left, top, right, bottom)
    state.image = state.pipe.pad(state.image, padding, t.padding_mode, t.fill)


def _grayscale(state: State, t: Any) -> None:
    state.image = state.pipe.color(state.image, "RGB->GRAY", "pillow")
    if t.num_output_channels == 3:
        state.image = state.pipe.color(state.image, "GRAY->RGB", "pillow")


def _to_tensor(state: State, t: Any) -> None:
    state.to_float()


def _as_tensor(state: State, t: Any) -> None:
    state.is_tensor = True


def _convert_dtype(state: State, t: Any) -> None:
    # The first version divides by 255; the second one multiplies with the reciprocal.
    if not _is_second(t):
        state.to_float()
    elif getattr(t, "scale", True) and state.image.dtype == "uint8":
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


RULES: Mapping[str, Rule] = {
    "CenterCrop": _center_crop,
    "ConvertImageDtype": _convert_dtype,
    "Grayscale": _grayscale,
    "Identity": _nothing,
    "ImageClassification": _classification,
    "Normalize": _normalize,
    "Pad": _pad,
    "PILToTensor": _as_tensor,
    "RGB": _nothing,
    "Resize": _resize,
    "ToDtype": _convert_dtype,
    "ToImage": _as_tensor,
    "ToPureTensor": _nothing,
    "ToTensor": _to_tensor,
}
"""Class -> what it does to the image."""


def flattened(transforms: Any) -> Iterator[Any]:
    """The transforms of a `Compose`, a `Sequential` or a list, one after another."""
    parts = getattr(transforms, "transforms", transforms)
    if type(transforms).__name__ == "Sequential" or isinstance(parts, list | tuple):
        for part in cast(Iterable[Any], parts):
            yield from flattened(part)
    else:
        yield transforms


def _problem(transform: Any, is_tensor: bool) -> str | None:
    """Why a transform cannot be expressed; None where it can."""
    name = type(transform).__name__
    if name.startswith("Random") or name in ("ColorJitter", "AutoAugment"):
        return f"{name} is random: give the transforms of evaluation"
    if name not in RULES:
        return f"{name} has no step"
    if name == "Grayscale" and is_tensor:
        return "Grayscale of a tensor: put it in front of what makes a tensor"
    if name == "Resize" and transform.size is None:
        return "Resize without a size: give the size of the shorter edge"
    if name in ("ToDtype", "ConvertImageDtype"):
        dtype = transform.dtype
        if str(dtype) != "torch.float32":
            return f"{name} to {dtype}: only torch.float32 has a step"
    if name == "Pad" and not isinstance(transform.fill, int | float):
        return f"Pad with the fill {transform.fill!r}: give one number"
    return None


def _makes_tensor(transform: Any) -> bool:
    return type(transform).__name__ in (
        *("ConvertImageDtype", "ImageClassification", "PILToTensor"),
        *("ToDtype", "ToImage", "ToTensor"),
    )


def add_transforms(pipe: Pipeline, x: Value, transforms: object) -> Value:
    """The steps that give what `transforms(image)` gives.

    `x` is an image: (height, width, 3) stands for one of Pillow's, (3, height, width)
    for a tensor. Raises BuildError that names every transform without a step.
    """
    parts = list(flattened(transforms))
    layout = x.layout or ""
    state = State(pipe, x, is_tensor="C" in layout and not layout.endswith("C"))
    problems: list[str] = []
    is_tensor = state.is_tensor
    for part in parts:
        problem = _problem(part, is_tensor)
        problems += [problem] if problem else []
        is_tensor = is_tensor or _makes_tensor(part)
    if problems:
        refuse(STEP, f"{len(parts)} transforms", problems)
    for part in parts:
        RULES[type(part).__name__](state, part)
    if state.is_tensor and state.image.layout == "HWC":
        return pipe.layout(state.image, "HWC->CHW")
    return state.image
