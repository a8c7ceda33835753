"""Reads a program from JSON and checks its weights; reports all problems."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.constant import WeightOp
from devproc.driver import make_context
from devproc.errors import counted
from devproc.exchange.calling import decode_calling
from devproc.exchange.document import read_document
from devproc.exchange.function_reader import FunctionReader, read_attributes
from devproc.exchange.writer import OPTIONS, type_entry, weights_of
from devproc.ir.program.state import state_name, verify_states
from devproc.ir.types import AnyTensor, tensor
from devproc.ir.verification.verify import verify_module
from devproc.ir.weights.prepare import (
    PREFIX,
    prepare_function,
    prepared_index,
    result_hashes,
)
from devproc.ir.weights.table import WeightTable
from devproc.runtime.calls.calling import Calling
from devproc.runtime.execution.host_reader import find_function, interface_of
from devproc.runtime.reading.problems import Problems


def read_json(
    path: Path, weights: str | Path | None, allow_extra_weights: bool
) -> tuple[ModuleOp, WeightTable, Calling]:
    """The module of a file, its weights and its calling convention.

    See `devproc.load_json`.
    """
    document = read_document(path)
    problems = Problems(str(path))
    module = decode_program(document, problems)
    interface = interface_of(find_function(module, "main"))
    calling = decode_calling(document.get("calling"), interface, problems)
    named = document.get("weights_file")
    file = Path(weights) if weights else path.parent / named if named else None
    wanted = {
        name: tensor(entry["dtype"], entry["shape"])
        for name, entry in weights_of(module).items()
    }
    table = _load(file, wanted, problems, allow_extra_weights)
    problems.check()
    _update_hashes(module, table)
    return module, table, calling


def decode_program(document: Mapping[str, Any], problems: Problems) -> ModuleOp:
    """The module of a document that fits the schema; raises BundleError."""
    context = make_context()
    functions: list[FuncOp] = []
    names: list[str] = []
    for index, data in enumerate(document["functions"]):
        place = f"$.functions[{index}]"
        functions.append(FunctionReader(data, place, context, problems).read())
        if data["name"] in names:
            problems.add(f"{place}.name", f"'{data['name']}' appears twice")
        if data["name"] == "prepare" and data["inputs"]:
            problems.add(f"{place}.inputs", "'prepare' has no inputs")
        names.append(data["name"])
    if "main" not in names:
        problems.add("$.functions", "there is no function 'main'")
    attributes = read_attributes(
        document.get("attributes", {}), "$.attributes", context, problems
    )
    problems.check()
    module = ModuleOp(list(functions), attributes)
    _check_attributes(module, problems)
    _check_states(find_function(module, "main"), problems)
    _check_weights(document["weights"], module, problems)
    problems.check()
    try:
        verify_module(module)
    except VerifyException as error:
        problems.add("$", str(error))
    problems.check()
    return module


def _given_weights(module: ModuleOp) -> list[WeightOp]:
    """The weight ops that are not results of `@prepare`."""
    ops = [op for op in module.walk() if isinstance(op, WeightOp)]
    return [op for op in ops if prepared_index(op.weight_name) is None]


def _check_attributes(module: ModuleOp, problems: Problems) -> None:
    """Checks the attributes that a compilation reads."""
    module.attributes.pop(OPTIONS, None)
    name = module.attributes.get("devproc.name", StringAttr(""))
    if not isinstance(name, StringAttr):
        problems.add("$.attributes['devproc.name']", "must be a string")
    for name, what in PAIRS.items():
        if not _are_pairs(module.attributes.get(name, ArrayAttr(()))):
            wanted = f"must be a list of pairs of strings, {what}"
            problems.add(f"$.attributes['{name}']", wanted)
    memory = module.attributes.get("devproc.memory", ArrayAttr(()))
    if _are_pairs(memory):
        for _, size in cast(ArrayAttr[ArrayAttr[StringAttr]], memory):
            if not (size.data.isascii() and size.data.isdigit()):
                problems.add("$.attributes['devproc.memory']", "bytes must be digits")


PAIRS = {
    "devproc.placement": "pattern and device",
    "devproc.forbidden": "pattern and device",
    "devproc.memory": "device and bytes",
}
"""The attributes with what a user asks of the placement."""


def _are_pairs(value: object) -> bool:
    """Whether an attribute is a list of pairs of strings."""
    pairs = cast(ArrayAttr[Any], value).data if _is_list(value) else (None,)
    rows = [cast(ArrayAttr[Any], p).data if _is_list(p) else () for p in pairs]
    return all(
        len(row) == 2 and all(isinstance(part, StringAttr) for part in row)
        for row in rows
    )


def _check_states(main: FuncOp, problems: Problems) -> None:
    """Checks the states, which have to be named like the inputs and outputs they are."""
    rows = (*(main.arg_attrs or ()), *(main.res_attrs or ()))
    named = all(
        row.data.get("dev.name") == StringAttr(name)
        for row in rows
        if (name := state_name(row)) is not None
    )
    try:
        verify_states(main)
    except VerifyException:
        named = False
    if not named:
        problems.add(
            "$.functions",
            "states (dev.state) must be the last inputs and the last outputs of 'main', "
            "with the same names, in the same order and of the same types",
        )


def _is_list(value: object) -> bool:
    return isinstance(value, ArrayAttr)


def _check_weights(
    listed: Mapping[str, Any], module: ModuleOp, problems: Problems
) -> None:
    """Checks the list of weights against the ops, and prepared weights against `@prepare`."""
    used = weights_of(module)
    for name in listed:
        if name not in used:
            problems.add("$.weights", f"nothing uses '{name}'")
        elif listed[name] != used[name]:
            problems.add("$.weights", f"'{name}' differs from an op that names it")
    for name in used:
        if name not in listed:
            problems.add("$.weights", f"'{name}', which an op names, is missing")
    for op in _given_weights(module):
        if used[op.weight_name] != {**type_entry(op.result), "hash": op.hash.data}:
            message = f"two ops name '{op.weight_name}' with other types or hashes"
            problems.add("$.functions", message)
    prepare = prepare_function(module)
    types = prepare.function_type.outputs.data if prepare else ()
    for op in module.walk():
        index = prepared_index(op.weight_name) if isinstance(op, WeightOp) else None
        if index is None:
            continue
        if index >= len(types) or types[index] != op.results[0].type:
            problems.add(
                "$.functions",
                f"'{PREFIX}{index}' is not a result of 'prepare' of this dtype and shape",
            )


def _load(
    file: Path | None,
    wanted: Mapping[str, AnyTensor],
    problems: Problems,
    allow_extra: bool,
) -> WeightTable:
    if file is not None:
        from devproc.exchange.weights import load_weights

        return load_weights(file, wanted, problems, allow_extra=allow_extra)
    if wanted:
        problems.add(
            "$.weights",
            f"no file given for the {counted(len(wanted), 'weight')}; give one with "
            "devproc.load_json(path, weights=file), or --weights on the command line",
        )
    return WeightTable()


def _update_hashes(module: ModuleOp, table: WeightTable) -> None:
    """Updates the hashes of loaded weights and of those prepared from them."""
    changed = False
    for op in _given_weights(module):
        digest = table.hash(op.weight_name)
        changed |= digest != op.hash.data
        op.hash = StringAttr(digest)
    prepare = prepare_function(module)
    if prepare is None or not changed:
        return
    hashes = result_hashes(prepare)
    for op in module.walk():
        index = prepared_index(op.weight_name) if isinstance(op, WeightOp) else None
        if isinstance(op, WeightOp) and index is not None:
            op.hash = StringAttr(hashes[index])
