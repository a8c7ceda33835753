"""Writes a program at the `tensor` stage as JSON, its weights as safetensors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from devproc.dialects.nn.constant import WeightOp
from devproc.exchange.attributes import encode_attributes
from devproc.exchange.calling import encode_calling
from devproc.exchange.document import FORMAT, VERSION
from devproc.exchange.locations import encode_location
from devproc.ir.program.state import state_name
from devproc.ir.replacement import replacement
from devproc.ir.text.location import describe_location
from devproc.ir.types import dtype_name, is_known_dtype, tensor_of
from devproc.ir.weights.prepare import prepared_index
from devproc.ir.weights.table import WeightTable
from devproc.runtime.calls.calling import Calling
from devproc.runtime.reading.problems import Problems
from devproc.stages import TENSORS

FUNCTIONS = ("main", "prepare")
"""The functions of a program in JSON."""

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
"""Properties that count operands or results, which JSON lists explicitly."""

DIALECTS = frozenset(name for name in TENSORS if "." not in name) - {"func"}
"""Dialects of ops with a JSON form; ops that PyTorch runs on the host have none."""

OPTIONS = "devproc.target"
"""The attribute of a module that holds the options of one compilation."""

_WIDTH = 100


def write_json(
    module: ModuleOp,
    weights: WeightTable,
    calling: Calling,
    path: Path,
    weights_path: Path | None,
) -> None:
    """Writes a module at the `tensor` stage, and its weights to `weights_path`."""
    document = encode_program(module)
    encoded = encode_calling(calling)
    if weights_path is not None:
        if weights_path.parent.resolve() == path.parent.resolve():
            document["weights_file"] = weights_path.name
        weights.subset(document["weights"]).save(weights_path)
    if encoded is not None:
        document["calling"] = encoded
    with replacement(path) as file:
        file.write(f"{format_json(document)}\n".encode())


def encode_program(module: ModuleOp) -> dict[str, Any]:
    """A module at the `tensor` stage as plain data, in the order of the schema.

    Options of the compilation are omitted. Raises BundleError that names each op and
    attribute without a JSON form.
    """
    from devproc import __version__

    problems = Problems("the program, to be written as JSON,")
    attributes = {n: a for n, a in module.attributes.items() if n != OPTIONS}
    functions: list[dict[str, Any]] = []
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data in FUNCTIONS:
            functions.append(_function(op, problems))
        else:
            problems.add("the module", f"holds '{op.name}' besides @main and @prepare")
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": f"{VERSION[0]}.{VERSION[1]}",
        "producer": f"devproc {__version__}",
        **_attributes(attributes, "the module", problems),
        "weights": weights_of(module),
        "functions": functions,
    }
    problems.check()
    return document


def weights_of(module: ModuleOp) -> dict[str, dict[str, Any]]:
    """The weights that have to be given, by name; results of `@prepare` are excluded.

    The initial values of states are included, without a hash.
    """
    found: dict[str, dict[str, Any]] = {}
    for op in module.walk():
        if isinstance(op, WeightOp) and prepared_index(op.weight_name) is None:
            entry = {**type_entry(op.result), "hash": op.hash.data}
            found[op.weight_name] = entry
        if isinstance(op, FuncOp):
            rows = op.arg_attrs or ()
            for value, row in zip(op.body.block.args, rows, strict=False):
                name = state_name(row)
                if name is not None:
                    found.setdefault(name, type_entry(value))
    return found


def _function(function: FuncOp, problems: Problems) -> dict[str, Any]:
    block = function.body.block
    names = _names(block)
    last = block.last_op
    assert isinstance(last, ReturnOp)
    data: dict[str, Any] = {"name": function.sym_name.data}
    if function.sym_visibility is not None:
        data["visibility"] = function.sym_visibility.data
    place = f"@{function.sym_name.data}"
    data["inputs"] = _inputs(block, function.arg_attrs, names, place, problems)
    data["outputs"] = _ports(last.arguments, function.res_attrs, names, place, problems)
    data["tensors"] = _tensors(names, place, problems)
    data["ops"] = [
        _op(cast(IRDLOperation, op), names, problems)
        for op in block.ops
        if op is not last
    ]
    return data


def _inputs(
    block: Block,
    attributes: ArrayAttr[DictionaryAttr] | None,
    names: Mapping[SSAValue, str],
    place: str,
    problems: Problems,
) -> list[dict[str, Any]]:
    ports = _ports(block.args, attributes, names, place, problems)
    for port, argument in zip(ports, block.args, strict=True):
        port.update(_location(argument.location))
    return ports


def _body(block: Block, place: str, problems: Problems) -> dict[str, Any]:
    """The body of an op: like a function, but with its own terminator."""
    names = _names(block)
    return {
        "inputs": _inputs(block, None, names, place, problems),
        "tensors": _tensors(names, place, problems),
        "ops": [_op(cast(IRDLOperation, op), names, problems) for op in block.ops],
    }


def _tensors(
    names: Mapping[SSAValue, str], place: str, problems: Problems
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for value, name in names.items():
        type_ = value.type
        if (
            isinstance(type_, TensorType)
            and isinstance(type_.encoding, NoneAttr)
            and is_known_dtype(tensor_of(value).element_type)
        ):
            found[name] = type_entry(value)
        else:
            problems.add(place, f"tensor '{name}' has no form in JSON: {type_}")
    return found


def _names(block: Block) -> dict[SSAValue, str]:
    """A unique name for each value of a block: its hint, or its op's with a number, `sub#2`.

    Only generated names contain a `#`, and a reader does not use them as hints.
    """
    names: dict[SSAValue, str] = {}
    used: set[str] = set()
    counts: dict[str, int] = {}
    for value in (*block.args, *(r for op in block.ops for r in op.results)):
        hint = value.name_hint
        stem, mark = hint or _kind(value), "_" if hint else "#"
        # xDSL strips `_<digits>` from the end of a name once: `x_1` would become `x`.
        bare = hint is not None and SSAValue.extract_valid_name(hint) == hint
        name = stem if bare else f"{stem}{mark}1"
        while name in used:
            counts[stem] = counts.get(stem, 0) + 1
            name = f"{stem}{mark}{counts[stem]}"
        used.add(name)
        names[value] = name
    return names


def _kind(value: SSAValue) -> str:
    owner = value.owner
    return owner.name.partition(".")[2] if isinstance(owner, Operation) else "input"


def _ports(
    values: Sequence[SSAValue],
    attributes: ArrayAttr[DictionaryAttr] | None,
    names: Mapping[SSAValue, str],
    place: str,
    problems: Problems,
) -> list[dict[str, Any]]:
    """The inputs or outputs of a function, with their public names."""
    ports: list[dict[str, Any]] = []
    for index, value in enumerate(values):
        port: dict[str, Any] = {"tensor": names[value]}
        own = dict(attributes.data[index].data) if attributes is not None else {}
        name = own.get("dev.name")
        if isinstance(name, StringAttr):
            port["name"] = name.data
            del own["dev.name"]
        ports.append({**port, **_attributes(own, place, problems)})
    return ports


def _op(
    op: IRDLOperation, names: Mapping[SSAValue, str], problems: Problems
) -> dict[str, Any]:
    definition = op.get_irdl_definition()
    place = f"'{op.name}' ({describe_location(op.location)})"
    if op.name.partition(".")[0] not in DIALECTS or op.successors:
        problems.add(place, "has no form in JSON: only nn ops have one")
        return {}
    properties = {n: v for n, v in op.properties.items() if n not in SEGMENTS}
    inputs = _roles(op, [n for n, _ in definition.operands], names)
    data = {
        "kind": op.name,
        **({"inputs": inputs} if inputs else {}),
        **_attributes({**op.attributes, **properties}, place, problems),
        "outputs": _roles(op, [n for n, _ in definition.results], names),
        **({"body": _body(op.regions[0].block, place, problems)} if op.regions else {}),
    }
    return {**data, **_location(op.location)}


def _location(location: LocationAttr) -> dict[str, Any]:
    found = encode_location(location)
    return {} if found is None else {"location": found}


def _roles(
    op: Operation, roles: Sequence[str], names: Mapping[SSAValue, str]
) -> dict[str, str | list[str]]:
    """Role -> name of its tensor, or a list of names; no entry for a missing one."""
    found: dict[str, str | list[str]] = {}
    for role in roles:
        held: SSAValue | Sequence[SSAValue] | None = getattr(op, role)
        if isinstance(held, SSAValue):
            found[role] = names[held]
        elif held is not None:
            found[role] = [names[value] for value in held]
    return found


def _attributes(
    attributes: Mapping[str, Attribute], place: str, problems: Problems
) -> dict[str, Any]:
    """`{"attributes": ...}`, or an empty dict if there are none."""
    try:
        found = encode_attributes(attributes)
    except ValueError as error:
        problems.add(place, str(error))
        return {}
    return {"attributes": found} if found else {}


def type_entry(value: SSAValue) -> dict[str, Any]:
    """Dtype and shape of a tensor as plain data."""
    type_ = tensor_of(value)
    return {"dtype": dtype_name(type_.element_type), "shape": list(type_.get_shape())}


def format_json(value: object, indent: str = "") -> str:
    """JSON text; objects and lists that fit are on one line."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    if len(indent) + len(text) <= _WIDTH or not isinstance(value, dict | list):
        return text
    inner = indent + " "
    if isinstance(value, list):
        items = [format_json(item, inner) for item in cast(list[object], value)]
        opening, closing = "[]"
    else:
        members = cast(dict[str, object], value)
        opening, closing = "{}"
        items = [
            f"{json.dumps(name, ensure_ascii=False)}: {format_json(item, inner)}"
            for name, item in members.items()
        ]
    lines = f",\n{inner}".join(items)
    return f"{opening}\n{inner}{lines}\n{indent}{closing}"
