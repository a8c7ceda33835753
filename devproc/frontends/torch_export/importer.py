"""Imports a `torch.export` program as a function of `nn` ops and a table of weights.

The tables of the families hold an import rule for each ATen operator. The importer binds
parameters, buffers, constants and inputs, walks the graph in order, checks every result
against the type that the exporter recorded, and reports all problems at once.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    OutputKind,
    TensorArgument,
)
from torch.fx import Node
from torch.utils._pytree import TreeSpec
from xdsl.dialects.builtin import ArrayAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Region, SSAValue

from devproc.errors import Problem, UnsupportedError
from devproc.frontends.torch_export.families.checks import checks_of
from devproc.frontends.torch_export.graph.builder import Complex
from devproc.frontends.torch_export.graph.known_numbers import with_known_numbers
from devproc.frontends.torch_export.graph.moving_slices import (
    moving_slices_as_indices,
)
from devproc.frontends.torch_export.graph.parameters import Parameters
from devproc.frontends.torch_export.graph.problems import mutated_state
from devproc.frontends.torch_export.graph.source import exported_program, functional
from devproc.frontends.torch_export.graph.spec_names import leaf_names
from devproc.frontends.torch_export.host_calls import check_fallback
from devproc.frontends.torch_export.nodes import NodeImporter
from devproc.frontends.torch_export.states import States
from devproc.ir.program.state import name_attributes, state_attributes
from devproc.ir.types import AnyTensor, memory_dtype_name, tensor_of
from devproc.ir.weights.table import KnownHashes, WeightTable


@dataclass(frozen=True)
class Argument:
    """A leaf of the inputs or outputs that is input `index` of the function."""

    index: int


@dataclass(frozen=True)
class Result:
    """A leaf of the outputs that is result `index` of the function."""

    index: int


@dataclass(frozen=True)
class Constant:
    """A leaf that is a Python value, fixed at export: an int, a str, None..."""

    value: object


InputLeaf: TypeAlias = Argument | Constant
OutputLeaf: TypeAlias = Argument | Result | Constant


@dataclass(frozen=True)
class ImportedProgram:
    """A model as a function of `nn` ops, its weights, and its calling convention."""

    function: FuncOp
    """`func.func private` with the tensor inputs and results only; not in a module."""
    weights: WeightTable
    input_names: tuple[str, ...]
    """Names of the function's inputs."""
    output_names: tuple[str, ...]
    """Names of the function's results."""
    in_spec: TreeSpec
    """Structure of `(args, kwargs)`."""
    out_spec: TreeSpec
    """Structure of the return value."""
    input_leaves: tuple[InputLeaf, ...]
    """The leaves of `in_spec`; a `Constant` must be given as it was exported."""
    output_leaves: tuple[OutputLeaf, ...]
    """The leaves of `out_spec`; an input that is returned unchanged has no result."""
    states: tuple[str, ...] = ()
    """Buffers that the model writes to: they follow the other arguments and results."""

    @property
    def input_types(self) -> tuple[AnyTensor, ...]:
        """Types of the function's inputs."""
        return tuple(tensor_of(value) for value in self.function.body.block.args)

    @property
    def state_types(self) -> Mapping[str, AnyTensor]:
        """The type of each state."""
        own = self.input_types[len(self.input_names) :]
        return dict(zip(self.states, own, strict=True))

    @property
    def output_types(self) -> tuple[AnyTensor, ...]:
        """Types of the function's results."""
        last = self.function.body.block.last_op
        assert isinstance(last, ReturnOp)
        return tuple(tensor_of(value) for value in last.arguments)


def import_program(
    source: ExportedProgram | str | Path,
    function_name: str = "model",
    fallback: str | None = None,
    borrow: bool = False,
    known: KnownHashes | None = None,
    trust_pickle: bool = False,
) -> ImportedProgram:
    """Imports an exported program, or the one in a `.pt2` file, which may run code while
    it is loaded only with `trust_pickle`.

    With `fallback="torch"`, operators without an import rule become calls of PyTorch. With
    `borrow`, weights share the memory of the program's tensors, which must not be written
    to meanwhile; `known` are content hashes of that memory.

    Raises UnsupportedError with the complete list of problems, BundleError for a file that
    cannot be loaded.
    """
    check_fallback(fallback)
    given = exported_program(source, trust_pickle)
    problems: list[Problem] = []
    program = functional(given, problems)
    copy = not borrow and given is source
    importer = _Import(program, problems, copy, fallback, known)
    return importer.run(function_name)


class _Import:
    """One import: binds the inputs, imports the nodes, collects the outputs."""

    def __init__(
        self,
        program: ExportedProgram,
        problems: list[Problem],
        copy: bool,
        fallback: str | None,
        known: KnownHashes | None,
    ):
        self.program = program
        self.problems = problems
        self.weights = WeightTable(known)
        module = with_known_numbers(program, self.problems)
        self.graph = module.graph
        self.nodes = NodeImporter(module, self.weights, self.problems, fallback)
        self.parameters = Parameters(program, self.problems, copy)
        self.input_leaves: list[InputLeaf] = []
        self.input_names: list[str] = []
        self.states = States(program, self.nodes, self.parameters, self.problems)

    def run(self, function_name: str) -> ImportedProgram:
        """The imported program; raises UnsupportedError."""
        graph = self.graph
        placeholders = [n for n in graph.nodes if n.op == "placeholder"]
        specs = self.program.graph_signature.input_specs
        for node, spec in zip(placeholders, specs, strict=True):
            self._bind_input(node, spec)
        self.states.bind(self.weights)
        moving_slices_as_indices(graph)
        self.nodes.checks = checks_of(graph)
        for node in graph.nodes:
            if node.op not in ("placeholder", "output"):
                self.nodes.run(node)
        results, leaves = self._outputs(graph.output_node())
        if self.problems:
            raise UnsupportedError(self.problems)
        out_spec = self.program.call_spec.out_spec
        in_spec = self.program.call_spec.in_spec
        assert in_spec is not None
        assert out_spec is not None
        names = _result_names(leaves, leaf_names(out_spec), len(results))
        return ImportedProgram(
            self._function(function_name, results, names),
            self.weights,
            tuple(self.input_names),
            names,
            in_spec,
            out_spec,
            tuple(self.input_leaves),
            tuple(leaves),
            tuple(self.states.names),
        )

    def _bind_input(self, node: Node, spec: InputSpec) -> None:
        if spec.kind == InputKind.USER_INPUT:
            self._bind_user_input(node, spec)
        elif self.states.claim(node, spec):
            return
        elif spec.kind in TENSORS:
            self.nodes.bind_parameter(node, self.parameters, spec)
        elif node.users:
            what = f"input '{node.name}' of kind {spec.kind.name}"
            why = "only tensors, parameters and buffers can enter a program"
            remedy = "export the model without it"
            self.problems.append(Problem(what, "graph signature", why, remedy))

    def _bind_user_input(self, node: Node, spec: InputSpec) -> None:
        if isinstance(spec.arg, ConstantArgument):
            self.input_leaves.append(Constant(spec.arg.value))
            self.nodes.values[node] = spec.arg.value
            return
        self.input_leaves.append(Argument(len(self.input_names)))
        self.input_names.append(node.name)
        self.nodes.bind_input(node)

    def _outputs(self, output: Node) -> tuple[list[SSAValue], list[OutputLeaf]]:
        """The function's results, without duplicates, and the output leaves."""
        results: list[SSAValue] = []
        leaves: list[OutputLeaf] = []
        flat: Sequence[Any] = output.args[0]  # pyright: ignore
        specs = self.program.graph_signature.output_specs
        for spec, given in zip(specs, flat, strict=True):
            if spec.kind == OutputKind.BUFFER_MUTATION:
                self.states.update(str(spec.target), self.nodes.value_of(given))
            elif spec.kind in MUTATIONS:
                kind = MUTATIONS[spec.kind]
                self.problems.append(mutated_state(str(spec.target), kind))
            elif isinstance(spec.arg, TensorArgument):
                leaves.append(self._output_leaf(self.nodes.value_of(given), results))
            else:
                # A number that constants determine is part of the graph itself.
                leaves.append(Constant(getattr(spec.arg, "value", given)))
        return results, leaves

    def _output_leaf(self, value: Any, results: list[SSAValue]) -> OutputLeaf:
        if isinstance(value, BlockArgument) and value.index < len(self.input_names):
            return Argument(value.index)
        if isinstance(value, Complex):
            name = memory_dtype_name(value.type.element_type)
            why = f"{name} cannot leave the program"
            remedy = "return torch.view_as_real(value)"
            where = f"output {len(results)}"
            self.problems.append(Problem(where, "graph signature", why, remedy))
            return Constant(None)
        if not isinstance(value, SSAValue):
            return Constant(None)  # The problem of its node is already reported.
        if value not in results:
            results.append(value)
        return Result(results.index(value))

    def _function(
        self, name: str, results: Sequence[SSAValue], result_names: Sequence[str]
    ) -> FuncOp:
        block = self.nodes.builder.block
        returned = [*results, *self.states.next_values()]
        block.add_op(ReturnOp(*returned))
        states = [state_attributes(state) for state in self.states.names]
        return FuncOp(
            name,
            ([a.type for a in block.args], [r.type for r in returned]),
            Region(block),
            visibility="private",
            arg_attrs=ArrayAttr([*map(name_attributes, self.input_names), *states]),
            res_attrs=ArrayAttr([*map(name_attributes, result_names), *states]),
        )


TENSORS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
"""Inputs that can be weights."""

MUTATIONS = {
    OutputKind.USER_INPUT_MUTATION: "input",
    OutputKind.PARAMETER_MUTATION: "parameter",
}
"""Mutations other than those of buffers; programs with them are not compiled."""


def _result_names(
    leaves: Sequence[OutputLeaf], names: Sequence[str], count: int
) -> tuple[str, ...]:
    """The name of each result: that of its first leaf."""
    found = [f"output_{i}" for i in range(count)]
    for leaf, name in reversed(list(zip(leaves, names, strict=True))):
        if isinstance(leaf, Result):
            found[leaf.index] = name
    return tuple(found)
