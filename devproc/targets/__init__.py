"""The devices that come with DevProc: a folder for each, with its backend."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devproc.backend import Backend
    from devproc.backend.stage import Stage

BACKENDS: dict[str, str] = {
    "cpu": "devproc.targets.cpu.backend:CPU",
    "cuda": "devproc.targets.triton.backend:Triton",
    "host": "devproc.targets.host.backend:Host",
}
"""The name of a device -> its `devproc.backend.Backend`; other packages add theirs with
entry points in the group `devproc.targets`."""


@cache
def built_in(name: str) -> Backend:
    """A device that comes with DevProc."""
    path, attribute = BACKENDS[name].split(":")
    made: Backend = getattr(import_module(path), attribute)()
    made.name = name
    return made


def device_stages() -> list[Stage]:
    """The stages of these devices."""
    return [stage for name in BACKENDS for stage in built_in(name).stages]
