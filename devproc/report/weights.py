"""The constant matrices of products: how each is stored, or why it stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.dev import BlockFloatAttr, LaunchOp, Layout, target_of
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.shape import PackOp, ReshapeOp
from devproc.ir.program.kernel_modules import lowered_kernels
from devproc.ir.program.weight_values import weight_behind
from devproc.ir.text.location import describe_location
from devproc.ir.types import dtype_name, tensor_of
from devproc.ir.weight_format import FLOAT24
from devproc.report.optional_tables import StoredWeight, WeightTable
from devproc.transforms.kernels.weight_layouts import layout_of, read_by_element
from devproc.transforms.tensor.quantize_weights import kept, products_of
from devproc.transforms.tensor.weights import experts

ONE_FORM = "one form for any number of rows: each entry reads it"


def read_weights(module: ModuleOp) -> WeightTable:
    """The table of a module before `quantize-weights`; empty without the option."""
    return WeightTable(tuple(_rows(module)))


def _rows(module: ModuleOp) -> Iterator[StoredWeight]:
    stored = target_of(module).weight_format
    if stored is None:
        return
    found = [(op, weight, kept(op, stored)) for op, weight in products_of(module)]
    for product in experts.expert_products(module):
        why = experts.kept(product, stored)
        found.append((product.op, product.weight, why))
    for op, weight, why in found:
        type_ = tensor_of(weight.result)
        yield StoredWeight(
            weight.weight_name,
            describe_location(op.location),
            type_.get_shape(),
            str(stored) if why is None else dtype_name(type_.element_type),
            why or "",
        )


def read_packed_weights(module: ModuleOp) -> WeightTable:
    """The table of a module after `pack-weights`: the matrices that the option `float24`
    stores in 24 bits, and those that are there row-major, too, as rows of them are read."""
    packed = dict(_packings(module))
    kernels = {kernel.sym_name.data: kernel for kernel in lowered_kernels(module)}
    rows: dict[tuple[str, str], StoredWeight] = {}
    for launch in (op for op in module.walk() if isinstance(op, LaunchOp)):
        kernel = kernels.get(launch.kernel.root_reference.data)
        picked = read_by_element(kernel) if kernel is not None else ()
        for number, value in enumerate(launch.inputs):
            weight, layout = weight_behind(value), layout_of(value.type)
            if weight is None:
                continue
            if (
                isinstance(layout, BlockFloatAttr)
                and target_of(module).shares_exponents
            ):
                row = _row(launch, weight, FLOAT24, ONE_FORM)
            elif number in picked and weight.weight_name in packed:
                dtype = dtype_name(tensor_of(value).element_type)
                row = _row(
                    launch, weight, dtype, _why_twice(packed[weight.weight_name])
                )
            else:
                continue
            rows.setdefault((weight.weight_name, row.format), row)
    return WeightTable(tuple(rows.values()))


def _packings(module: ModuleOp) -> Iterator[tuple[str, Layout]]:
    """The weights that `@prepare` packs, with their layouts."""
    for op in module.walk():
        if isinstance(op, PackOp):
            source = op.operand.owner
            if isinstance(source, ReshapeOp):
                source = source.operand.owner
            if isinstance(source, WeightOp):
                yield source.weight_name, op.layout


def _why_twice(layout: Layout) -> str:
    """Why rows of a matrix are not read from the form that a product reads."""
    if isinstance(layout, BlockFloatAttr):
        return (
            "its rows, beside 24 bits for the product: weights='float24' shares those"
        )
    return f"its rows, beside #{layout.name} for the product, which has no elements"


def _row(launch: LaunchOp, weight: WeightOp, stored: str, why: str) -> StoredWeight:
    name = weight.result.name_hint or weight.weight_name
    shape = tensor_of(weight.result).get_shape()
    return StoredWeight(name, describe_location(launch.location), shape, stored, why)
