"""The constant matrices of products: how each is stored, or why it stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.dev import target_of
from devproc.ir.text.location import describe_location
from devproc.ir.types import dtype_name, tensor_of
from devproc.report.optional_tables import StoredWeight, WeightTable
from devproc.transforms.tensor.quantize_weights import kept, products_of


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
