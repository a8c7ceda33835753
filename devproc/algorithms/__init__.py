"""The algorithms that compute kernels, a package for each: `devproc.algorithms.<name>`.

An algorithm is asked in the order of `ALGORITHMS`; the first that takes a nest gets it. A
package holds `ALGORITHM`, a `base.Algorithm`, and usually

- `layout.py`: the layout of a weight, and when it fits;
- `plan.py`: a nest and a target to a schedule, or to the reason why not; makes no ops;
- `expand.py`: a nest and its schedule to loops; decides nothing.

The name of an algorithm is that of its schedules: `strassen` expands `#sched.strassen`.
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
        # Kernels that one algorithm takes whole.
        *("attention", "bottleneck"),
        # Products: by a layout of their own, then by panels, then as they are.
        *("winograd", "winograd_line", "inner_product", "strassen", "block_float"),
        *("register_tile", "pixel_tile", "resample"),
        # Rows before vectors: the latter take any reduction along its outputs.
        *("rows", "padding", "channels", "row_parts", "vectors"),
        *("nms", "scan", "scatter", "sort"),
        # Takes every structured op, one element at a time.
        "elements",
    )
}
"""The algorithms of the CPU in the order in which they are asked: name -> module."""

GPU_ALGORITHMS: dict[str, str] = {
    name: f"{__name__}.{name}"
    for name in (
        # Blocks take whatever the others leave.
        *("block_tile", "block_rows", "block_scan", "block_transpose", "blocks"),
    )
}
"""The same of the GPU."""

ALGORITHMS: dict[str, str] = CPU_ALGORITHMS | GPU_ALGORITHMS


@cache
def algorithm(name: str) -> Algorithm[Any, Any]:
    """The algorithm of this name, loaded when it is first asked for.

    Raises CompileError for an unknown name.
    """
    if name not in ALGORITHMS:
        known, close = ", ".join(ALGORITHMS), did_you_mean(name, ALGORITHMS)
        raise CompileError(f"no algorithm is called '{name}'; there are {known}{close}")
    return import_module(ALGORITHMS[name]).ALGORITHM
