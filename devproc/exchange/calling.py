"""The calling convention of a program in JSON.

PyTorch's own text of a structure may name any Python class, which reading it imports. Only
tuples, lists and dicts are written and accepted here: a program with other containers is
called by the names of its inputs and returns a dict by output name.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from devproc.errors import BundleError
from devproc.runtime.calls.calling import Calling, NamedCalling
from devproc.runtime.calls.interface import Interface
from devproc.runtime.calls.saved_calling import calling_from_json
from devproc.runtime.calls.structure import plain_structure
from devproc.runtime.reading.problems import Problems
from devproc.runtime.reading.typed_json import shown


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
    """The convention; notes the problem with one that cannot be used."""
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
    """Why the structures must not be read; None if they are harmless."""
    for text in data["specs"]:
        try:
            structure = plain_structure(text)
        except BundleError as error:
            return str(error)
        if structure is None:
            return f"only tuples, lists and dicts are read from JSON, got {shown(text)}"
    constants = [v for _, v in (*data["in_leaves"], *data["out_leaves"])]
    if not all(map(_is_plain, constants)):
        return "a constant of the call is neither a number nor a string"
    return None


def _is_plain(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int | str | None)
