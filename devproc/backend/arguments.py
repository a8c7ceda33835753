"""Arguments of `devproc.compile` that are about single devices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from devproc.backend.backend import Argument
from devproc.backend.installed import backend, backends
from devproc.errors import did_you_mean


def device_arguments() -> list[Argument]:
    """Those of all installed devices."""
    return [a for device in backends().values() for a in device.arguments]


def with_defaults(devices: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """Those of some devices by name, with defaults, and what is given for others.

    Imports other devices only for an argument that is none of these, which is left out if
    it is the default. Raises TypeError for one that no device has.
    """
    found = {a.name: a.default for name in devices for a in backend(name).arguments}
    for name in given.keys() - found.keys():
        known = {argument.name: argument.default for argument in device_arguments()}
        if name not in known:
            close = did_you_mean(name, known)
            raise TypeError(f"no argument is called '{name}'{close}")
        if given[name] != known[name]:
            found[name] = given[name]
    return found | {name: given[name] for name in given if name in found}
