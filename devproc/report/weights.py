"""The constant matrices of products: how each is stored, or why it stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.dev import BlockFloatAttr, LaunchOp, target_of
from devproc.dialects.nn.constant import WeightOp
from devproc.ir.text.location import describe_location
from devproc.ir.types import dtype_name, tensor_of
from devproc.ir.weight_format import FLOAT24
from devproc.report.optional_tables import StoredWeight, WeightTable
from devproc.transforms.kernels.weight_layouts import layout_of
from devproc.transforms.tensor.quantize_weights import kept, products_of

ONE_FORM = "one form for any number of rows: each entry reads it"


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


def read_shared_weights(module: ModuleOp) -> WeightTable:
    """The table of a module after `pack-weights`: the matrices that the option `float24`
    stores in 24 bits; empty without it."""
    rows: dict[str, StoredWeight] = {}
    launches = (op for op in module.walk() if isinstance(op, LaunchOp))
    for launch in launches if target_of(module).shares_exponents else ():
        for weight in (value.owner for value in launch.inputs):
            is_stored = isinstance(weight, WeightOp) and isinstance(
                layout_of(weight.result.type), BlockFloatAttr
            )
            if isinstance(weight, WeightOp) and is_stored:
                name = weight.result.name_hint or weight.weight_name
                where = describe_location(launch.location)
                shape = tensor_of(weight.result).get_shape()
                row = StoredWeight(name, where, shape, FLOAT24, ONE_FORM)
                rows.setdefault(weight.weight_name, row)
    return WeightTable(tuple(rows.values()))
