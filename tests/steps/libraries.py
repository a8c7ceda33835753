"""torchvision and transformers, loaded where torchvision's kernels cannot be."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def torchvision_boxes() -> Any:
    """`torchvision.ops.boxes`."""
    from tests.torchvision_import import torchvision

    return torchvision.ops.boxes


def box_coder(weights: tuple[float, float, float, float]) -> Any:
    """torchvision's `BoxCoder`."""
    torchvision_boxes()
    module = import_module("torchvision.models.detection._utils")
    return module.BoxCoder(weights)


def processor(name: str) -> Any:
    """An image processor of transformers, with its defaults."""
    torchvision_boxes()
    import transformers

    return getattr(transformers, name)()
