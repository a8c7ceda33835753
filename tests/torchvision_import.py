"""`from tests.torchvision_import import torchvision`, where it is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

torchvision: Any = pytest.importorskip(
    "torchvision", reason="`make venv` installs torchvision beside the other packages"
)
functional: Any = import_module("torchvision.transforms.v2.functional")
"""The functions of its second version."""

__all__ = ["functional", "torchvision"]
