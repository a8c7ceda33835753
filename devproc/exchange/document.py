"""The JSON text of a program: read as untrusted input, checked by version and schema."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Any, cast

from devproc.errors import BundleError
from devproc.runtime.reading.problems import Problems

FORMAT = "devproc.program"
VERSION = (1, 1)
"""Major and minor version that is written, and the newest that is known."""


@cache
def schema() -> dict[str, Any]:
    """The published JSON schema."""
    file = resources.files("devproc.exchange").joinpath("schema.json")
    return json.loads(file.read_text("utf-8"))


def read_document(path: Path) -> dict[str, Any]:
    """The checked content of a file; raises BundleError with all problems."""
    if not path.is_file():
        raise BundleError(f"no program at {path}")
    problems = Problems(str(path))
    try:
        document = _parse(path.read_text("utf-8"))
    # A deeply nested text exhausts the stack of the JSON scanner.
    except (OSError, ValueError, RecursionError) as error:
        raise BundleError(f"{path} is not a JSON program: {error}") from error
    _check_version(document, problems)
    problems.check()
    _check_schema(document, problems)
    problems.check()
    return document


def _parse(text: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"member '{twice}' appears twice in one object")
        return members

    def number(digits: str) -> float:
        value = float(digits)
        if not isfinite(value):
            raise ValueError(f"{digits} is not a finite number")
        return value

    def refuse(name: str) -> float:
        raise ValueError(f'{name} is not a JSON number; write "nan", "inf" or "-inf"')

    return json.loads(
        text, object_pairs_hook=unique, parse_float=number, parse_constant=refuse
    )


def _check_version(document: Any, problems: Problems) -> None:
    if not isinstance(document, dict) or "format" not in document:
        problems.add("$", f'not an object with "format": "{FORMAT}"')
        return
    members = cast(dict[str, Any], document)
    if members["format"] != FORMAT:
        problems.add("$.format", f"must be '{FORMAT}', got {members['format']!r}")
        return
    version = _version_of(members)
    if version is None:
        problems.add("$.version", 'must be a string such as "1.0"')
    elif version[0] != VERSION[0]:
        problems.add(
            "$.version",
            f"version {version[0]}.{version[1]} cannot be read, only "
            f"{VERSION[0]}.x; export the program again",
        )


def _version_of(members: dict[str, Any]) -> tuple[int, int] | None:
    version = members.get("version")
    parts = version.split(".") if isinstance(version, str) else []
    if len(parts) != 2 or not all(p.isdecimal() and len(p) < 5 for p in parts):
        return None
    return int(parts[0]), int(parts[1])


def _check_schema(document: dict[str, Any], problems: Problems) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    version = _version_of(document)
    newer = version is not None and version > VERSION
    validator: Any = Draft202012Validator(schema())
    try:
        found: list[ValidationError] = list(validator.iter_errors(document))
    except RecursionError:
        problems.add("$", "the lists and objects are nested too deeply")
        return
    for error in found:
        # A newer minor version adds only members that may be ignored.
        if newer and error.validator == "additionalProperties":
            continue
        problems.add(error.json_path, error.message)
