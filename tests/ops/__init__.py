"""PyTorch's own samples of each operator, compiled and compared with eager PyTorch.

A file per family holds `CLAIMED` (name in `op_db` -> dtypes), and perhaps `EXCUSES`
(name -> why a sample is not eligible), `INTERPRETED` (names for interpreted Triton) and
`COSTLY` (names that the suite takes fewer samples of).
"""

from __future__ import annotations

import importlib
import pkgutil

from tests.ops.harness import Family

NOT_FAMILIES = ("harness", "support", "matrix", "__main__")


def families() -> list[Family]:
    """The tables of all files of this folder."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__))
    return [
        Family.of(importlib.import_module(f"{__name__}.{name}"))
        for name in names
        if name not in NOT_FAMILIES and not name.startswith("test_")
    ]
