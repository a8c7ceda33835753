"""Arguments of `devproc.compile` that are about single devices."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.backend.backend import Argument
from devproc.backend.installed import backends
from devproc.errors import did_you_mean


def device_arguments() -> list[Argument]:
    """Those of all installed devices."""
    return [a for device in backends().values() for a in device.arguments]


def with_defaults(given: Mapping[str, str]) -> dict[str, str]:
    """All of them by name, those that are not given with their defaults.

    Raises TypeError for one that no device has.
    """
    known = {argument.name: argument.default for argument in device_arguments()}
    for name in given.keys() - known.keys():
        close = did_you_mean(name, known)
        raise TypeError(f"no argument is called '{name}'{close}")
    return {**known, **given}
