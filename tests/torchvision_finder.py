"""torchvision, in tests: found in a folder of its own, its operators declared before.

Its wheel belongs to the CUDA build of torch: beside the CPU build its kernels cannot be
loaded, it fails to import, and so does what imports it, such as transformers. `make venv`
therefore installs it where only the tests look.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(sys.prefix) / "torchvision"
OPERATORS = ("nms", "qnms")
"""Operators that torchvision's Python takes for defined."""


class TorchvisionFinder(MetaPathFinder):
    """Adds the folder to the path when torchvision is first looked for."""

    library: Any = None
    """The definitions live as long as this object."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> None:
        """Finds nothing itself; prepares for the finders behind it."""
        if fullname != "torchvision" or self.library is not None:
            return
        # Beside a CUDA build of torch it is installed like any other package.
        if not FOLDER.is_dir():
            return
        import torch

        self.library = torch.library.Library("torchvision", "DEF")
        for name in OPERATORS:
            self.library.define(
                f"{name}(Tensor dets, Tensor scores, float threshold) -> Tensor"
            )
        sys.path.append(str(FOLDER))


def install_finder() -> None:
    """From here on `import torchvision` works, where `make venv` has run."""
    if FOLDER.is_dir():
        sys.meta_path.insert(0, TorchvisionFinder())
