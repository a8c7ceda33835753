"""Checks of a `.pt2` file before PyTorch loads it: that it is complete and runs no code.

PyTorch reads sample inputs, tensor subclasses and objects with pickle, which runs whatever
code the file names. Here every pickle of the archive is first read with the restricted
unpickler of `torch.load(weights_only=True)`, which creates only tensors and plain values.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import torch

CODE_FOLDERS = ("data/aotinductor/",)
"""Archive folders with libraries that the loader would run."""

OBJECTS = ("custom_obj_", "opaque_")
"""Name prefixes of constants that are not tensors."""

OLD_PICKLES = (
    "serialized_state_dict.json",
    "serialized_constants.json",
    "serialized_state_dict.pt",
    "serialized_constants.pt",
    "serialized_example_inputs.pt",
)
"""Members of files of PyTorch 2.7 and older that are pickles despite their suffix."""

SYMBOLIC_FUNCTIONS = frozenset(
    "Abs Add And BooleanFalse BooleanTrue CeilDiv CeilToInt CleanDiv Equality Float "
    "FloatPow FloatTrueDiv FloorDiv FloorToInt GreaterThan Identity IntTrueDiv Integer "
    "LShift LessThan Max Min Mod ModularIndexing Mul Not Or Piecewise Pow PowByNatural "
    "PythonMod RShift Rational RoundDecimal RoundToInt StrictGreaterThan StrictLessThan "
    "Symbol ToFloat TruncToFloat TruncToInt Tuple Unequality Where ceiling floor".split()
)
"""Functions allowed in the text of a size, which PyTorch evaluates as Python."""


class CodeInArchive(Exception):
    """The file would run code when loaded; the message says where and why."""


def check_archive(path: Path, trust_pickle: bool) -> None:
    """Raises BadZipFile for a damaged archive: PyTorch's loader does not verify checksums,
    so that a flipped bit of a weight would go unnoticed. Unless `trust_pickle`, raises
    CodeInArchive for a file that could run code.
    """
    if path.stat().st_size == 0:
        raise BadZipFile("the file is empty")
    with ZipFile(path) as archive:
        damaged = archive.testzip()
        if damaged is not None:
            raise BadZipFile(f"the checksum of '{damaged}' is wrong")
        names = archive.namelist()
        # Two readers could see different contents under one name.
        if len({name.lower() for name in names}) < len(names):
            raise BadZipFile("two files of the archive have the same name")
        _check_weights(archive)
        if not trust_pickle:
            _check_code(archive)


def _configs(archive: ZipFile) -> Iterable[tuple[str, dict[str, Any]]]:
    """The folder and the entries of each list of weights or constants."""
    for name in archive.namelist():
        folder, _, file = name.rpartition("/")
        if file.endswith(("_weights_config.json", "_constants_config.json")):
            yield folder, json.loads(archive.read(name))["config"]


def _check_weights(archive: ZipFile) -> None:
    """Raises BadZipFile if a file named by the lists of weights and constants is missing;
    PyTorch's loader would only report that something went wrong.
    """
    names = set(archive.namelist())
    if not any("models/" in n or "exported_program" in n for n in names):
        raise BadZipFile("the archive holds no exported program")
    for folder, entries in _configs(archive):
        for entry in entries.values():
            wanted = f"{folder}/{entry['path_name']}"
            if wanted not in names:
                raise BadZipFile(f"the archive lacks '{wanted}'")


def _check_code(archive: ZipFile) -> None:
    """Raises CodeInArchive for pickles that need code, and for libraries."""
    pickles = {n for n in archive.namelist() if n in OLD_PICKLES or n.endswith(".pt")}
    for folder, entries in _configs(archive):
        for entry in entries.values():
            name = f"{folder}/{entry['path_name']}"
            if entry["path_name"].startswith(OBJECTS):
                raise CodeInArchive(f"'{name}' is an object, made by unpickling")
            if entry.get("use_pickle"):
                pickles.add(name)
    for name in archive.namelist():
        if any(folder in name for folder in CODE_FOLDERS):
            raise CodeInArchive(f"'{name}' belongs to a compiled library")
        if name.endswith(".json") and name not in OLD_PICKLES:
            _check_sizes(name, archive.read(name))
    for name in sorted(pickles):
        _check_pickle(name, archive.read(name))


def _check_pickle(name: str, data: bytes) -> None:
    if not data:
        return
    try:
        torch.load(io.BytesIO(data), weights_only=True)
    except MemoryError:
        raise
    # Unpickling raises whatever the stream makes it raise.
    except Exception as error:
        found = re.search(r"GLOBAL ([\w.]+)", str(error))
        what = f"calls {found[1]}" if found else "holds more than tensors"
        raise CodeInArchive(f"the pickle '{name}' {what}") from error


def _check_sizes(name: str, data: bytes) -> None:
    """Raises CodeInArchive for a symbolic size that is not plain arithmetic."""
    if b'"expr_str"' not in data and b"\\u" not in data:
        return
    for text in _expressions(json.loads(data)):
        bare = re.sub(r"'[\w.+-]*'", "0", text)
        is_plain = re.fullmatch(r"[\w\s+\-*/%(),<>=!&|~.]*", bare) is not None
        has_attribute = re.search(r"[A-Za-z_)]\w*\s*\.|\.\s*[A-Za-z_]|__", text)
        called = re.findall(r"(\w+|\))\s*\(", bare)
        if not is_plain or has_attribute or not SYMBOLIC_FUNCTIONS.issuperset(called):
            raise CodeInArchive(f"a size in '{name}' is not arithmetic: {text[:80]!r}")


def _expressions(document: Any) -> Iterable[str]:
    """The texts of all symbolic sizes in a document."""
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += value.values()
            if "expr_str" in value:
                yield str(value["expr_str"])
        elif isinstance(value, list):
            stack += value
