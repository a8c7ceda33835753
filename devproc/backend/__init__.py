"""Devices as plug-ins: one class says what a device is, compiles for it and runs on it.

A package adds a device with an entry point in the group `devproc.targets`:

    [project.entry-points."devproc.targets"]
    npu = "my_package.backend:NPU"

The name of the entry point is the name of the device, in `target="cpu+npu"` and in every
text. `docs/backends.md` builds one step by step. `devproc.targets` has the devices that
come with DevProc; nothing outside of a device's own package names it.
"""

from devproc.backend.backend import Argument, Backend, Composite, PrintedText
from devproc.backend.description import Description, Estimate, Link, Memory
from devproc.backend.queued import Marker, Queued
from devproc.backend.stage import Stage, pass_paths
from devproc.backend.tuner import Tuned, Tuner

__all__ = [
    "Argument",
    "Backend",
    "Composite",
    "Description",
    "Estimate",
    "Link",
    "Marker",
    "Memory",
    "PrintedText",
    "Queued",
    "Stage",
    "Tuned",
    "Tuner",
    "pass_paths",
]
