"""Keys of compiled programs: hashes of everything that decides the code."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from devproc import extension, settings
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.weights.table import KnownHashes, WeightTable
from devproc.targets.cpu.machine import machine_description

PACKAGES = ("xdsl", "llvmlite", "triton", "torch", "numpy")
"""Packages whose versions may change what is compiled."""


@dataclass(frozen=True)
class CacheKey:
    """Everything that decides a compiled program, by name; see docs/cache.md."""

    parts: Mapping[str, str]

    @lazy_property
    def name(self) -> str:
        """The hash of all parts, the name of the entry."""
        digest = hashlib.sha256()
        for text in (text for part in self.parts.items() for text in part):
            data = text.encode()
            # The lengths keep the borders of the parts apart.
            digest.update(f"{len(data)}:".encode() + data)
        return digest.hexdigest()


def keyed_options(
    target: str,
    threads: int | None,
    precision: str,
    arch: str,
    cpu: str,
    check_bounds: bool,
    check_values: bool,
) -> dict[str, Any]:
    """The options of `devproc.compile` by name, as keys and `target_options` take them.

    Raises CompileError for a number of threads that there cannot be.
    """
    return {
        "target": target,
        "threads": settings.num_threads(threads),
        "precision": precision,
        "arch": arch,
        "cpu": cpu,
        "check_bounds": check_bounds,
        "check_values": check_values or check_bounds,
    }


def source_key(
    source: object,
    options: Mapping[str, object],
    placement: Mapping[str, str],
    fallback: str | None,
) -> tuple[CacheKey, KnownHashes] | None:
    """The key of an exported program with its options, and the hashes of its weights.

    None for a source of another kind, or with something that has no faithful text.
    """
    is_path = isinstance(source, str | Path)
    if not is_path and type(source).__name__ != "ExportedProgram":
        return None
    if is_path and Path(source).suffix != ".pt2":
        return None
    from devproc.frontends.torch_export.graph.source_key import source_key

    with ThreadPoolExecutor(1) as pool:
        # Beside the hashes of the weights, which free Python's lock.
        pool.submit(compiler_version)
        found = source_key(source)
    if found is None:
        return None
    parts = {
        "kind": "source",
        **found.parts,
        **{f"option {name}": repr(value) for name, value in options.items()},
        "option placement": repr(list(placement.items())),
        "option fallback": repr(fallback),
    }
    return _with_compiler(parts), found.hashes


def text_key(
    text: str,
    weights: WeightTable,
    target: str,
    pass_options: Mapping[str, str],
    after: str | None,
) -> CacheKey:
    """The key of a module's text and of its weights' content."""
    # The first line has the options.
    options, _, body = text.partition("\n")
    parts = {
        "kind": "text",
        "program": hashlib.sha256(body.encode()).hexdigest(),
        "weights": "\n".join(f"{name} {weights.hash(name)}" for name in weights),
        "option target": target,
        "options": options,
        "option passes": repr(sorted(pass_options.items())),
        "stage": str(after),
    }
    return _with_compiler(parts)


def _with_compiler(parts: Mapping[str, str]) -> CacheKey:
    return CacheKey(
        {**parts, **dict(compiler_version()), "operators": extension.digest()}
    )


@cache
def compiler_version() -> tuple[tuple[str, str], ...]:
    """A hash of the compiler's own sources, and what it stands on, by name."""
    digest = hashlib.sha256()
    root = str(Path(__file__).parents[1])
    for path in sorted(_sources(root)):
        with open(path, "rb", buffering=0) as file:
            digest.update(f"{os.path.relpath(path, root)}\0".encode() + file.read())
    return (
        ("DevProc's sources", digest.hexdigest()),
        *((package, _version_of(package)) for package in PACKAGES),
        ("processor", machine_description()),
    )


def _sources(root: str) -> Iterator[str]:
    # A quarter of the time of `Path.rglob`.
    for folder, _, names in os.walk(root):
        yield from (f"{folder}/{n}" for n in names if n.endswith((".py", ".ll")))


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
