"""The content of NAME.json, the description of a bundle for other tools.

The dataclasses are its schema for Python; `schema.json` is the same for others.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from devproc.errors import BundleError
from devproc.runtime.reading.typed_json import member, parse_json, read_as, shown

SCHEMA = "devproc-bundle-1"


@dataclass(frozen=True)
class TensorEntry:
    """An input, output or state; `strides` are in elements.

    `bounded_axis` is the axis whose rows are valid up to a count that another output holds.
    """

    name: str
    member: str
    dtype: str
    c_type: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    bytes: int
    layout: str
    meaning: str
    unit: str
    bounded_axis: int | None


@dataclass(frozen=True)
class ThreadsEntry:
    """Who runs parallel loops, and on how many threads by default."""

    mode: str
    default: int


@dataclass(frozen=True)
class WeightsEntry:
    """Where the weights are; `bytes` with their header, `sha256` of what follows it."""

    where: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class KernelEntry:
    """A kernel of an entry's code, the user's line, and the number of its operands.

    `bytes` of its code; calls of one kernel have it each. None where the object is no ELF.
    """

    entry: str
    cpu: str
    name: str
    where: str
    operands: int
    bytes: int | None


@dataclass(frozen=True)
class SizesEntry:
    """Bytes of the code: of all kernels, of their launches, of the C runtime, of constants."""

    kernels: int
    launches: int
    runtime: int
    tables: int


@dataclass(frozen=True)
class GPUEntry:
    """The GPUs that a bundle has code for, such as "sm_90", and bytes of an instance.

    `memory_bytes` are those of the GPU, the weights included, `locked_bytes` those of the host
    that are page-locked, beside the instance; `code_bytes` are all kernels.
    """

    archs: tuple[str, ...]
    memory_bytes: int
    locked_bytes: int
    code_bytes: int


@dataclass(frozen=True)
class LevelEntry:
    """A processor that the bundle has code for, and the instruction sets that it needs.

    `weight_bytes` are those of the weights that it reads: levels share equal ones.
    """

    cpu: str
    features: tuple[str, ...]
    weight_bytes: int


@dataclass(frozen=True)
class EntryDescription:
    """An entry, whose functions begin with `prefix`; the only one has no name.

    `states` are names. `until` is the output that ends the calls of `PREFIX_repeat`.
    """

    name: str
    prefix: str
    interface_id: str
    inputs: tuple[TensorEntry, ...]
    outputs: tuple[TensorEntry, ...]
    states: tuple[str, ...]
    until: str | None


@dataclass(frozen=True)
class BundleDescription:
    """What a bundle is: its machine, its interface, its parts."""

    schema: str
    name: str
    machine: str
    triple: str
    cpu: str
    levels: tuple[LevelEntry, ...]
    abi_version: int
    interface_id: str
    memory_bytes: int
    threads: ThreadsEntry
    weights: WeightsEntry
    imports: tuple[str, ...]
    functions: tuple[str, ...]
    entries: tuple[EntryDescription, ...]
    states: tuple[TensorEntry, ...]
    kernels: tuple[KernelEntry, ...]
    sizes: SizesEntry | None
    gpu: GPUEntry | None

    def entry(self, name: str) -> EntryDescription:
        """The entry of a name; raises BundleError naming those that there are."""
        found = next((entry for entry in self.entries if entry.name == name), None)
        if found is None:
            listed = ", ".join(repr(entry.name) for entry in self.entries)
            raise BundleError(f"no entry {name!r}; the entries are {listed}")
        return found

    def to_json(self) -> str:
        """The text of NAME.json."""
        return json.dumps(asdict(self), indent=2) + "\n"


def read_description(folder: Path) -> BundleDescription:
    """The description of the bundle in a folder.

    Raises BundleError for a folder without one, and for each field that does not fit.
    """
    found = sorted(folder.glob("*.json"))
    if len(found) != 1:
        raise BundleError(
            f"{folder} is no bundle: it has {len(found)} files *.json, one is expected; "
            "`devproc bundle SOURCE -o FOLDER` writes one"
        )
    try:
        data = parse_json(found[0].read_bytes(), str(found[0]))
    except OSError as error:
        raise BundleError(f"cannot read {found[0]}: {error}") from error
    schema = member(data, "schema")
    if schema != SCHEMA:
        raise BundleError(
            f"{found[0]} has schema {shown(schema)}, this version reads {SCHEMA}; export "
            "the bundle again"
        )
    return read_as(BundleDescription, data, str(found[0]))
