"""Saved programs: one zip with code, host program, kernels and weights."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from devproc.errors import BundleError, CompileError, RegistrationError
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.replacement import replacement
from devproc.ir.weights.table import WeightTable
from devproc.runtime.bundles.artifact import Artifact
from devproc.runtime.bundles.bundle_file import (
    DIGESTS,
    BundleFile,
    check_key,
    open_aligned,
    seal,
)
from devproc.runtime.bundles.check_artifact import check_artifact
from devproc.runtime.bundles.manifest import manifest_text, read_manifest
from devproc.runtime.calls.saved_calling import calling_from_json

if TYPE_CHECKING:
    from devproc.runtime.program import RunnableProgram

Made = TypeVar("Made")

_MANIFEST, _CODE, _PROGRAM = "manifest.json", "code", "program.mlir"
_PREPARE, _WEIGHTS = "prepare.mlir", "weights.safetensors"


class Members(Protocol):
    """The members of a zip that holds a program: a `zipfile.ZipFile` or a `BundleFile`."""

    def namelist(self) -> list[str]:
        """The names of all members."""
        ...

    def read(self, name: str, /) -> bytes:
        """The content of a member."""
        ...


def save(program: RunnableProgram, path: Path, key: bytes | None = None) -> None:
    """Writes a program with the weights it runs on; with a `key`, signed.

    Raises BundleError where the file cannot be written; an older file is left as it was.
    """
    if key is not None:
        check_key(key)
    states = {spec.name for spec in program.interface.states}
    used = sorted(program.artifact.weight_names | states)
    weights = WeightTable()
    for name in used:
        weights.add(name, program.weights.array(name), program.weights.dtype(name))
    with replacement(path) as file:
        with zipfile.ZipFile(file, "w") as bundle:
            write_artifact(bundle, program.artifact)
            with open_aligned(bundle, _WEIGHTS) as member:
                weights.write(member, ALIGNMENT)
        seal(path, file, key)


def read_bundle(
    path: Path,
    make: Callable[[Artifact, WeightTable], Made],
    *,
    verify: bool = True,
    key: bytes | None = None,
) -> Made:
    """The result of `make` for the program of a file; see `devproc.load`."""
    if not path.is_file():
        _refuse_foreign(path)
        raise BundleError(f"no saved program at {path}")
    if key is not None:
        check_key(key)
    try:
        artifact, weights = _load(path, verify or key is not None, key)
        return make(artifact, weights)
    except BundleError as error:
        _refuse_foreign(path, error)
        raise
    except (CompileError, RegistrationError) as error:
        raise BundleError(f"cannot load {path}: {error}") from error
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        raise BundleError(f"{path} needs PyTorch: {_why_torch(path)}") from error
    except MemoryError as error:
        raise BundleError(f"cannot load {path}: it needs more memory") from error
    # PyTorch, backends and the system, which read parts of a program, may raise anything.
    except Exception as error:
        raise BundleError(
            f"cannot load {path}: {type(error).__name__}: {error}"
        ) from error


def _load(path: Path, verify: bool, key: bytes | None) -> tuple[Artifact, WeightTable]:
    with path.open("rb") as file:
        bundle = BundleFile(path, file, key)
        if DIGESTS not in bundle:
            # Saved by an older version, or not a saved program.
            read_manifest(bundle.read_unchecked(_MANIFEST))
        artifact = read_artifact(bundle)
        if (why := artifact.why_not_here()) is not None:
            raise BundleError(f"cannot load {path}: {why}")
        weights = WeightTable.from_bytes(bundle.map(_WEIGHTS, verify), path)
        check_artifact(artifact, weights, f"{path}")
        return artifact, weights


def _refuse_foreign(path: Path, error: Exception | None = None) -> None:
    """Raises BundleError for a file of another known kind."""
    from devproc.runtime.bundles.files import EXPORTED, JSON, SAVED, kind_of

    kind = kind_of(path)
    if kind is None or kind is SAVED:
        return
    remedy = kind.remedy
    if kind in (EXPORTED, JSON):
        remedy = f"compile it first: devproc.compile('{path}') (devproc compile)"
    raise BundleError(
        f"{path} is {kind.what}, not a saved program; {remedy}"
    ) from error


def _why_torch(path: Path) -> str:
    """What a program needs PyTorch for, and the remedy if it is missing."""
    with path.open("rb") as file:
        manifest = read_manifest(BundleFile(path, file).read(_MANIFEST))
    if manifest.needs:
        listed = ", ".join(manifest.needs)
        return f"it runs {listed} in it (a fallback); install torch"
    return "it is called with the exported model's containers; install torch"


def write_artifact(bundle: zipfile.ZipFile, artifact: Artifact) -> None:
    """Writes everything except the weights into an open zip."""
    bundle.writestr(_MANIFEST, manifest_text(artifact))
    bundle.writestr(_PROGRAM, artifact.program_text)
    for device, code in artifact.code.items():
        bundle.writestr(f"{_CODE}/{device}", code)
    if artifact.prepare_text is not None:
        bundle.writestr(_PREPARE, artifact.prepare_text)


def read_artifact(bundle: Members) -> Artifact:
    """Reads what `write_artifact` wrote; raises BundleError for a damaged or foreign file.

    Each member is read whole, so that its CRC is checked.
    """
    names = bundle.namelist()
    manifest = read_manifest(bundle.read(_MANIFEST))

    def text(name: str) -> str:
        try:
            return bundle.read(name).decode()
        except UnicodeDecodeError as error:
            raise BundleError(f"{name} is not text: {error}") from error

    missing = [name for name in manifest.code if f"{_CODE}/{name}" not in names]
    if missing:
        raise BundleError(f"the code of {', '.join(missing)} is missing")
    return Artifact(
        manifest.devices,
        manifest.threads,
        text(_PROGRAM),
        manifest.interface,
        calling_from_json(manifest.calling, manifest.interface),
        manifest.host,
        {name: bundle.read(f"{_CODE}/{name}") for name in manifest.code},
        manifest.code,
        text(_PREPARE) if _PREPARE in names else None,
        manifest.exactness,
        manifest.checks,
    )
