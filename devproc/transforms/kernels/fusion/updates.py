"""Updates that a scatter alone reads, in its kernel."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from devproc.dialects.dev import byte_size, device_of
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.ir.devices import HOST
from devproc.ir.program.structured import FAMILY
from devproc.transforms.buffers.kernel_memory import STACK_LIMIT
from devproc.transforms.kernels.fusion.groups import Group


def join_updates(units: Mapping[Group, list[Operation]]) -> None:
    """Give the units of pointwise groups on the CPU the scatter that alone reads their
    results, if those are small: they stay on the stack of the kernel, as the row of a cache
    that a decode step makes and stores.
    """
    for group, ops in units.items():
        scatter = reader_of(group, ops)
        if scatter is not None:
            for op in ops:
                op.attributes.pop(FAMILY, None)
            ops.append(scatter)


def reader_of(group: Group, ops: list[Operation]) -> ScatterOp | None:
    """The scatter that a unit can take; None if there is none."""
    last = ops[-1]
    if len(last.results) != 1 or not last.results[0].has_one_use():
        return None
    (value,) = last.results
    scatter = next(iter(value.uses)).operation
    is_taken = (
        isinstance(scatter, ScatterOp)
        and scatter.updates is value
        and device_of(value.type) == HOST
        and byte_size(value.type) <= STACK_LIMIT
        and group.family in ("pointwise", "gather")
    )
    return scatter if is_taken else None
