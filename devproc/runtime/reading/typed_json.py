"""Plain data of a file as typed values: each field is checked, each mistake has a place.

The dataclasses that a saved program is made of are their own schema. Numbers of a file
that is damaged or foreign then have the types and the range that code relies on; how they
fit together is for `devproc.runtime.bundles.check_artifact` to say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from devproc.errors import BundleError
from devproc.runtime.reading.problems import Problems

T = TypeVar("T")

Reader = Callable[[object, str, Problems], Any]
"""Takes data, its place and what notes problems; gives the value where there is none."""

_LARGEST = (1 << 63) - 1

_WANTED = {
    bool: "true or false",
    int: "a whole number of 64 bits",
    float: "a finite number",
    str: "a text",
    NoneType: "null",
}


def parse_json(text: bytes | str, what: str) -> object:
    """The data of a JSON text; raises BundleError for what is none."""
    try:
        return json.loads(text)
    # A deeply nested text exhausts the stack of the JSON scanner.
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{what} is no JSON: {error}") from error


def read_as(type_: type[T], data: object, what: str) -> T:
    """The value of a type; raises BundleError with every field that is wrong.

    `type_` is a dataclass of numbers, texts, tuples, mappings, optional values and other
    dataclasses. A field may be left out where it has a default; a field of type `object`
    holds what a reader of its own looks at.
    """
    problems = Problems(what)
    found = _reader(type_)(data, "$", problems)
    problems.check()
    return cast(T, found)


def member(data: object, name: str) -> object:
    """A member of an object; None where there is none."""
    return cast(dict[str, object], data).get(name) if isinstance(data, dict) else None


def shown(data: object) -> str:
    """Data in a message, shortened."""
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:60]}..."


@cache
def _reader(type_: Any) -> Reader:
    if type_ is object:
        return _anything
    if type_ in _WANTED:
        return _scalar_reader(type_)
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is tuple and arguments[-1] is ...:
        return _tuple_reader(arguments[0])
    if origin is tuple:
        return _row_reader(tuple(map(_reader, arguments)))
    if origin in (dict, Mapping):
        return _mapping_reader(_reader(arguments[1]))
    if origin is UnionType:
        (given,) = (a for a in arguments if a is not NoneType)
        return _optional_reader(_reader(given))
    return _dataclass_reader(type_)


def _anything(data: object, where: str, problems: Problems) -> object:
    return data


def _is_a(type_: type, data: object) -> bool:
    """Whether data is of a type of `_WANTED`, and no number beyond what code can hold."""
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


def _tuple_reader(type_: Any) -> Reader:
    read_one = _reader(type_)

    def read(data: object, where: str, problems: Problems) -> tuple[Any, ...]:
        items = _items(data)
        if items is None:
            problems.add(where, f"must be a list, got {shown(data)}")
            return ()
        # Most lists are shapes: no place is made up for each of their numbers.
        if type_ in _WANTED and all(_is_a(type_, item) for item in items):
            return tuple(items)
        return tuple(
            read_one(item, f"{where}[{i}]", problems) for i, item in enumerate(items)
        )

    return read


def _row_reader(readers: tuple[Reader, ...]) -> Reader:
    def read(data: object, where: str, problems: Problems) -> tuple[Any, ...]:
        items = _items(data)
        if items is None or len(items) != len(readers):
            problems.add(where, f"must be a list of {len(readers)}, got {shown(data)}")
            return ()
        return tuple(
            read_one(item, f"{where}[{i}]", problems)
            for i, (read_one, item) in enumerate(zip(readers, items, strict=True))
        )

    return read


def _mapping_reader(read_one: Reader) -> Reader:
    def read(data: object, where: str, problems: Problems) -> dict[str, Any]:
        if not isinstance(data, dict):
            problems.add(where, f"must be an object, got {shown(data)}")
            return {}
        members = cast(dict[str, object], data)
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
        if not isinstance(data, dict):
            problems.add(where, f"must be an object, got {shown(data)}")
            return None
        members = cast(dict[str, object], data)
        before = len(problems.found)
        for name in needed:
            if name not in members:
                problems.add(where, f"the field '{name}' is missing")
        found: dict[str, object] = {}
        for name, value in members.items():
            if name not in types:
                problems.add(where, f"there is no field {shown(name)}")
                continue
            # Not before: a field may hold values of this very type.
            found[name] = _reader(types[name])(value, f"{where}.{name}", problems)
        return type_(**found) if len(problems.found) == before else None

    return read
