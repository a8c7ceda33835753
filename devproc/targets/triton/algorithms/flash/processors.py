"""The GPU that code is made for: its generation, and how many programs it runs at once."""

from __future__ import annotations

import re

from devproc.dialects.dev import TargetAttr
from devproc.targets.triton.dialect import GPUAttr

PROCESSORS = {80: 108, 90: 132, 100: 148}
"""Compute capability -> multiprocessors of its largest GPU."""

USUAL_PROCESSORS = 80


def capability_of(target: TargetAttr) -> int:
    """The compute capability that code is made for: 90 for `sm_90`."""
    own = [o for o in target.options.data.values() if isinstance(o, GPUAttr)]
    options = own[0] if own else GPUAttr.get()
    found = re.search(r"\d+", options.arch.data)
    return int(found[0]) if found else 0


def processors_of(target: TargetAttr) -> int:
    """The multiprocessors of the GPU that code is made for."""
    return PROCESSORS.get(capability_of(target), USUAL_PROCESSORS)
