"""The manifest of a saved program: everything except code, texts and weights."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from devproc.errors import BundleError
from devproc.exactness.bound import StepBound
from devproc.ir.cpus import RequiredCPU
from devproc.ir.value_check import ValueCheck
from devproc.runtime.calls.interface import Interface
from devproc.runtime.execution.host_program import HostProgram
from devproc.runtime.reading.typed_json import member, parse_json, read_as, shown
from devproc.targets.cpu.violations import CheckedAccess

if TYPE_CHECKING:
    from devproc.runtime.bundles.artifact import Artifact
    from devproc.targets.triton.kernel import TritonKernel

FORMAT = 6
"""Version of the format of saved programs; others are refused."""


@dataclass(frozen=True)
class Manifest:
    """The fields of `manifest.json`; see `Artifact`."""

    format: int
    devices: str
    threads: int
    cpu: RequiredCPU
    interface: Interface
    calling: object
    host: HostProgram
    kernels: Mapping[str, object]
    in_torch: tuple[str, ...]
    """The operators that PyTorch runs."""
    object_files: int | None
    accesses: tuple[CheckedAccess, ...]
    exactness: tuple[StepBound, ...]
    checks: tuple[ValueCheck, ...]

    def triton_kernels(self) -> dict[str, TritonKernel]:
        """The GPU kernels by name; raises BundleError for a damaged one."""
        if not self.kernels:
            return {}  # a CPU program loads without the printer of Triton
        from devproc.targets.triton.kernel import TritonKernel

        return {
            name: read_as(TritonKernel, data, f"kernel '{name}'")
            for name, data in self.kernels.items()
        }


def manifest_text(artifact: Artifact) -> str:
    """The manifest of a program; raises BundleError for a constant without a JSON form."""
    manifest = Manifest(
        FORMAT,
        artifact.devices,
        artifact.threads,
        artifact.cpu,
        artifact.interface,
        artifact.calling.as_json(),
        artifact.host,
        {name: asdict(kernel) for name, kernel in artifact.kernels.items()},
        _operators_in(artifact.host_text),
        None if artifact.object_code is None else len(artifact.object_code),
        artifact.accesses,
        artifact.exactness,
        artifact.checks,
    )
    try:
        return json.dumps(asdict(manifest))
    except (TypeError, ValueError) as error:
        # The constants of a call may be any Python values.
        raise BundleError(f"a constant of the call cannot be saved: {error}") from error


def read_manifest(text: bytes) -> Manifest:
    """The manifest; raises BundleError naming every field that is wrong."""
    data = parse_json(text, "manifest.json")
    found = member(data, "format")
    if found != FORMAT:
        raise BundleError(
            f"the program was saved in format {shown(found)}, this version reads format "
            f"{FORMAT}; compile and save it again"
        )
    return read_as(Manifest, data, "manifest.json")


def _operators_in(host_text: str | None) -> tuple[str, ...]:
    """The operators of PyTorch that a program calls."""
    found = re.findall(r'dev\.host_call "([^"]+)"', host_text or "")
    return tuple(sorted(set(found)))
