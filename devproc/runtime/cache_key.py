"""Keys of compiled programs: hashes of everything that decides the code."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from devproc import extension
from devproc.ir.weights import KnownHashes, WeightTable
from devproc.targets.cpu.machine import machine_description

PACKAGES = ("xdsl", "llvmlite", "triton", "torch", "numpy")
"""Packages whose versions may change what is compiled."""


def source_key(
    source: object,
    options: tuple[object, ...],
    placement: Mapping[str, str],
    fallback: str | None,
) -> tuple[str, KnownHashes] | None:
    """The key of an exported program with its options, and the hashes of its weights.

    None for a source of another kind, or with something that has no faithful text.
    """
    is_path = isinstance(source, str | Path)
    if not is_path and type(source).__name__ != "ExportedProgram":
        return None
    if is_path and Path(source).suffix != ".pt2":
        return None
    from devproc.frontends.torch_export.source_key import source_key

    with ThreadPoolExecutor(1) as pool:
        # Beside the hashes of the weights, which free Python's lock.
        pool.submit(compiler_version)
        found = source_key(source)
    if found is None:
        return None
    places = repr(list(placement.items()))
    parts = (found.text, repr(options), places, repr(fallback))
    return _cache_key("source", parts, {}), found.hashes


def text_key(
    text: str,
    weights: WeightTable,
    target: str,
    pass_options: Mapping[str, str],
    after: str | None,
) -> str:
    """The key of a module's text and of its weights' content."""
    contents = [f"{name} {weights.hash(name)}" for name in weights]
    return _cache_key("text", (text, target, str(after), *contents), pass_options)


def _cache_key(kind: str, parts: Iterable[str], pass_options: Mapping[str, str]) -> str:
    """The key of a program that `parts` describe, all but the compiler itself."""
    options = repr(sorted(pass_options.items()))
    known = (kind, *parts, options, compiler_version(), extension.digest())
    digest = hashlib.sha256()
    for part in known:
        data = part.encode()
        # The lengths keep the borders of the parts apart.
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()


@cache
def compiler_version() -> str:
    """A hash of the compiler's own sources and of what it stands on."""
    digest = hashlib.sha256()
    root = str(Path(__file__).parents[1])
    for path in sorted(_sources(root)):
        with open(path, "rb", buffering=0) as file:
            digest.update(f"{os.path.relpath(path, root)}\0".encode() + file.read())
    for package in PACKAGES:
        digest.update(f"{package} {_version_of(package)}\0".encode())
    digest.update(machine_description().encode())
    return digest.hexdigest()


def _sources(root: str) -> Iterator[str]:
    # A quarter of the time of `Path.rglob`.
    for folder, _, names in os.walk(root):
        yield from (f"{folder}/{n}" for n in names if n.endswith((".py", ".ll")))


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
