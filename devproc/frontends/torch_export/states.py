"""Buffers that the model writes to: the states of the program."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec
from torch.fx import Node
from xdsl.ir import SSAValue

from devproc.errors import Problem
from devproc.frontends.torch_export.graph.parameters import Parameters
from devproc.frontends.torch_export.nodes import NodeImporter
from devproc.ir.weights.table import WeightTable
from devproc.reference.conversion.arrays import name_of, to_numpy


class States:
    """Binds mutated buffers to arguments after the inputs, and collects their new values.

    A buffer that is only read is a weight.
    """

    def __init__(
        self,
        program: ExportedProgram,
        nodes: NodeImporter,
        parameters: Parameters,
        problems: list[Problem],
    ):
        self._program = program
        self._nodes = nodes
        self._parameters = parameters
        self._problems = problems
        self._written = set(program.graph_signature.buffers_to_mutate.values())
        self._claimed: list[tuple[Node, InputSpec]] = []
        self._updates: dict[str, Any] = {}
        self.names: list[str] = []
        """The states in the order of their arguments and results."""

    def claim(self, node: Node, spec: InputSpec) -> bool:
        """Whether an input of the graph is a state; `bind` binds it after the inputs."""
        if spec.kind != InputKind.BUFFER or spec.target not in self._written:
            return False
        self._claimed.append((node, spec))
        return True

    def bind(self, weights: WeightTable) -> None:
        """Adds an argument and an initial value for each state."""
        for node, spec in self._claimed:
            name = str(spec.target)
            found = self._parameters.find(spec)
            others = ", ".join(self._sharing(name))
            if others:
                why = f"the program writes to it, and it shares memory with {others}"
                remedy = "give each buffer memory of its own (.clone())"
                where = "state of the exported program"
                self._problems.append(Problem(f"buffer '{name}'", where, why, remedy))
            if found is None:
                continue
            self.names.append(name)
            self._nodes.bind_input(node)
            weights.add(name, to_numpy(found[1]), name_of(found[1].dtype))

    def update(self, name: str, value: Any) -> None:
        """Records the value of a state after the call."""
        self._updates[name] = value

    def next_values(self) -> list[SSAValue]:
        """The value of each state after the call."""
        return [self._updates[name] for name in self.names]

    def _sharing(self, name: str) -> list[str]:
        """Names of other tensors of the program that share memory with a buffer."""
        tensors: dict[str, Any] = {
            **self._program.constants,
            **self._program.state_dict,
        }
        mine = _storage(tensors.get(name))
        return [
            f"'{other}'"
            for other, tensor in tensors.items()
            if other != name and mine is not None and _storage(tensor) == mine
        ]


def _storage(tensor: object) -> int | None:
    """The address of a tensor's memory; None if it has none."""
    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided:
        return None
    return tensor.untyped_storage().data_ptr() or None
