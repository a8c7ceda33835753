"""Runs an exported program in PyTorch and records the value of each node."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.fx import Interpreter, Node
from xdsl.ir import Operation, SSAValue

from devproc.errors import InputError
from devproc.frontends.torch_export.complex.complex_parts import parts_of
from devproc.frontends.torch_export.graph.builder import Complex
from devproc.frontends.torch_export.graph.locations import node_location, value_name
from devproc.frontends.torch_export.graph.source import exported_program, functional
from devproc.frontends.torch_export.importer import Result, import_program
from devproc.ir.text.location import describe_location
from devproc.ir.types import tensor_of
from devproc.reference.conversion.tensors import torch_dtype
from devproc.runtime.calls.interface import Interface
from devproc.runtime.execution.host_reader import interface_of

Identity: TypeAlias = tuple[str, str, torch.dtype, torch.Size]
"""Identifies a value of the IR and its node: name, source line, dtype and shape."""


@dataclass(frozen=True)
class Evaluation:
    """The values that PyTorch computes for some inputs."""

    values: dict[Identity, torch.Tensor]
    """Values whose identity is unique."""
    outputs: list[torch.Tensor]
    """In the order of the program's interface."""

    def match(self, ops: Iterable[Operation]) -> dict[SSAValue, torch.Tensor]:
        """PyTorch's values for results of these ops, where the identity is unique."""
        found: dict[Identity, list[SSAValue]] = {}
        for op in ops:
            for result in op.results:
                type_ = tensor_of(result)
                key = (
                    result.name_hint or "",
                    describe_location(op.location),
                    torch_dtype(type_.element_type),
                    torch.Size(type_.get_shape()),
                )
                found.setdefault(key, []).append(result)
        return {
            results[0]: self.values[key]
            for key, results in found.items()
            if len(results) == 1 and key in self.values
        }


def evaluate_exported(
    source: ExportedProgram | str | Path,
    interface: Interface,
    inputs: Sequence[torch.Tensor],
    trust_pickle: bool = False,
) -> Evaluation:
    """Runs the graph of an exported program with this interface.

    Raises InputError if its inputs or outputs differ from the interface.
    """
    source = exported_program(source, trust_pickle)
    imported = import_program(source, "main")
    theirs = interface_of(imported.function)
    if theirs != interface:
        listed = "; ".join(map(str, (*theirs.inputs, *theirs.outputs)))
        raise InputError(
            "the exported program is not the one that this program comes from: it has "
            f"the inputs and outputs {listed}"
        )
    program = functional(source, [])
    run = _Recorder(program)
    with torch.no_grad():
        flat: Any = run.run(*_arguments(program, inputs))
    # The graph's outputs begin with mutated state, which is not returned to the user.
    leaves = [
        value
        for value, spec in zip(flat, program.graph_signature.output_specs, strict=True)
        if spec.kind == OutputKind.USER_OUTPUT
    ]
    outputs: dict[int, torch.Tensor] = {}
    for leaf, value in zip(imported.output_leaves, leaves, strict=True):
        if isinstance(leaf, Result):
            outputs.setdefault(leaf.index, value)
    unique = {key: found[0] for key, found in run.found.items() if len(found) == 1}
    return Evaluation(unique, [outputs[i] for i in range(len(outputs))])


class _Recorder(Interpreter):
    """PyTorch's graph interpreter, recording the result of each call."""

    def __init__(self, program: ExportedProgram) -> None:
        super().__init__(program.graph_module)
        self.found: dict[Identity, list[torch.Tensor]] = {}

    def run_node(self, n: Node) -> Any:
        """The value of a node."""
        value = super().run_node(n)
        if n.op == "call_function" and isinstance(value, torch.Tensor):
            where = describe_location(node_location(n))
            value = value.detach()
            whole = Complex(value.real, value.imag) if value.is_complex() else value
            for part, name in parts_of(whole, n.name):
                # A later in-place update must not affect the recorded value.
                kept = part.clone()
                key = (value_name(name), where, kept.dtype, kept.shape)
                self.found.setdefault(key, []).append(kept)
        return value


def _arguments(program: ExportedProgram, inputs: Sequence[torch.Tensor]) -> list[Any]:
    """The arguments of the graph: state, then inputs and fixed Python values."""
    state: dict[str, Any] = {**program.constants, **program.state_dict}
    rest = iter(inputs)
    arguments: list[Any] = []
    for spec in program.graph_signature.input_specs:
        if spec.kind != InputKind.USER_INPUT:
            arguments.append(state.get(str(spec.target)))
        elif isinstance(spec.arg, ConstantArgument):
            arguments.append(spec.arg.value)
        else:
            # The graph may write to an input.
            arguments.append(next(rest).clone())
    return arguments
