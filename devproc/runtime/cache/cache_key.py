"""Keys of compiled programs: hashes of everything that determines the code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

from devproc import extension, settings
from devproc.backend.arguments import with_defaults
from devproc.backend.installed import backend
from devproc.backend.placement import Placement
from devproc.backend.target import parse_target
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.devices import HOST
from devproc.ir.entry_points import PASSES, TARGETS, digest_of_packages
from devproc.ir.source_digest import content_key, digest_of_sources
from devproc.ir.weight_format import ORIGINAL
from devproc.ir.weights.table import WeightTable

PACKAGES = ("xdsl", "torch", "numpy")
"""Packages whose versions may change the generated code; backends name theirs."""


@dataclass(frozen=True)
class CacheKey:
    """Everything that determines a compiled program, by name; see docs/cache.md."""

    parts: Mapping[str, str]

    @lazy_property
    def name(self) -> str:
        """The hash of all parts, the name of the entry."""
        return content_key(chain.from_iterable(self.parts.items()))


def keyed_options(
    target: str,
    threads: int | None = None,
    precision: str = "default",
    check_bounds: bool = False,
    check_values: bool = False,
    weights: str = ORIGINAL,
    **arguments: str,
) -> dict[str, Any]:
    """The options of `devproc.compile` by name, as keys and `target_options` take them.

    `arguments` are those of single devices. Raises CompileError for an invalid target or
    number of threads, TypeError for an argument that no device has.
    """
    return {
        "target": target,
        "threads": settings.num_threads(threads),
        "precision": precision,
        "check_bounds": check_bounds,
        "check_values": check_values or check_bounds,
        "weights": weights,
        **with_defaults(_devices_of(target), arguments),
    }


def exported_key(
    parts: Mapping[str, str],
    options: Mapping[str, object],
    placement: Placement,
    fallback: str | None,
    schedules: Mapping[str, object],
) -> CacheKey:
    """The key of an exported program, from the parts of its own, with its options."""
    return _with_compiler(
        {
            "kind": "source",
            **parts,
            **{f"option {name}": repr(value) for name, value in options.items()},
            "option placement": repr(placement),
            "option schedules": repr([(p, str(s)) for p, s in schedules.items()]),
            "option fallback": repr(fallback),
        },
        str(options.get("target", HOST)),
    )


def text_key(
    text: str,
    weights: WeightTable,
    target: str,
    pass_options: Mapping[str, str],
    after: str | None,
) -> CacheKey:
    """The key of a module's text and of its weights' content."""
    # The first line holds the options.
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
    return _with_compiler(parts, target)


def _with_compiler(parts: Mapping[str, str], target: str) -> CacheKey:
    return CacheKey(
        {
            **parts,
            **dict(compiler_version(target)),
            "operators": extension.digest(),
            "passes": digest_of_packages(PASSES),
            "devices": digest_of_packages(TARGETS),
        }
    )


def compiler_version(target: str) -> tuple[tuple[str, str], ...]:
    """A hash of the compiler's own sources, and what the code of a target depends on.

    Raises CompileError for a target that is none.
    """
    return (
        ("DevProc's sources", _own_sources()),
        *((package, _version_of(package)) for package in PACKAGES),
        *_versions_of_devices(target),
    )


@cache
def _own_sources() -> str:
    return digest_of_sources(str(Path(__file__).parents[2]))


def _devices_of(target: str) -> Iterable[str]:
    return dict.fromkeys((HOST, *parse_target(target)))


def _versions_of_devices(target: str) -> Iterator[tuple[str, str]]:
    for name in _devices_of(target):
        device = backend(name)
        for package in device.packages:
            yield package, _version_of(package)
        if machine := device.machine():
            yield f"machine of {name}", machine


@cache
def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
