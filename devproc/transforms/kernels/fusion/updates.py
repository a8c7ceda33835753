"""Updates that a scatter alone reads, in its kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from devproc.dialects.dev import byte_size, device_of
from devproc.dialects.linalg_ext.sequential import ScatterOp
from devproc.ir.devices import HOST
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.program.structured import FAMILY, Generic, is_parallel
from devproc.transforms.buffers.kernel_memory import STACK_LIMIT
from devproc.transforms.kernels.fusion.groups import Group, reads


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


def reader_of(group: Group, ops: Sequence[Operation]) -> ScatterOp | None:
    """The scatter that a unit can take; None if there is none.

    One that updates what the unit reads stays apart: it can then do so in place.
    """
    loops = [op for op in ops if isinstance(op, Generic)]
    if group.family not in ("pointwise", "gather") or len(loops) != 1:
        return None
    (op,) = loops
    if not all(is_parallel(op)) or len(op.results) != 1:
        return None
    (value,) = op.results
    scatter = next((use.operation for use in value.uses), None)
    if (
        not isinstance(scatter, ScatterOp)
        or scatter.updates is not value
        or not value.has_one_use()
        or device_of(value.type) != HOST
        or byte_size(value.type) > STACK_LIMIT
    ):
        return None
    target = memory_root(scatter.target)
    return None if target in map(memory_root, reads(op)) else scatter
