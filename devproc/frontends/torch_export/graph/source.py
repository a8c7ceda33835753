"""The exported program to import: loaded from its file, functionalized if needed."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Graph, Node

from devproc.errors import BuildError, BundleError, Problem
from devproc.frontends.torch_export.graph.archive import CodeInArchive, check_archive
from devproc.frontends.torch_export.graph.locations import node_location
from devproc.frontends.torch_export.graph.problems import written_constant
from devproc.ir.text.location import describe_location
from devproc.runtime.bundles.files import EXPORTED, kind_of

SILENT_ALIASES = ("aten::atleast_1d", "aten::atleast_2d", "aten::type_as")
"""Operators that may return their operand, in addition to those with a tag for it."""

DROPOUTS = (
    "aten::dropout_",
    "aten::alpha_dropout_",
    "aten::feature_dropout_",
    "aten::feature_alpha_dropout_",
)
"""Operators `(self, p, train)` that write only in training."""


def exported_program(source: object, trust_pickle: bool = False) -> ExportedProgram:
    """The program itself, or the one saved in a `.pt2` file.

    With `trust_pickle`, a file may run code while it is loaded. Raises BundleError for a
    file that is missing, damaged, or would run code, BuildError for a source of another
    kind.
    """
    if isinstance(source, ExportedProgram):
        return source
    if not isinstance(source, str | Path):
        raise BuildError(f"cannot import {_why_not(source)}")
    path = Path(source)
    kind = kind_of(path)
    if kind is not None and kind is not EXPORTED:
        raise BundleError(
            f"'{path}' is {kind.what}, not a torch.export program (.pt2); {kind.remedy}"
        )
    if not path.is_file():
        raise BundleError(f"no file '{path}'; write it with torch.export.save")
    try:
        check_archive(path, trust_pickle)
        # Registers the operators of integer models, which the file may name.
        import_module("devproc.quantized")
        return torch.export.load(path)
    except CodeInArchive as error:
        raise BundleError(
            f"'{path}' could run code as it is loaded: {error}; if you trust where the "
            "file comes from, load it with trust_pickle=True, else export the model with "
            "inputs and state that are tensors and plain values"
        ) from error
    except MemoryError as error:
        raise BundleError(f"cannot load '{path}': it needs more memory") from error
    # The loader raises whatever its parts raise: zip, JSON, pickle, KeyError, ...
    except Exception as error:
        raise BundleError(
            f"'{path}' is not a complete torch.export program (.pt2): "
            f"{type(error).__name__}: {first_line(error, '')}; save it again with torch.export.save, "
            f"with PyTorch {torch.__version__} or older"
        ) from error


def _why_not(source: object) -> str:
    """Describes an object that is not a program, and how to get a program from it."""
    export = "torch.export.export(model.eval(), (example_input,))"
    name = type(source).__name__
    if isinstance(source, type):
        return f"the class {source.__name__}: make a module of it, then call {export}"
    if isinstance(source, torch.jit.ScriptModule):
        remedy = f"for the module that it was made from, call {export}"
        return f"a {name}: TorchScript is not read; {remedy}"
    if isinstance(source, Mapping):
        remedy = f"load it with model.load_state_dict, then call {export}"
        return f"a dict ({name}): weights without a model; {remedy}"
    if name == "Program":
        return "a Program: it is compiled already; call it"
    return (
        f"a {name}: the only model entry is a torch.export program; give what "
        f"{export} returns"
    )


def functional(program: ExportedProgram, problems: list[Problem]) -> ExportedProgram:
    """The program without in-place updates that are visible to other nodes.

    The exporter keeps `relu_` and the like. Where the updated value has no other reader,
    it is imported as a pure op; otherwise PyTorch's functionalization runs, which costs a
    second trace. That also resolves autocast regions, which the graph only names.
    """
    modules: list[Any] = [
        m for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)
    ]
    if all(is_functional(module.graph) for module in modules):
        return program
    orders = [_positions(module.graph) for module in modules]
    problems += [p for order in orders for n in order if (p := _hidden(n, order))]
    constants = _written_constants(program)
    if constants:
        problems += constants
        return program
    try:
        # An empty table decomposes no operator.
        return program.run_decompositions({})
    except MemoryError:
        raise
    except Exception as error:
        # Obstacles such as control flow are reported node by node, but an update that
        # stays in place must not be imported as a pure op.
        problems += [
            _unresolved(node, error)
            for order in orders
            for node in order
            if is_in_place(node) and not _is_sole_owner(node, order)
        ]
        return program


def _written_constants(program: ExportedProgram) -> list[Problem]:
    """A problem for each constant that the program writes to."""
    placeholders = program.graph.find_nodes(op="placeholder")
    specs = dict(zip(placeholders, program.graph_signature.input_specs, strict=True))
    found: dict[str, Problem] = {}
    for node in program.graph.nodes:
        owner: Any = node.args[0] if is_in_place(node) else None
        while isinstance(owner, Node) and owner.op == "call_function":
            shows_operand = owner.args and (is_in_place(owner) or _may_alias(owner))
            owner = owner.args[0] if shows_operand else None
        spec = specs.get(owner)
        if spec is None or spec.kind != InputKind.CONSTANT_TENSOR:
            continue
        name = str(spec.target)
        where = describe_location(node_location(node))
        operator = str(node.target).split(".")[1]
        buffer = _buffer_in_memory_of(program, name)
        value = owner.meta["val"]
        found.setdefault(name, written_constant(name, value, where, operator, buffer))
    return list(found.values())


def _buffer_in_memory_of(program: ExportedProgram, name: str) -> str | None:
    """The buffer that shares memory with a constant."""
    constant = program.constants.get(name)
    if not isinstance(constant, torch.Tensor):
        return None
    memory = constant.untyped_storage().data_ptr()
    for buffer in program.graph_signature.buffers:
        value = program.state_dict.get(buffer)
        if value is not None and value.untyped_storage().data_ptr() == memory != 0:
            return buffer
    return None


def _unresolved(node: Node, error: Exception) -> Problem:
    return Problem(
        str(node.target),
        describe_location(node_location(node)),
        "other nodes see this update in place, and PyTorch could not make the program"
        f" functional: {first_line(error)}",
        "use the form of the operator that is not in place, and give each buffer memory"
        " of its own (.clone())",
    )


def first_line(error: Exception, default: str | None = None) -> str:
    """The first line of an error's message; by default the error's class if it is empty."""
    given = type(error).__name__ if default is None else default
    return (str(error).strip().splitlines() or [given])[0]


def is_functional(graph: Graph) -> bool:
    """Whether no in-place update is visible to another node."""
    order = _positions(graph)
    return all(_is_pure(node, order) for node in order)


def _positions(graph: Graph) -> dict[Node, int]:
    return {node: position for position, node in enumerate(graph.nodes)}


def _hidden(node: Node, order: dict[Node, int]) -> Problem | None:
    """The problem of writing to the result of an operator that may return its operand
    without declaring it, while the operand is still read: functionalization treats the
    result as a copy, unlike eager PyTorch.
    """
    written = node.args[0] if is_in_place(node) else None
    if not isinstance(written, Node) or not _is_silent_alias(written):
        return None
    source = written
    while isinstance(source, Node) and _is_silent_alias(source):
        source = source.args[0]
    if not isinstance(source, Node) or _last_use(source, order) < order[node]:
        return None
    name = str(written.target).split(".")[1]
    return Problem(
        str(node.target),
        describe_location(node_location(node)),
        f"{name} may share memory with its operand, which is used again after this "
        "update",
        "use the form of the operator that is not in place",
    )


def _is_pure(node: Node, order: dict[Node, int]) -> bool:
    if node.op != "call_function":
        return True
    if isinstance(node.target, HigherOrderOperator):
        return node.target.name() != "wrap_with_autocast"
    if not is_in_place(node):
        return True
    return _updates_first(node) and _is_sole_owner(node, order)


def _updates_first(node: Node) -> bool:
    """Whether an in-place operator is of the form `name_`, which updates its first
    operand, not `name.out` or `__iname__`.
    """
    name = str(node.target).split(".")[1]
    return name.endswith("_") and not name.startswith("__")


def is_in_place(node: Node) -> bool:
    """Whether the node writes to an operand (`detach_` does not write elements)."""
    return (
        isinstance(node.target, OpOverload)
        and node.target._schema.is_mutable  # pyright: ignore[reportPrivateUsage]
        and node.target.name() != "aten::detach_"
        and not _is_dropout_of_inference(node, node.target)
    )


def _is_dropout_of_inference(node: Node, target: OpOverload) -> bool:
    """Whether the node is a disabled dropout, which returns its operand."""
    train = node.args[2] if len(node.args) > 2 else node.kwargs.get("train", True)
    return target.name() in DROPOUTS and train is False


def _last_use(node: Node, order: dict[Node, int]) -> int:
    return max(order[user] for user in node.users)


def _is_sole_owner(node: Node, order: dict[Node, int]) -> bool:
    """Whether no other node sees what an in-place node writes: its operand is a fresh
    value of this graph, and all other users come before it.
    """
    operand = node.args[0]
    if not isinstance(operand, Node) or not _is_fresh(operand, order):
        return False
    written = operand.meta["val"]
    # The pure op would have the common dtype of all operands.
    if any(
        torch.result_type(written, other.meta["val"]) != written.dtype
        for other in node.all_input_nodes
    ):
        return False
    return all(
        order[user] < order[node]
        and user.op == "call_function"
        and not _may_alias(user)
        for user in operand.users
        if user is not node
    )


def _is_fresh(node: Node, order: dict[Node, int]) -> bool:
    """Whether a node's result shares memory with no other value."""
    if node.op != "call_function":
        return False
    if is_in_place(node):
        return _is_sole_owner(node, order)
    return not _may_alias(node)


def _may_alias(node: Node) -> bool:
    if not isinstance(node.target, OpOverload):
        return True
    returns = node.target._schema.returns  # pyright: ignore[reportPrivateUsage]
    return any(r.alias_info is not None for r in returns) or _is_silent_alias(node)


def _is_silent_alias(node: Node) -> bool:
    """Whether the result may be the operand although the schema does not declare it."""
    target = node.target
    if not isinstance(target, OpOverload) or target.name() == "aten::batch_norm":
        return False  # batch_norm is tagged for its statistics; the result is new.
    tagged = torch.Tag.maybe_aliasing_or_mutating in target.tags
    return tagged or target.name() in SILENT_ALIASES
