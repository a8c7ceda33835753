"""Shared by the algorithms of products with a custom weight layout.

out[m..., n] += x[m..., k...] * weight[n, k...]: linear layers and convolutions; the
type of the weight's memref has the layout.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import TypeVar

from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms.base import KernelOps
from devproc.dialects.dev import Layout, LayoutAttr, TargetAttr, stored_as
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.access import apply_map
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.loops.lanewise import Lanewise
from devproc.targets.cpu.transforms.loops.vector_types import vector_type
from devproc.targets.cpu.transforms.nests.groups import match_group, without_epilogue
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    PartEmitter,
    can_vectorize_nest,
    lanes_along,
)

LayoutT = TypeVar("LayoutT", bound=Layout)


def products_with(
    kernel: KernelOps,
    layout: type[LayoutT],
    is_wanted: Callable[[LayoutT], bool] = lambda _: True,
) -> Iterator[Nest]:
    """The products of a kernel whose weight, the second input, is in a wanted layout of
    this class; with their epilogue if that can be vectorised along columns."""
    for position in kernel.shared(_products_by_layout)[layout]:
        found = stored_as(kernel.structured[position].inputs[1], layout)
        if found is None or not is_wanted(found):
            continue
        nest = match_group(kernel.structured, position)
        yield nest if takes_epilogue(nest) else without_epilogue(nest)


def _products_by_layout(kernel: KernelOps) -> Mapping[type[Layout], Sequence[int]]:
    """The places of the ops with two inputs, by the layout of the second."""
    found: defaultdict[type[Layout], list[int]] = defaultdict(list)
    for position, op in enumerate(kernel.structured):
        if len(op.inputs) == 2 and isinstance(op.inputs[1].type, MemRefType):
            layout = stored_as(op.inputs[1], Layout)
            if layout is not None:
                found[type(layout)].append(position)
    return found


def weight_of(nest: Nest, layout: type[LayoutT]) -> LayoutT:
    """The layout of the weight of one of these products."""
    found = stored_as(nest.inputs[1].value, layout)
    assert found is not None
    return found


def takes_epilogue(nest: Nest) -> bool:
    """Whether the epilogue of a matrix product can be vectorised along its columns."""
    column = _column_of(nest)
    others = [operand for operand in nest.operands if operand not in nest.inputs]
    return can_vectorize_nest(nest, column, others) and all(
        result.stride(column) == 1 for result in nest.results
    )


def _column_of(nest: Nest) -> int:
    """The one parallel loop of the weight."""
    used = nest.inputs[1].map.used_dims()
    columns = [loop for loop in used if nest.parallel[loop]]
    if len(columns) != 1:
        raise PassFailedException(
            f"a weight in such a layout has one parallel loop, this one {len(columns)};"
            f" give it a layout #{LayoutAttr.name}"
        )
    return columns[0]


class Product:
    """The loops of a product: rows, columns, and the depth that is reduced.

    Rows are numbered through all parallel loops except the columns, the depth through
    all reduction loops.
    """

    def __init__(self, nest: Nest):
        nest.simplify()
        self.nest = nest
        self.column = _column_of(nest)
        parallel = (loop for loop, is_one in enumerate(nest.parallel) if is_one)
        self.row_loops = [loop for loop in parallel if loop != self.column]
        self.rows = prod(nest.sizes[loop] for loop in self.row_loops)
        self.columns = nest.sizes[self.column]
        self.depth = prod(nest.sizes[loop] for loop in nest.reductions)

    @property
    def ops(self) -> Sequence[StructuredOp]:
        """The ops of the nest."""
        return self.nest.ops


class LinearLoops(PartEmitter):
    """Emits a product of f32 in vectors of `wide` lanes; its epilogue may need fewer,
    `lanes`."""

    def __init__(self, product: Product, emitter: Emitter, target: TargetAttr):
        nest, column, bits = (
            product.nest,
            product.column,
            machine_of(target).vector_bits.data,
        )
        super().__init__(nest, column, emitter, lanes_along(nest, column, bits))
        self.row_loops, self.rows = product.row_loops, product.rows
        self.columns, self.depth = product.columns, product.depth
        self.wide = bits // 32
        self.lanewise = Lanewise(emitter, vector_type(f32, self.wide))

    def stand_at(self, row: SSAValue) -> None:
        """Set the indices of the loops of the rows."""
        self._count_through(self.row_loops, row)

    def stand_at_term(self, term: SSAValue) -> None:
        """Set the indices of the loops of the depth."""
        self._count_through(self.nest.reductions, term)

    def _count_through(self, loops: Sequence[int], number: SSAValue) -> None:
        for loop in reversed(loops):
            size = self.nest.sizes[loop]
            last = loop == loops[0]
            self.point[loop] = number if last else self.emitter.mod(number, size)
            number = number if last else self.emitter.div(number, size)

    def left_vector(self, term: SSAValue) -> SSAValue:
        """A vector of terms of the current row, from this one on."""
        left = self.nest.inputs[0]
        self.stand_at_term(term)
        place = apply_map(self.emitter, left.map, self.point)
        return self.emitter.load_vector(left.value, place, self.wide)
