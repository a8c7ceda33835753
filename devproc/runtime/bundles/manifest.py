"""The manifest of a saved program: everything except code, texts and weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from devproc.backend.installed import backend, device_names, package
from devproc.backend.target import parse_target
from devproc.errors import BundleError
from devproc.exactness.bound import StepBound
from devproc.ir.value_check import ValueCheck
from devproc.runtime.calls.interface import Interface
from devproc.runtime.execution.host_program import HostProgram
from devproc.runtime.reading.typed_json import member, parse_json, read_as, shown
from devproc.targets import BACKENDS

if TYPE_CHECKING:
    from devproc.runtime.bundles.artifact import Artifact

FORMAT = 12
"""Version of the format of saved programs; others are refused."""


@dataclass(frozen=True)
class Manifest:
    """The fields of `manifest.json`; see `Artifact`."""

    format: int
    devices: str
    threads: int
    interface: Interface
    calling: object
    host: HostProgram
    code: Mapping[str, tuple[str, ...]]
    """Device that has code -> the weights that the code names."""
    packages: Mapping[str, str]
    """Device that another package has -> that package."""
    needs: tuple[str, ...]
    """What the code needs of other packages, for messages."""
    exactness: tuple[StepBound, ...]
    checks: tuple[ValueCheck, ...]


def manifest_text(artifact: Artifact) -> str:
    """The manifest of a program; raises BundleError for a constant without a JSON form."""
    manifest = Manifest(
        FORMAT,
        artifact.devices,
        artifact.threads,
        artifact.interface,
        artifact.calling.as_json(),
        artifact.host,
        {name: artifact.code_weights.get(name, ()) for name in artifact.code},
        {
            name: package(name)
            for name in parse_target(artifact.devices)
            if name not in BACKENDS
        },
        tuple(
            needed
            for name, code in artifact.code.items()
            for needed in backend(name).needs(code)
        ),
        artifact.exactness,
        artifact.checks,
    )
    try:
        return json.dumps(asdict(manifest))
    except (TypeError, ValueError) as error:
        # The constants of a call may be any Python values.
        raise BundleError(f"a constant of the call cannot be saved: {error}") from error


def read_manifest(text: bytes) -> Manifest:
    """The manifest; raises BundleError naming every field that is wrong, or the packages
    of devices that are not installed."""
    data = parse_json(text, "manifest.json")
    found = member(data, "format")
    if found != FORMAT:
        raise BundleError(
            f"the program was saved in format {shown(found)}, this version reads format "
            f"{FORMAT}; compile and save it again"
        )
    manifest = read_as(Manifest, data, "manifest.json")
    missing = manifest.packages.keys() - set(device_names())
    if missing:
        devices = ", ".join(f"'{name}'" for name in sorted(missing))
        packages = ", ".join(sorted({manifest.packages[name] for name in missing}))
        raise BundleError(
            f"the program was compiled for the device {devices}, which is not installed; install "
            f"{packages}"
        )
    return manifest
