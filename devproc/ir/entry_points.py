"""Entry points of installed packages, found without reading all of their metadata."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Container, Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from devproc.errors import RegistrationError
from devproc.ir.source_digest import digest_of_sources

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PASSES, TARGETS = "devproc.passes", "devproc.targets"
"""The groups of entry points: passes of other packages, and devices."""

PAGES = {PASSES: "docs/custom_ops.md", TARGETS: "docs/backends.md"}
"""Group -> the page that shows how to write one."""


@cache
def found_entry_points(group: str, folders: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """The entry points of a group by name, for a value of `sys.path`.

    Searching the files for the group takes a twentieth of the time of `entry_points`, which
    every process would spend even if no package has any.
    """
    header = f"[{group}]".encode()
    if not any(header in text for folder in folders for text in _files_in(folder)):
        return ()
    from importlib.metadata import entry_points

    found = dict.fromkeys(entry_points(group=group))
    return tuple(sorted(found, key=lambda point: (point.name, point.value)))


@cache
def _files_in(folder: str) -> tuple[bytes, ...]:
    """The entry points of the packages of a folder, as their installer wrote them."""
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return ()
    texts: list[bytes] = []
    for name in names:
        if not name.endswith((".dist-info", ".egg-info")):
            continue
        try:
            with open(f"{folder or '.'}/{name}/entry_points.txt", "rb") as file:
                texts.append(file.read())
        except OSError:
            continue
    return tuple(texts)


def source_folders(point: EntryPoint) -> list[str]:
    """The folders of the sources of an entry point's package, which is not imported."""
    try:
        spec = find_spec(point.module.partition(".")[0])
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return list(spec.submodule_search_locations)
    return [spec.origin] if spec.origin and os.path.isfile(spec.origin) else []


def digest_of_packages(group: str) -> str:
    """A hash of the packages that have entry points of a group, by their sources; "" if
    there are none."""
    return _digest(group, tuple(sys.path))


@cache
def _digest(group: str, folders: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    points = found_entry_points(group, folders)
    for point in points:
        digest.update(f"{point.name}\0{point.value}\0{package_of(point)}\0".encode())
        for root in source_folders(point):
            digest.update(digest_of_sources(root).encode())
    return digest.hexdigest() if points else ""


def point_refusal(what: str, point: EntryPoint, problem: str) -> RegistrationError:
    """The error for an entry point that cannot take part; `what` it is."""
    name = f"the {what} '{point.name}' of the package '{package_of(point)}'"
    return RegistrationError(name, [problem], PAGES[point.group])


def load_entry_point(what: str, point: EntryPoint) -> object:
    """What an entry point refers to; raises RegistrationError if it cannot be imported."""
    try:
        return point.load()
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        problem = f"'{point.value}' cannot be imported: {why}"
        raise point_refusal(what, point, problem) from error


def require_one_package(
    what: str, points: Sequence[EntryPoint], own: Container[str] = ()
) -> None:
    """Raises RegistrationError for a name that several packages have; `own` are ours."""
    for point in points:
        others = [package_of(p) for p in points if p.name == point.name]
        others += ["devproc"] if point.name in own else []
        if len(others) > 1:
            both = " and ".join(others)
            raise point_refusal(what, point, f"the packages {both} have it; remove one")


def package_of(point: EntryPoint) -> str:
    """The name of an entry point's package in messages: `demo 1.0`."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.module
