"""The algorithms that compute kernels, one package each: `devproc.algorithms.<name>`.

Algorithms are tried in the order of `ALGORITHMS`; the first that accepts a nest
computes it. A package defines `ALGORITHM`, a `base.Algorithm`, and usually contains

- `layout.py`: the layout of a weight, and the conditions under which it is used;
- `plan.py`: from a nest and a target to a schedule or a refusal; creates no ops;
- `expand.py`: from a nest and its schedule to loops; makes no decisions;
- or `tiling.py`: the same step by step, with tiles as ops in between.

An algorithm is named after its schedules: `strassen` expands `#sched.strassen`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from devproc.errors import CompileError, did_you_mean

if TYPE_CHECKING:
    from devproc.algorithms.base import Algorithm

CPU_ALGORITHMS: dict[str, str] = {
    name: f"{__name__}.{name}"
    for name in (
        # Algorithms that compute whole kernels.
        *("attention", "bottleneck"),
        # Products: with a custom weight layout, then with panels, then row-major.
        *("winograd", "winograd_line", "inner_product", "strassen", "block_float"),
        "bf16_dot",
        *("register_tile", "pixel_tile", "resample"),
        # Rows before vectors, which accept any reduction, vectorised along its results.
        *("rows", "padding", "channels", "row_parts", "vectors"),
        *("nms", "scan", "scatter", "sort"),
        # The fallback: accepts every structured op, one element at a time.
        "elements",
    )
}
"""The algorithms of the CPU in the order in which they are tried: name -> module."""

GPU_ALGORITHMS: dict[str, str] = {
    name: f"{__name__}.{name}"
    for name in (
        # Blocks are the fallback.
        *("block_tile", "block_rows", "block_scan", "block_transpose", "blocks"),
    )
}
"""The algorithms of the GPU, likewise."""

ALGORITHMS_OF: dict[str, dict[str, str]] = {
    "cpu": CPU_ALGORITHMS,
    "cuda": GPU_ALGORITHMS,
}
"""The algorithms of each device for which kernels are generated."""

ALGORITHMS: dict[str, str] = CPU_ALGORITHMS | GPU_ALGORITHMS


@cache
def algorithm(name: str) -> Algorithm[Any, Any]:
    """The algorithm of this name, imported on first use.

    Raises CompileError for an unknown name.
    """
    if name not in ALGORITHMS:
        known, close = ", ".join(ALGORITHMS), did_you_mean(name, ALGORITHMS)
        raise CompileError(f"no algorithm is called '{name}'; there are {known}{close}")
    return import_module(ALGORITHMS[name]).ALGORITHM
