"""What an algorithm for kernels is, and the algorithms of all devices by name.

A device says its algorithms in the order in which they are tried (`Backend.algorithms`);
the first that accepts a nest computes it. Each is a package that defines `ALGORITHM`, a
`base.Algorithm`, and usually contains

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

from devproc.backend.installed import backends
from devproc.errors import CompileError, did_you_mean

if TYPE_CHECKING:
    from devproc.algorithms.base import Algorithm


@cache
def module_of(name: str) -> str:
    """The package of an algorithm; raises CompileError for an unknown name."""
    known: dict[str, str] = {}
    for device in backends().values():
        known |= device.algorithms
    if name not in known:
        names, close = ", ".join(known), did_you_mean(name, known)
        raise CompileError(f"no algorithm is called '{name}'; there are {names}{close}")
    return known[name]


@cache
def algorithm(name: str) -> Algorithm[Any, Any]:
    """The algorithm of this name, imported on first use.

    Raises CompileError for an unknown name.
    """
    return import_module(module_of(name)).ALGORITHM
