"""The tables of a report that only some programs have rows for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devproc.backend.description import Estimate
from devproc.errors import counted
from devproc.exactness.bound import StepBound
from devproc.report.rendering import RenderedTable


@dataclass(frozen=True)
class Fallback:
    """An operator that PyTorch runs, and the bytes of its results copied to memory."""

    operator: str
    where: str
    why: str
    byte_count: int


@dataclass(frozen=True, repr=False)
class FallbackTable(RenderedTable):
    """What runs in PyTorch because it is not supported (`fallback="torch"`)."""

    columns = ("operator", "where", "why", ">bytes=byte_count")
    rows: tuple[Fallback, ...]

    @property
    def title(self) -> str:
        """Operators and bytes."""
        total = sum(row.byte_count for row in self.rows)
        count = counted(len(self.rows), "operator")
        return f"in PyTorch: {count}, {total:,} bytes copied"


@dataclass(frozen=True)
class Region:
    """A function of a device, with what its backend estimates."""

    device: str
    estimate: Estimate


@dataclass(frozen=True, repr=False)
class RegionTable(RenderedTable):
    """The functions of devices that estimate them: time, use of the device, roofline."""

    columns = (
        *("region", "device", ">cycles", ">us", ">operations", ">% of peak"),
        *(">operations/byte", "bound by", "bytes"),
    )
    rows: tuple[Region, ...]

    @property
    def title(self) -> str:
        """Regions and their time together."""
        total = sum(row.estimate.seconds for row in self.rows)
        return f"regions, estimated: {len(self.rows)}, {1e6 * total:,.1f} us"

    def cells(self) -> Iterable[Sequence[object]]:
        """A line for each region."""
        for row in self.rows:
            found = row.estimate
            moved = (f"{name} {count:,}" for name, count in found.byte_counts.items())
            yield (
                *(found.symbol, row.device, f"{found.cycles:,}"),
                *(f"{1e6 * found.seconds:,.1f}", f"{found.operations:,}"),
                *(f"{100 * found.utilisation:.1f}", f"{found.intensity:,.1f}"),
                *(found.bound, ", ".join(moved)),
            )


@dataclass(frozen=True, repr=False)
class ExactnessTable(RenderedTable):
    """The steps with the bound of each to its library; tests hold the bounds."""

    columns = ("step", "where", "of", "bound", "reference")
    rows: tuple[StepBound, ...]

    @property
    def title(self) -> str:
        """Steps, and how many are bit-exact."""
        exact = sum(not row.limit for row in self.rows)
        return f"exactness: {len(self.rows)} steps, {exact} of them bit-exact"

    def cells(self) -> Iterable[Sequence[object]]:
        """A line for each step."""
        for row in self.rows:
            form = tuple(filter(None, (row.like, row.mode, row.dtype)))
            yield row.step, row.where, form, row.promise, row.reference


@dataclass(frozen=True)
class TokenizedInput:
    """An input of the program, and the hash of the tokenizer that produces it."""

    name: str
    tokenizer: str


@dataclass(frozen=True, repr=False)
class TokenizerTable(RenderedTable):
    """The inputs that the package `tokenizers` produces on the host before each run."""

    columns = ("input=name", "tokenizer")
    rows: tuple[TokenizedInput, ...]

    @property
    def title(self) -> str:
        """The number of such inputs."""
        return f"on the host: {len(self.rows)} inputs are tokens of texts"


@dataclass(frozen=True)
class LaunchRun:
    """Launches on one device that nothing interrupts; a device may queue them as one graph.

    Buffers of launches stay from call to call, so only steps of another kind end a run.
    """

    device: str
    launches: int
    ended_by: str


@dataclass(frozen=True, repr=False)
class LaunchTable(RenderedTable):
    """The runs of launches of a program, loops unrolled."""

    columns = ("device", ">launches", "ended by=ended_by")
    rows: tuple[LaunchRun, ...]

    @property
    def title(self) -> str:
        """Launches and runs."""
        launches = sum(row.launches for row in self.rows)
        return f"queued launches: {launches} in {counted(len(self.rows), 'run')}"


@dataclass(frozen=True)
class State:
    """A state, and how a call updates it: in place, or why not."""

    name: str
    type: str
    byte_count: int
    in_place: bool
    update: str


@dataclass(frozen=True, repr=False)
class StateTable(RenderedTable):
    """The states of a program: tensors that are kept from call to call."""

    columns = ("state=name", "type", ">bytes=byte_count", "update")
    rows: tuple[State, ...]
    repeated: str = ""
    """How calls of a program that can be repeated follow each other."""

    @property
    def title(self) -> str:
        """States, and how many are updated in place."""
        count = sum(row.in_place for row in self.rows)
        repeated = f"; {self.repeated}" if self.repeated else ""
        return f"states: {len(self.rows)}, {count} of them updated in place{repeated}"


@dataclass(frozen=True)
class StoredWeight:
    """A constant matrix, where it is read, its format, and why it is not the one asked
    for."""

    weight: str
    where: str
    shape: tuple[int, ...]
    format: str
    why: str

    @property
    def size(self) -> str:
        """`4096 x 4096`."""
        return " x ".join(map(str, self.shape))


@dataclass(frozen=True, repr=False)
class WeightTable(RenderedTable):
    """The constant matrices of products, if the option `weights` asks for a format."""

    columns = ("weight", "where", "shape=size", "stored as=format", "why")
    rows: tuple[StoredWeight, ...]

    @property
    def title(self) -> str:
        """How many matrices have which format."""
        counts = Counter(row.format for row in self.rows)
        listed = ", ".join(f"{count} as {name}" for name, count in counts.items())
        return f"weights of products: {listed or 'none'}"
