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
    """A kernel, the user's line, and the number of its operands."""

    name: str
    where: str
    operands: int


@dataclass(frozen=True)
class BundleDescription:
    """What a bundle is: its machine, its interface, its parts."""

    schema: str
    name: str
    machine: str
    triple: str
    cpu: str
    features: tuple[str, ...]
    abi_version: int
    interface_id: str
    memory_bytes: int
    threads: ThreadsEntry
    weights: WeightsEntry
    imports: tuple[str, ...]
    functions: tuple[str, ...]
    inputs: tuple[TensorEntry, ...]
    outputs: tuple[TensorEntry, ...]
    states: tuple[TensorEntry, ...]
    kernels: tuple[KernelEntry, ...]

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
