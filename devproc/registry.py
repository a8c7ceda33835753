"""The dialects, passes and texts: name -> `module:attribute`, loaded lazily.

The common ones are here; those of a device are said by its backend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

from devproc.backend import Backend, PrintedText
from devproc.backend.installed import backends, refusal
from devproc.backend.stage import pass_paths
from devproc.stages import COMMON

Entry = TypeVar("Entry")

DIALECTS: dict[str, str] = {
    "dev": "devproc.dialects.dev:DEV",
    "linalg_ext": "devproc.dialects.linalg_ext:LINALG_EXT",
    "nn": "devproc.dialects.nn:NN",
    "pipe": "devproc.dialects.pipe:PIPE",
    "plan": "devproc.dialects.plan:PLAN",
    "sched": "devproc.dialects.sched:SCHED",
    "simd": "devproc.dialects.simd:SIMD",
}

UPSTREAM_PASSES = frozenset({"canonicalize", "cse", "dce"})
"""xDSL's own passes among those of the stages."""

PASSES: dict[str, str] = {
    name: path
    for stage in COMMON
    for name, path in pass_paths(
        f"devproc.transforms.{stage.name}", stage.passes
    ).items()
    if name not in UPSTREAM_PASSES
}
"""The passes of `COMMON`; each is in the folder of its stage, in a file of its name."""


def dialects() -> Mapping[str, str]:
    """All dialects, those of devices included."""
    return _with_devices("dialect", DIALECTS, lambda device: device.dialects)


def passes() -> Mapping[str, str]:
    """All passes but xDSL's own, and those of the group `devproc.passes`."""
    return _with_devices("pass", PASSES, lambda device: device.passes)


def texts() -> Mapping[str, PrintedText]:
    """Texts that are printed from a stage, by name."""
    return _with_devices("text", {}, lambda device: device.texts)


def _with_devices(
    kind: str,
    common: Mapping[str, Entry],
    of_device: Callable[[Backend], Mapping[str, Entry]],
) -> Mapping[str, Entry]:
    """The common entries and those of devices; raises RegistrationError for a name that
    is taken."""
    found = dict(common)
    for device in backends().values():
        own = of_device(device)
        if taken := sorted(own.keys() & found.keys()):
            problem = f"there is another {kind} '{taken[0]}'; rename it"
            raise refusal(device.name, problem)
        found |= own
    return found


def load(path: str) -> Any:
    """The object that a `module:attribute` path of this registry refers to."""
    module, attribute = path.split(":")
    return getattr(import_module(module), attribute)
