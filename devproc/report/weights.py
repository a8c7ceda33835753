"""The constant matrices of products: how each is stored, or why it stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.dev import target_of
from devproc.ir.text.location import describe_location
from devproc.ir.types import dtype_name, tensor_of
from devproc.report.rendering import RenderedTable
from devproc.transforms.tensor.quantize_weights import kept, products_of


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
class WeightTable(RenderedTable[StoredWeight]):
    """The constant matrices of products, if the option `weights` asks for a format."""

    columns = ("weight", "where", "shape=size", "stored as=format", "why")

    @property
    def title(self) -> str:
        """How many matrices have which format."""
        counts = Counter(row.format for row in self.rows)
        listed = ", ".join(f"{count} as {name}" for name, count in counts.items())
        return f"weights of products: {listed or 'none'}"


def read_weights(module: ModuleOp) -> WeightTable:
    """The table of a module before `quantize-weights`; empty without the option."""
    return WeightTable(tuple(_rows(module)))


def _rows(module: ModuleOp) -> Iterator[StoredWeight]:
    stored = target_of(module).weight_format
    if stored is None:
        return
    for op, weight in products_of(module):
        why, type_ = kept(op, stored), tensor_of(weight.result)
        yield StoredWeight(
            weight.weight_name,
            describe_location(op.location),
            type_.get_shape(),
            str(stored) if why is None else dtype_name(type_.element_type),
            why or "",
        )
