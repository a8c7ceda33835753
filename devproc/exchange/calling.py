"""How Python calls the program, as the JSON keeps it.

PyTorch's own text of a pytree may name any Python class and imports it when it is read.
Only tuples, lists and dicts are kept, and nothing else is accepted: a program with other
containers is called by the names of its inputs and gives a dict by output name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, cast

from devproc.errors import BundleError
from devproc.runtime.calls.calling import Calling, NamedCalling
from devproc.runtime.calls.interface import Interface
from devproc.runtime.calls.saved_calling import calling_from_json
from devproc.runtime.reading.problems import Problems

_CONTAINERS = frozenset(
    f"{module}.{name}"
    for module, name in (
        ("builtins", "tuple"),
        ("builtins", "list"),
        ("builtins", "dict"),
        ("collections", "OrderedDict"),
    )
)


def encode_calling(calling: Calling) -> dict[str, Any] | None:
    """The convention as plain data; None for a call by names."""
    try:
        data = calling.as_json()
    except BundleError:
        return None
    if data["kind"] != "pytree" or _problem(data) is not None:
        return None
    leaves = {key: [list(x) for x in data[key]] for key in ("in_leaves", "out_leaves")}
    return {**data, **leaves}


def decode_calling(
    data: Mapping[str, Any] | None, interface: Interface, problems: Problems
) -> Calling:
    """The convention; notes what is wrong with one that cannot be used."""
    if data is None:
        return NamedCalling(interface)
    problem = _problem(data)
    if problem is None:
        try:
            return calling_from_json(data, interface)
        except BundleError as error:
            problem = str(error)
    problems.add("$.calling", problem)
    return NamedCalling(interface)


def _problem(data: Mapping[str, Any]) -> str | None:
    """Why the structures may not be read; None where they are harmless."""
    for text in data["specs"]:
        try:
            protocol, spec = json.loads(text)
            if protocol != 1:
                return f"the structure has protocol {protocol}, only 1 is known"
            problem = _spec_problem(spec)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            return f"no structure of inputs or outputs: {error}"
        if problem is not None:
            return problem
    constants = [v for _, v in (*data["in_leaves"], *data["out_leaves"])]
    if not all(map(_is_plain, constants)):
        return "a constant of the call is no number and no text"
    return None


def _is_plain(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int | str | None)


def _spec_problem(spec: Mapping[str, Any]) -> str | None:
    if spec["type"] is not None and spec["type"] not in _CONTAINERS:
        return f"a container of type {spec['type']!r} is not read from JSON"
    context = json.loads(spec["context"] or "null")
    keys = cast(Sequence[object], context if isinstance(context, list) else [])
    plain = all(isinstance(key, int | str) for key in keys)
    if not plain or not (context is None or isinstance(context, list)):
        return f"a container has the keys {spec['context']!r}, not numbers or texts"
    for child in spec["children_spec"]:
        problem = _spec_problem(child)
        if problem is not None:
            return problem
    return None
