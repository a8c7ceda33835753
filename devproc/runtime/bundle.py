"""Saved programs: one zip with code, host program, kernels and weights."""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from devproc.errors import BundleError
from devproc.exactness.bound import StepBound
from devproc.ir.cpus import RequiredCPU
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.weights import WeightTable
from devproc.runtime.calling import calling_from_json
from devproc.runtime.host_program import HostProgram, with_tuples
from devproc.runtime.interface import Interface
from devproc.runtime.value_checks import ValueCheck
from devproc.targets.cpu.violations import CheckedAccess

if TYPE_CHECKING:
    from devproc.runtime.program import Artifact, Program
    from devproc.targets.triton.kernel import TritonKernel

FORMAT = 6
"""Version of the layout below; a program of another one is refused."""

_MANIFEST, _OBJECT, _PROGRAM = "manifest.json", "code", "program.mlir"
_PREPARE, _WEIGHTS = "prepare.mlir", "weights.safetensors"
_HOST, _POOL = "host.mlir", "pool.o"

_LOCAL_HEADER, _LONG_SIZES = 30, 20
"""Bytes in front of the name of a file of a zip, and of its sizes of 64 bits."""

_EXTRA, _ALIGNMENT_EXTRA = struct.Struct("<HH"), 0xD935
"""An extra field, and the kind of one that is padding."""


def save(program: Program, path: Path) -> None:
    """Writes a program with the weights it runs on."""
    host = program.artifact.host
    states = {spec.name for spec in program.interface.states}
    used = sorted({s.key for s in host.slots if s.kind == "weight"} | states)
    weights = WeightTable()
    for key in used:
        weights.add(key, program.weights.array(key), program.weights.dtype(key))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(part, "w") as bundle:
            write_artifact(bundle, program.artifact)
            with _open_aligned(bundle, _WEIGHTS) as file:
                weights.write(file, ALIGNMENT)
        # Whole or not at all; a program that has mapped the old file keeps its content.
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _open_aligned(bundle: zipfile.ZipFile, name: str) -> IO[bytes]:
    """A file of the zip, to write, whose content begins at a cache line."""
    entry = zipfile.ZipInfo(name)
    begin = bundle.start_dir + _LOCAL_HEADER + len(name) + _LONG_SIZES + _EXTRA.size
    padding = -begin % ALIGNMENT
    entry.extra = _EXTRA.pack(_ALIGNMENT_EXTRA, padding) + bytes(padding)
    return bundle.open(entry, "w", force_zip64=True)


def _content_begin(path: Path, entry: zipfile.ZipInfo) -> int:
    """Where the content of an uncompressed file of a zip begins."""
    with path.open("rb") as file:
        file.seek(entry.header_offset + _LOCAL_HEADER - 4)
        name, extra = struct.unpack("<HH", file.read(4))
    return entry.header_offset + _LOCAL_HEADER + name + extra


def load(path: str | Path) -> Program:
    """The program of a file; raises BundleError if missing, damaged or foreign."""
    from devproc.runtime.program import Program

    path = Path(path)
    if not path.is_file():
        raise BundleError(f"no saved program at {path}")
    try:
        with zipfile.ZipFile(path) as bundle:
            artifact = read_artifact(bundle)
            if (why := artifact.why_not_here()) is not None:
                raise BundleError(f"cannot load {path}: {why}")
            begin = _content_begin(path, bundle.getinfo(_WEIGHTS))
            weights = WeightTable.load(path, begin)
            return Program(artifact, weights)
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError, EOFError) as error:
        raise BundleError(
            f"{path} is not a whole saved program ({error}); save it again"
        ) from error
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        raise BundleError(f"{path} needs PyTorch: {_why_torch(path)}") from error


def _why_torch(path: Path) -> str:
    """What a program needs PyTorch for, and what to do where it is missing."""
    with zipfile.ZipFile(path) as bundle:
        manifest = json.loads(bundle.read(_MANIFEST))
    operators = manifest["in_torch"]
    if operators:
        return f"it runs {', '.join(operators)} in it (a fallback); install torch"
    return "it is called with the exported model's containers; install torch"


def write_artifact(bundle: zipfile.ZipFile, artifact: Artifact) -> None:
    """Everything but the weights, into an open zip."""
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "devices": artifact.devices,
        "threads": artifact.threads,
        "cpu": asdict(artifact.cpu),
        "interface": artifact.interface.as_json(),
        "calling": artifact.calling.as_json(),
        "host": artifact.host.as_json(),
        "kernels": {name: asdict(k) for name, k in artifact.kernels.items()},
        "in_torch": _operators_in(artifact.host_text),
        "object_files": artifact.object_code and len(artifact.object_code),
        "accesses": [asdict(access) for access in artifact.accesses],
        "exactness": [asdict(bound) for bound in artifact.exactness],
        "checks": [asdict(check) for check in artifact.checks],
    }
    bundle.writestr(_MANIFEST, json.dumps(manifest))
    bundle.writestr(_PROGRAM, artifact.program_text)
    for number, code in enumerate(artifact.object_code or ()):
        bundle.writestr(f"{_OBJECT}/{number}.o", code)
    if artifact.prepare_text is not None:
        bundle.writestr(_PREPARE, artifact.prepare_text)
    if artifact.host_text is not None:
        bundle.writestr(_HOST, artifact.host_text)
    _write_pool(bundle, artifact)


def _write_pool(bundle: zipfile.ZipFile, artifact: Artifact) -> None:
    """The thread pool, where the code uses it: so that loading needs no LLVM."""
    from devproc.targets.cpu.native_code import uses_thread_pool

    if artifact.object_code is None or not uses_thread_pool(artifact.object_code):
        return
    from devproc.targets.cpu.thread_pool import thread_pool_object

    bundle.writestr(_POOL, artifact.pool_code or thread_pool_object(artifact.cpu.name))


def _operators_in(host_text: str | None) -> list[str]:
    """The operators of PyTorch that a program calls."""
    found = re.findall(r'dev\.host_call "([^"]+)"', host_text or "")
    return sorted(set(found))


def read_artifact(bundle: zipfile.ZipFile) -> Artifact:
    """What `write_artifact` wrote; raises BundleError for another format."""
    from devproc.runtime.program import Artifact

    names = set(bundle.namelist())
    manifest = json.loads(bundle.read(_MANIFEST))
    if manifest["format"] != FORMAT:
        raise BundleError(
            f"the program was saved in format {manifest['format']}, this version reads "
            f"format {FORMAT}; compile and save it again"
        )
    interface = Interface.from_json(manifest["interface"])
    return Artifact(
        manifest["devices"],
        manifest["threads"],
        RequiredCPU(**with_tuples(manifest["cpu"])),
        bundle.read(_PROGRAM).decode(),
        interface,
        calling_from_json(manifest["calling"], interface),
        HostProgram.from_json(manifest["host"]),
        _read_objects(bundle, manifest["object_files"]),
        _read_kernels(manifest["kernels"]),
        bundle.read(_PREPARE).decode() if _PREPARE in names else None,
        bundle.read(_HOST).decode() if _HOST in names else None,
        bundle.read(_POOL) if _POOL in names else None,
        tuple(CheckedAccess(**access) for access in manifest["accesses"]),
        tuple(StepBound(**bound) for bound in manifest["exactness"]),
        tuple(ValueCheck(**with_tuples(check)) for check in manifest["checks"]),
    )


def _read_objects(
    bundle: zipfile.ZipFile, count: int | None
) -> tuple[bytes, ...] | None:
    if count is None:
        return None
    return tuple(bundle.read(f"{_OBJECT}/{number}.o") for number in range(count))


def _read_kernels(data: dict[str, Any]) -> dict[str, TritonKernel]:
    if not data:
        return {}  # a CPU program loads without what prints Triton
    from devproc.targets.triton.kernel import TritonKernel

    return {name: TritonKernel(**with_tuples(kernel)) for name, kernel in data.items()}
