"""The table of states: how a call updates each of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue

from devproc.dialects.plan import LaunchOp
from devproc.ir.dtypes import ITEM_SIZES, element_count, format_shape
from devproc.ir.functions import function_named
from devproc.ir.host.lifetimes import memory_root
from devproc.ir.program.repeat import repetition_of
from devproc.ir.program.state import TWO_PLACES, is_in_place, state_name
from devproc.report.optional_tables import State, StateTable
from devproc.runtime.calls.interface import TensorSpec
from devproc.transforms.host.repeat_segments import why_not_native


def read_states(module: ModuleOp, specs: Sequence[TensorSpec]) -> StateTable:
    """These states of a module at stage `buffers`."""
    main = function_named(module, "main")
    assert main is not None
    writers: dict[SSAValue, list[str]] = {}
    for op in main.body.block.ops:
        if isinstance(op, LaunchOp):
            name = f"@{op.kernel.root_reference.data}"
            for value in op.outputs:
                writers.setdefault(memory_root(value), []).append(name)
    updates: dict[str | None, tuple[bool, str]] = {}
    for value, row in zip(main.body.block.args, main.arg_attrs or (), strict=False):
        why, kernels = row.data.get(TWO_PLACES), writers.get(value, ())
        how = f"in place by {', '.join(dict.fromkeys(kernels))}" if kernels else "none"
        if isinstance(why, StringAttr):
            how = f"two places: {why.data}"
        updates.setdefault(state_name(row), (is_in_place(row), how))
    rows = (
        State(
            *(spec.name, f"{spec.dtype} {format_shape(spec.shape)}"),
            element_count(spec.shape) * ITEM_SIZES[spec.dtype],
            *updates[spec.name],
        )
        for spec in specs
    )
    return StateTable(tuple(rows), _repeated(module))


def _repeated(module: ModuleOp) -> str:
    found = repetition_of(module)
    if found is None:
        return ""
    why = why_not_native(module)
    by = "a native loop" if why is None else f"the runtime, since {why}"
    return f"up to {found.at_most} calls in a row by {by}"
