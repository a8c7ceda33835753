"""Weights of which a call reads only some elements, such as a table of embeddings."""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.dev import LaunchOp
from devproc.dialects.nn.constant import WeightOp
from devproc.ir.functions import function_named, ops_of
from devproc.ir.host.lifetimes import readers_of


def picked_weights(module: ModuleOp) -> tuple[str, ...]:
    """The weights that kernels read element by element alone, at indices of a run.

    The module is at stage `kernels`.
    """
    found: dict[str, bool] = {}
    for op in ops_of(module, "main"):
        if isinstance(op, WeightOp):
            readers = readers_of(op.results[0])
            picked = all(_picks(module, reader, place) for reader, place in readers)
            name = op.weight_name
            found[name] = found.get(name, True) and picked and bool(readers)
    return tuple(name for name, picked in found.items() if picked)


def _picks(module: ModuleOp, reader: Operation, place: int) -> bool:
    """Whether a launch only extracts elements of an operand."""
    if not isinstance(reader, LaunchOp):
        return False
    kernel = function_named(module, reader.kernel.root_reference.data)
    if kernel is None or kernel.is_declaration:
        return False
    argument: SSAValue = kernel.body.block.args[place]
    users = [use.operation for use in argument.uses]
    return bool(users) and all(isinstance(op, tensor.ExtractOp) for op in users)
