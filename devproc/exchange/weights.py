"""Weights from an untrusted file, checked against those of a program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import torch

from devproc.errors import BundleError
from devproc.ir.dtypes import format_shape
from devproc.ir.types import AnyTensor, dtype_name
from devproc.ir.weights.table import WeightTable
from devproc.reference.conversion.arrays import name_of, to_numpy
from devproc.runtime.reading.problems import Problems

SUFFIXES = (".safetensors", ".pt", ".pth")
"""Suffixes of weight files; only the first kind is written."""


def load_weights(
    path: Path,
    wanted: Mapping[str, AnyTensor],
    problems: Problems,
    *,
    allow_extra: bool = False,
) -> WeightTable:
    """The weights of a file with the names of `wanted`; adds a problem for each mismatch.

    Hashes are computed anew: those recorded in the file are not trusted.
    """
    table = WeightTable()
    try:
        found = _read(path)
    except BundleError as error:
        problems.add(str(path), str(error))
        return table
    for name, type_ in wanted.items():
        if name not in found:
            problems.add(str(path), f"weight '{name}' is missing")
            continue
        problem = _problem(found[name], type_)
        if problem is not None:
            problems.add(str(path), f"weight '{name}' {problem}")
            continue
        tensor = cast(torch.Tensor, found[name])
        table.add(name, to_numpy(tensor), dtype_name(type_.element_type))
    if not allow_extra:
        for name in found:
            if name not in wanted:
                problems.add(str(path), f"weight '{name}' is not one of the program")
    return table


def _read(path: Path) -> Mapping[str, object]:
    if path.suffix not in SUFFIXES:
        raise BundleError(f"a file of weights ends in {', '.join(SUFFIXES)}")
    if not path.is_file():
        raise BundleError("no such file")
    try:
        if path.suffix == ".safetensors":
            return _read_safetensors(path)
        return _read_pickle(path)
    # These readers may raise anything for a damaged file.
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BundleError(f"cannot be read as weights: {reason}") from error


def _read_safetensors(path: Path) -> Mapping[str, object]:
    from safetensors import safe_open

    # Untyped in the library.
    with cast(Any, safe_open)(path, "pt") as file:
        names: list[str] = list(file.keys())
        return {name: file.get_tensor(name) for name in names}


def _read_pickle(path: Path) -> Mapping[str, object]:
    """The tensors of a state dict. `weights_only` refuses every other class."""
    found: Any = torch.load(path, map_location="cpu", weights_only=True)
    if not isinstance(found, dict):
        raise BundleError(f"it holds a {type(found).__name__}, not a dict of tensors")
    entries = cast(dict[object, object], found)
    return {str(name): value for name, value in entries.items()}


def _problem(value: object, wanted: AnyTensor) -> str | None:
    """The problem with one weight; None if it fits."""
    if not isinstance(value, torch.Tensor):
        return f"is a {type(value).__name__}, not a tensor"
    if value.layout != torch.strided or value.is_quantized or value.is_meta:
        return "is sparse, quantised or without data; store a plain tensor"
    dtype = name_of(value.dtype) or str(value.dtype)
    need = dtype_name(wanted.element_type), wanted.get_shape()
    if (dtype, tuple(value.shape)) == need:
        return None
    return (
        f"is {dtype} {format_shape(value.shape)}, "
        f"the program wants {need[0]} {format_shape(need[1])}"
    )
