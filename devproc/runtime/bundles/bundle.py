"""Saved programs: one zip with code, host program, kernels and weights.

That of a program with several entries has a folder for each, and the weights once.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from devproc.errors import (
    BundleError,
    CompileError,
    InputError,
    RegistrationError,
)
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.replacement import replacement
from devproc.ir.weights.table import WeightTable, memory_key
from devproc.runtime.bundles.artifact import Artifact, Compiled, PackedText
from devproc.runtime.bundles.bundle_file import (
    DIGESTS,
    BundleFile,
    check_key,
    open_aligned,
    seal,
)
from devproc.runtime.bundles.check_artifact import check_artifact
from devproc.runtime.bundles.files import ENTRIES
from devproc.runtime.bundles.manifest import manifest_text, read_manifest
from devproc.runtime.calls.saved_calling import calling_from_json
from devproc.runtime.reading.typed_json import parse_json, read_as

if TYPE_CHECKING:
    from devproc.runtime.program import RunnableProgram

Made = TypeVar("Made")

_MANIFEST, _CODE, _PROGRAM = "manifest.json", "code", "program.mlir"
_PREPARE, _REPORT = "prepare.mlir", "report.json"
_WEIGHTS = "weights.safetensors"


MAPPED, IN_MEMORY = PLACES = "map", "memory"
"""Where the weights of a loaded program are: in the file, mapped, or in memory."""


@dataclass(frozen=True)
class EntriesManifest:
    """The fields of `entries.json`, in a file with several entries."""

    entries: Mapping[str, Mapping[str, str]]
    """Entry -> the names of its weights, and their names in the file."""
    properties: Mapping[str, object]


class Members(Protocol):
    """The members of a zip that holds a program: a `zipfile.ZipFile` or a `BundleFile`."""

    def namelist(self) -> list[str]:
        """The names of all members."""
        ...

    def read(self, name: str, /) -> bytes:
        """The content of a member."""
        ...


def save(program: RunnableProgram, path: Path, key: bytes | None, report: bool) -> None:
    """Writes a program with the weights it runs on; the options are those of its `save`.

    Raises BundleError where the file cannot be written; an older file is left as it was.
    """
    weights = WeightTable()
    for name in _kept_weights(program):
        weights.add(name, program.weights.array(name), program.weights.dtype(name))
    with _open_bundle(path, weights, key) as bundle:
        write_artifact(bundle, program.saved_artifact(report))


def save_entries(
    programs: Mapping[str, RunnableProgram],
    properties: Mapping[str, object],
    path: Path,
    key: bytes | None,
    report: bool,
) -> None:
    """Writes the entries of a program, with equal weights once.

    Raises BundleError where the file cannot be written; an older file is left as it was.
    """
    weights, stored = WeightTable(), dict[object, str]()
    names: dict[str, dict[str, str]] = {}
    for entry, program in programs.items():
        own = names[entry] = dict[str, str]()
        for name in _kept_weights(program):
            array, dtype = program.weights.array(name), program.weights.dtype(name)
            # Entries share the memory of equal weights.
            place = memory_key(array, dtype)
            if place not in stored:
                stored[place] = f"{entry}.{name}"
                weights.add(stored[place], array, dtype)
            own[name] = stored[place]
    with _open_bundle(path, weights, key) as bundle:
        manifest = {"entries": names, "properties": properties}
        bundle.writestr(ENTRIES, json.dumps(manifest))
        for entry, program in programs.items():
            write_artifact(bundle, program.saved_artifact(report), f"{entry}/")


def _kept_weights(program: RunnableProgram) -> list[str]:
    """The weights that a program runs on, with the first values of its states."""
    states = {spec.name for spec in program.interface.states}
    return sorted(program.artifact.weight_names | states)


@contextmanager
def _open_bundle(
    path: Path, weights: WeightTable, key: bytes | None
) -> Generator[zipfile.ZipFile]:
    """A new file, to which the weights are added at the end, and which is signed."""
    if key is not None:
        check_key(key)
    with replacement(path) as file:
        with zipfile.ZipFile(file, "w") as bundle:
            yield bundle
            with open_aligned(bundle, _WEIGHTS) as member:
                weights.write(member, ALIGNMENT)
        seal(path, file, key)


def read_bundle(
    path: Path,
    make: Callable[[Artifact, WeightTable], Made],
    *,
    verify: bool = True,
    key: bytes | None = None,
    weights: str = MAPPED,
) -> Made:
    """The result of `make` for the program of a file; see `devproc.load`."""
    check_place(weights)
    with _saved_program(path, key) as bundle:
        if ENTRIES in bundle:
            listed = ", ".join(_read_entries_manifest(bundle).entries)
            raise BundleError(
                f"{path} has the entries {listed}: read it with devproc.load_entries"
            )
        artifact = read_artifact(bundle)
        _require_here(artifact, path)
        table = _read_weights(bundle, path, verify or key is not None, weights)
        check_artifact(artifact, table, f"{path}")
        return make(artifact, table)


def read_entries(
    path: Path,
    make: Callable[[Mapping[str, Compiled], Mapping[str, object]], Made],
    *,
    verify: bool = True,
    key: bytes | None = None,
    weights: str = MAPPED,
) -> Made:
    """The result of `make` for the entries in a file; see `devproc.load_entries`."""
    check_place(weights)
    with _saved_program(path, key) as bundle:
        if ENTRIES not in bundle:
            raise BundleError(
                f"{path} has one program, no entries: read it with devproc.load"
            )
        manifest = _read_entries_manifest(bundle)
        names = manifest.entries
        artifacts = {entry: read_artifact(bundle, f"{entry}/") for entry in names}
        for artifact in artifacts.values():
            _require_here(artifact, path)
        table = _read_weights(bundle, path, verify or key is not None, weights)
        found: dict[str, Compiled] = {}
        for entry, artifact in artifacts.items():
            own = WeightTable()
            for name, stored in names[entry].items():
                if stored not in table:
                    raise BundleError(f"{path}, entry {entry}: no weight '{stored}'")
                own.alias(name, table, stored)
            check_artifact(artifact, own, f"{path}, entry {entry}")
            found[entry] = Compiled(artifact, own)
        return make(found, manifest.properties)


def _read_entries_manifest(bundle: BundleFile) -> EntriesManifest:
    data = parse_json(bundle.read(ENTRIES), ENTRIES)
    return read_as(EntriesManifest, data, ENTRIES)


@contextmanager
def _saved_program(path: Path, key: bytes | None) -> Generator[BundleFile]:
    """The file of a saved program, while it is read; what fails becomes a BundleError."""
    if not path.is_file():
        _refuse_foreign(path)
        raise BundleError(f"no saved program at {path}")
    if key is not None:
        check_key(key)
    try:
        with path.open("rb") as file:
            bundle = BundleFile(path, file, key)
            if DIGESTS not in bundle:
                # Saved by an older version, or not a saved program.
                read_manifest(bundle.read_unchecked(_MANIFEST))
            yield bundle
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


def _require_here(artifact: Artifact, path: Path) -> None:
    """Raises BundleError for a program of another machine."""
    if (why := artifact.why_not_here()) is not None:
        raise BundleError(f"cannot load {path}: {why}")


def check_place(place: str) -> None:
    """Raises InputError for anything but one of `PLACES`."""
    if place not in PLACES:
        listed = ", ".join(map(repr, PLACES))
        raise InputError(f"weights must be one of {listed}, not {place!r}")


def _read_weights(
    bundle: BundleFile, path: Path, verify: bool, place: str
) -> WeightTable:
    read = bundle.map if place == MAPPED else bundle.read_aligned
    return WeightTable.from_bytes(read(_WEIGHTS, verify), path)


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


def write_artifact(
    bundle: zipfile.ZipFile, artifact: Artifact, prefix: str = ""
) -> None:
    """Writes everything except the weights into an open zip; `prefix` begins the names."""
    bundle.writestr(f"{prefix}{_MANIFEST}", manifest_text(artifact))
    bundle.writestr(f"{prefix}{_PROGRAM}", artifact.program_text)
    for device, code in artifact.code.items():
        bundle.writestr(f"{prefix}{_CODE}/{device}", code)
    for name, content in (
        (_PREPARE, artifact.prepare_text),
        (_REPORT, artifact.report_text),
    ):
        if content is not None:
            bundle.writestr(f"{prefix}{name}", content)


def read_artifact(bundle: Members, prefix: str = "") -> Artifact:
    """Reads what `write_artifact` wrote; raises BundleError for a damaged or foreign file.

    Each member is read whole, so that its CRC is checked.
    """
    names = bundle.namelist()
    manifest = read_manifest(bundle.read(f"{prefix}{_MANIFEST}"))

    def text(name: str) -> str | None:
        if f"{prefix}{name}" not in names:
            return None
        try:
            return bundle.read(f"{prefix}{name}").decode()
        except UnicodeDecodeError as error:
            raise BundleError(f"{prefix}{name} is not text: {error}") from error

    missing = [name for name in manifest.code if f"{prefix}{_CODE}/{name}" not in names]
    if missing:
        raise BundleError(f"the code of {', '.join(missing)} is missing")
    program, prepare = text(_PROGRAM), text(_PREPARE)
    if program is None:
        raise BundleError(f"{prefix}{_PROGRAM} is missing")
    return Artifact(
        manifest.devices,
        manifest.threads,
        PackedText.of(program),
        manifest.interface,
        calling_from_json(manifest.calling, manifest.interface),
        manifest.host,
        {name: bundle.read(f"{prefix}{_CODE}/{name}") for name in manifest.code},
        manifest.code,
        None if prepare is None else PackedText.of(prepare),
        manifest.exactness,
        manifest.checks,
        text(_REPORT),
    )
