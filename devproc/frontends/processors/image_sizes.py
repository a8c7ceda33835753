"""The sizes to which Hugging Face's image processors resize an image.

Each rule maps the height and width of an image, and the processor with its attributes, to
the new (height, width); None for a `size` that the class does not accept.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, TypeAlias

Size: TypeAlias = tuple[int, int]
Rule: TypeAlias = Callable[[int, int, Any], Size | None]


def of_processor(height: int, width: int, processor: Any) -> Size | None:
    """The rule of classes that do not override `resize`."""
    match _given(processor):
        case {"shortest_edge": shortest, **rest} if not rest:
            return shorter_edge(height, width, shortest)
        case _:
            return of_detector(height, width, processor)


def of_detector(height: int, width: int, processor: Any) -> Size | None:
    """(height, width), or a shorter edge with a limit for the longer one (DETR)."""
    match _given(processor):
        case {"height": new_height, "width": new_width, **rest} if not rest:
            return new_height, new_width
        case {"shortest_edge": shortest, "longest_edge": longest, **rest} if not rest:
            return _limited(height, width, shortest, longest)
        case _:
            return None


def shorter_edge(height: int, width: int, size: int) -> Size:
    """The shorter edge becomes `size`; the longer edge scales with it, rounded down."""
    longer = int(size * max(height, width) / min(height, width))
    return (longer, size) if width <= height else (size, longer)


def of_convnext(height: int, width: int, processor: Any) -> Size | None:
    """Below 384, larger than the crop that follows; else a square of that size."""
    shortest = _given(processor).get("shortest_edge")
    if not shortest:
        return None
    if shortest >= 384:
        return shortest, shortest
    return shorter_edge(height, width, int(shortest / processor.crop_pct))


def of_dpt(height: int, width: int, processor: Any) -> Size | None:
    """Multiples of a number; keeping proportions, the scale that is closest to 1."""
    wanted = of_detector(height, width, processor)
    if wanted is None or "shortest_edge" in _given(processor):
        return None
    scales = [wanted[0] / height, wanted[1] / width]
    if processor.keep_aspect_ratio:
        by_width = abs(1 - scales[1]) < abs(1 - scales[0])
        scales = [scales[1 if by_width else 0]] * 2
    multiple = processor.ensure_multiple_of
    new = [
        round(scale * old / multiple) * multiple
        for scale, old in zip(scales, (height, width), strict=True)
    ]
    return new[0], new[1]


def of_glpn(height: int, width: int, processor: Any) -> Size | None:
    """Rounded down to multiples of a number."""
    divisor = processor.size_divisor
    return height // divisor * divisor, width // divisor * divisor


def of_levit(height: int, width: int, processor: Any) -> Size | None:
    """A shorter edge of 256 / 224 times the given one."""
    match _given(processor):
        case {"shortest_edge": shortest}:
            return shorter_edge(height, width, int(256 / 224 * shortest))
        case _:
            return of_detector(height, width, processor)


def of_mask_former(height: int, width: int, processor: Any) -> Size | None:
    """The rule of detectors, rounded up to multiples of a number."""
    new = of_detector(height, width, processor)
    divisor = processor.size_divisor
    return _rounded_up(new, divisor) if new and divisor else new


def of_poolformer(height: int, width: int, processor: Any) -> Size | None:
    """The given size divided by a factor."""
    factor, given = processor.crop_pct, _given(processor)
    if factor is None:
        return of_processor(height, width, processor)
    match given:
        case {"shortest_edge": shortest}:
            return shorter_edge(height, width, int(shortest / factor))
        case {"height": h, "width": w} if h == w:
            return shorter_edge(height, width, int(h / factor))
        case {"height": h, "width": w}:
            return int(h / factor), int(w / factor)
        case _:
            return None


def of_textnet(height: int, width: int, processor: Any) -> Size | None:
    """A shorter edge; both rounded up to multiples of a number."""
    shortest = _given(processor).get("shortest_edge")
    if not shortest:
        return None
    return _rounded_up(shorter_edge(height, width, shortest), processor.size_divisor)


def of_vilt(height: int, width: int, processor: Any) -> Size | None:
    """A shorter edge, the longer one at most 1333 / 800 of it; both rounded down to
    multiples of a number.
    """
    shortest = _given(processor).get("shortest_edge")
    if not shortest:
        return None
    longest = int(1333 / 800 * shortest)
    scale = shortest / min(height, width)
    new = [
        shortest if old <= min(height, width) else old * scale
        for old in (height, width)
    ]
    if max(new) > longest:
        scale = longest / max(new)
        new = [edge * scale for edge in new]
    divisor = processor.size_divisor
    rounded = [int(edge + 0.5) // divisor * divisor for edge in new]
    return rounded[0], rounded[1]


def of_yolos(height: int, width: int, processor: Any) -> Size | None:
    """The rule of detectors; for a shorter edge, rounded down to multiples of 16."""
    new = of_detector(height, width, processor)
    if new is None or "height" in _given(processor):
        return new
    return new[0] - new[0] % 16, new[1] - new[1] % 16


def _given(processor: Any) -> dict[str, int]:
    """The entries of `size` that are set."""
    return {name: value for name, value in dict(processor.size or {}).items() if value}


def _limited(height: int, width: int, shortest: int, longest: int) -> Size:
    """If the longer edge is limited, the shorter one is rounded, and the other computed
    from its unrounded value (`get_size_with_aspect_ratio`).
    """
    short, long = min(height, width), max(height, width)
    edge: float = shortest
    if long / short * shortest > longest:
        edge = longest * short / long
    rounded = round(edge)
    if short == rounded:
        return height, width
    other = int(edge * long / short)
    return (rounded, other) if height <= width else (other, rounded)


def _rounded_up(size: Size, divisor: int) -> Size:
    height, width = (ceil(edge / divisor) * divisor for edge in size)
    return height, width
