"""The launches of kernels in the host program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr

from devproc.dialects.plan import LaunchOp
from devproc.ir.host.lifetimes import number_steps, steps_of
from devproc.ir.program.kernel_modules import device_of_code


def launches_by_kernel(module: ModuleOp) -> defaultdict[str, list[LaunchOp]]:
    """The launches of each kernel by name, including those in loops."""
    found: defaultdict[str, list[LaunchOp]] = defaultdict(list)
    for function in module.ops:
        if device_of_code(function) is not None:
            continue
        for op in function.walk():
            if isinstance(op, LaunchOp):
                found[op.kernel.root_reference.data].append(op)
    return found


def relaunch(launch: LaunchOp, names: Sequence[str]) -> None:
    """Replace a launch with launches of these kernels, in one step of the plan."""
    block = launch.parent_block()
    assert block is not None
    for step in steps_of(block):
        number_steps(step.op, step.first, step.last)
    for name in names:
        copy = launch.clone()
        copy.properties["kernel"] = SymbolRefAttr(name)
        block.insert_op_before(copy, launch)
    block.erase_op(launch)
