# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
"""Scans under Triton's interpreter, with one call of the combination for all rows.

The interpreter itself calls it for each element of a block.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def interpreter_scans() -> Any:
    """Triton's class of interpreted scans."""
    from triton.runtime.interpreter import ScanOps

    return ScanOps


def scan_along(scan: Any, sources: Any) -> list[Any]:
    """Replaces the class's `generic_scan`."""
    arrays = [np.moveaxis(source.handle.data, scan.axis, 0) for source in sources]
    done: list[Any] = []
    for elements in zip(*arrays, strict=True):
        here = tuple(
            scan.to_tensor(element, source.dtype)
            for element, source in zip(elements, sources, strict=True)
        )
        if done:
            here = scan.combine_fn.fn(*done[-1], *here)
            here = here if isinstance(here, tuple) else (here,)
        done.append(here)
    columns = zip(*done, strict=True)
    return [
        scan.to_tensor(
            np.stack([v.handle.data for v in column], scan.axis).reshape(
                source.handle.data.shape
            ),
            source.dtype,
        )
        for column, source in zip(columns, sources, strict=True)
    ]
