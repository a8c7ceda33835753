"""Typed values from the plain data of a file: each field is checked, each error located.

The dataclasses of a saved program are its schema. They guarantee the types and ranges that
code relies on, even for a damaged or foreign file; `devproc.runtime.bundles.check_artifact`
checks that the values are consistent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from itertools import cycle
from math import isfinite
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from devproc.errors import BundleError
from devproc.runtime.reading.problems import Problems

T = TypeVar("T")

Reader = Callable[[object, str, Problems], Any]
"""Takes data, its path and the problems to add to; returns the value if there are none."""

_LARGEST = (1 << 63) - 1

_WANTED = {
    bool: "true or false",
    int: "a whole number of 64 bits",
    float: "a finite number",
    str: "a text",
    NoneType: "null",
}


def parse_json(text: bytes | str, what: str) -> object:
    """The data of a JSON text; raises BundleError for an invalid one."""
    try:
        return json.loads(text)
    # A deeply nested text exhausts the stack of the JSON scanner.
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{what} is not JSON: {error}") from error


def read_as(type_: type[T], data: object, what: str) -> T:
    """The data as a value of a type; raises BundleError with every invalid field.

    `type_` is a dataclass of numbers, strings, tuples, mappings, optional values and other
    dataclasses. A field with a default may be missing; a field of type `object` is not
    checked.
    """
    problems = Problems(what)
    found = _reader(type_)(data, "$", problems)
    problems.check()
    return cast(T, found)


def member(data: object, name: str) -> object:
    """A member of an object; None if there is none."""
    return cast(dict[str, object], data).get(name) if isinstance(data, dict) else None


def shown(data: object) -> str:
    """Data in a message, shortened."""
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:60]}..."


@cache
def _reader(type_: Any) -> Reader:
    if type_ is object:
        return lambda data, where, problems: data
    if type_ in _WANTED:
        return _scalar_reader(type_)
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is tuple:
        return _tuple_reader(arguments)
    if origin in (dict, Mapping):
        return _mapping_reader(_reader(arguments[1]))
    if origin is UnionType:
        (given,) = (a for a in arguments if a is not NoneType)
        return _optional_reader(_reader(given))
    return _dataclass_reader(type_)


def _is_a(type_: type, data: object) -> bool:
    """Whether data is of a type of `_WANTED`, and a number in the range of that type."""
    if type(data) is int and type_ in (int, float):
        return -_LARGEST <= data <= _LARGEST
    if type(data) is float and type_ is float:
        return isfinite(data)
    return type(data) is type_


def _scalar_reader(type_: type) -> Reader:
    wanted = _WANTED[type_]

    def read(data: object, where: str, problems: Problems) -> object:
        if not _is_a(type_, data):
            problems.add(where, f"must be {wanted}, got {shown(data)}")
        return data

    return read


def _items(data: object) -> list[object] | None:
    return cast(list[object], data) if isinstance(data, list) else None


def _tuple_reader(types: tuple[Any, ...]) -> Reader:
    """Of `tuple[T, ...]`, or of one type for each element."""
    first, uniform = types[0], types[-1] is ...
    readers = [_reader(type_) for type_ in types if type_ is not ...]
    wanted = "a list" if uniform else f"a list of {len(readers)}"

    def read(data: object, where: str, problems: Problems) -> tuple[Any, ...]:
        items = _items(data)
        if items is None or not (uniform or len(items) == len(readers)):
            problems.add(where, f"must be {wanted}, got {shown(data)}")
            return ()
        # Most lists are shapes: do not format a path for each of their numbers.
        if uniform and first in _WANTED and all(_is_a(first, item) for item in items):
            return tuple(items)
        return tuple(
            read_one(item, f"{where}[{i}]", problems)
            for i, (read_one, item) in enumerate(zip(cycle(readers), items))
        )

    return read


def _members(data: object, where: str, problems: Problems) -> dict[str, object] | None:
    if isinstance(data, dict):
        return cast(dict[str, object], data)
    problems.add(where, f"must be an object, got {shown(data)}")
    return None


def _mapping_reader(read_one: Reader) -> Reader:
    def read(data: object, where: str, problems: Problems) -> dict[str, Any]:
        members = _members(data, where, problems) or {}
        return {
            name: read_one(value, f"{where}[{shown(name)}]", problems)
            for name, value in members.items()
        }

    return read


def _optional_reader(read_one: Reader) -> Reader:
    def read(data: object, where: str, problems: Problems) -> Any:
        return None if data is None else read_one(data, where, problems)

    return read


def _dataclass_reader(type_: Any) -> Reader:
    types = get_type_hints(type_)
    needed = [
        field.name
        for field in fields(type_)
        if field.default is MISSING and field.default_factory is MISSING
    ]

    def read(data: object, where: str, problems: Problems) -> Any:
        members = _members(data, where, problems)
        if members is None:
            return None
        before = len(problems.found)
        for name in needed:
            if name not in members:
                problems.add(where, f"the field '{name}' is missing")
        found: dict[str, object] = {}
        for name, value in members.items():
            if name not in types:
                problems.add(where, f"there is no field {shown(name)}")
                continue
            # Not earlier: the type may be recursive.
            found[name] = _reader(types[name])(value, f"{where}.{name}", problems)
        return type_(**found) if len(problems.found) == before else None

    return read
