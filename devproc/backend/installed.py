"""The devices that are installed, by name: those of DevProc, then those of plug-ins."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from devproc.backend.backend import Backend
from devproc.backend.tuner import Tuner
from devproc.errors import CompileError, RegistrationError, did_you_mean
from devproc.ir.entry_points import (
    TARGETS,
    found_entry_points,
    load_entry_point,
    package_of,
    point_refusal,
    require_one_package,
)
from devproc.targets import BACKENDS, built_in

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

WHAT = "device"
"""What an entry point of the group is, in messages."""


def device_names() -> tuple[str, ...]:
    """The names of all devices; imports none of them."""
    return (*BACKENDS, *_points_on(tuple(sys.path)))


def backend(name: str) -> Backend:
    """The device of this name, imported on first use.

    Raises CompileError for an unknown name, RegistrationError for a package whose device
    cannot be used.
    """
    return _backend_on(name, tuple(sys.path))


def backends() -> dict[str, Backend]:
    """All devices that can be imported; `broken` has the others."""
    return {name: backend(name) for name in device_names() if name not in broken()}


def tuner_of(device: str) -> Tuner:
    """How a device compares schedules; imports its module."""
    module = backend(device).tuner
    return import_module(module).TUNER if module else Tuner()


def memory_of(device: str) -> str:
    """The device whose memory a device uses: mostly its own."""
    return backend(device).memory or device


def is_asynchronous(device: str) -> bool:
    """Whether work of a device is queued, so that the host has to wait for it."""
    return backend(device).is_asynchronous


def broken() -> dict[str, str]:
    """Devices whose package cannot be used -> why."""
    return _broken_on(tuple(sys.path))


def package(name: str) -> str:
    """The package that a device comes from: `demo 1.0`."""
    point = _points_on(tuple(sys.path)).get(name)
    return package_of(point) if point is not None else "devproc"


@cache
def _points_on(folders: tuple[str, ...]) -> dict[str, EntryPoint]:
    points = found_entry_points(TARGETS, folders)
    require_one_package(WHAT, points, BACKENDS)
    return {point.name: point for point in points}


def refusal(name: str, problem: str) -> RegistrationError:
    """The error for a device of another package that cannot take part."""
    return point_refusal(WHAT, _points_on(tuple(sys.path))[name], problem)


@cache
def _backend_on(name: str, folders: tuple[str, ...]) -> Backend:
    points = _points_on(folders)
    if name in BACKENDS:
        return built_in(name)
    elif name in points:
        made = _load(points[name])
    else:
        known = (*BACKENDS, *points)
        raise CompileError(
            f"no device is called '{name}'; there are {', '.join(known)}"
            f"{did_you_mean(name, known)}"
        )
    made.name = name
    return made


@cache
def _broken_on(folders: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _points_on(folders):
        try:
            _backend_on(name, folders)
        except RegistrationError as error:
            found[name] = str(error)
    return found


def _load(point: EntryPoint) -> Backend:
    """What an entry point refers to; raises RegistrationError."""
    class_ = load_entry_point(WHAT, point)
    if not (isinstance(class_, type) and issubclass(class_, Backend)):
        raise point_refusal(
            WHAT, point, f"'{point.value}' is not a subclass of devproc.backend.Backend"
        )
    try:
        return class_()
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise point_refusal(WHAT, point, f"'{point.value}()' fails: {why}") from error
