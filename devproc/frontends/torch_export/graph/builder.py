"""The builder that import rules emit ops with, and the tables' row type."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.fx import GraphModule
from xdsl.dialects.builtin import ComplexType, LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.ir.dtypes import element_count
from devproc.ir.types import AnyTensor, tensor, tensor_of
from devproc.ir.weights.table import WeightTable
from devproc.reference.conversion.arrays import name_of, to_numpy
from devproc.reference.conversion.tensors import torch_dtype, torch_to_constant, type_of

Number: TypeAlias = int | float | bool

INLINE_LIMIT = 64
"""Largest constant, in elements, that is printed inline; larger ones become weights."""


class Unavailable(Refusal):
    """A result that is not computed: a node that uses it is refused for this reason."""


@dataclass(frozen=True)
class Complex:
    """A complex tensor or number as two real parts of the same shape and dtype.

    It exists only in the importer; the IR holds the parts.
    """

    real: Any
    imaginary: Any

    @property
    def type(self) -> AnyTensor:
        """The complex tensor type that the exporter recorded."""
        part = tensor_of(self.real)
        return tensor(ComplexType(part.element_type), part.get_shape())  # pyright: ignore


@dataclass(frozen=True)
class ImportRule:
    """How one ATen overload is imported as `nn` ops.

    `build` takes the builder and the operator's arguments in schema order, with tensors
    as SSA values, and returns the result or a tuple of results. `makes` lists the op
    classes that implement the operator, for the support matrix; it is empty where
    nothing is computed.
    """

    build: Callable[..., Any]
    makes: tuple[type[Operation], ...] = ()
    takes_dtype: bool = False
    """Whether `build` takes the keyword `dtype`; most rules read it off the result type."""


def overloads(names: str) -> list[str]:
    """The full names of a space-separated list: `relu` is `aten.relu.default` and
    `add.Tensor` is `aten.add.Tensor`.
    """
    return [f"aten.{n}" if "." in n else f"aten.{n}.default" for n in names.split()]


def rows_of(rule: ImportRule, names: str) -> dict[str, ImportRule]:
    """Table rows for operators that share an import rule; see `overloads`."""
    return dict.fromkeys(overloads(names), rule)


class GraphBuilder:
    """Emits the `nn` ops of one node after another into a block."""

    def __init__(self, weights: WeightTable):
        self.block = Block()
        self.weights = weights
        self.location: LocationAttr | None = None
        self.results: tuple[AnyTensor, ...] = ()
        """Types of the current node's results, as the exporter recorded them."""
        self.node_name = ""
        self.operator = ""
        """The program's operator that the current node is, or is part of."""
        self.operands: Sequence[Any] = ()
        """The current node's operands as the exporter recorded them: fake tensors."""
        self.inline: Callable[[GraphModule, Sequence[Any]], Any] = _not_importing
        """Imports a graph in place of the current node; set by the importer."""
        self.has_rule: Callable[[str], bool] = lambda overload: False
        """Whether an operator has an import rule; set by the importer."""

    @property
    def result(self) -> AnyTensor:
        """Type of the current node's (first) result."""
        return self.results[0]

    def emit(self, op: Operation) -> SSAValue:
        """Appends an op at the current node's location; returns its first result."""
        return self.insert(op).results[0]

    def insert(self, op: Operation, /) -> Operation:
        """Appends an op, with or without results, at the current node's location."""
        if self.location is not None:
            op.location = self.location
        self.block.add_op(op)
        return op

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Emits into another block, the body of an op, within the `with` statement."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """`value` with this element type; unchanged if it already has it."""
        if tensor_of(value).element_type == element:
            return value
        return self.emit(CastOp.to(value, element))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """`value` in this shape; unchanged if it already has it."""
        if tensor_of(value).get_shape() == tuple(shape):
            return value
        return self.emit(ReshapeOp.to(value, shape))

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """`value` with permuted dimensions; unchanged for the identity."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self.emit(TransposeOp.by(value, permutation))

    def scalar(self, number: Number, element: Attribute) -> SSAValue:
        """A rank-0 constant, converted from a Python number as PyTorch does."""
        dtype = torch_dtype(element)
        wide = torch.int64 if isinstance(number, int) else torch.float64
        return self.constant(torch.tensor(number, dtype=wide).to(dtype), "scalar")

    def constant(self, value: torch.Tensor, name: str) -> SSAValue:
        """A tensor known at import: an inline constant if small, else a named weight."""
        if value.numel() <= INLINE_LIMIT:
            return self.emit(ConstantOp(torch_to_constant(value), type_of(value)))
        return self.weight(value, name)

    def fill(self, number: Number) -> SSAValue:
        """A tensor of the node's result type filled with one number."""
        dtype = torch_dtype(self.result.element_type)
        value = torch.full(self.result.get_shape(), number, dtype=dtype)
        return self.constant(value, f"constant.{self.node_name}")

    def weight(self, value: torch.Tensor, name: str) -> SSAValue:
        """A tensor in the weight table, referenced by name."""
        self.weights.add(name, to_numpy(value), name_of(value.dtype))
        return self.emit(WeightOp(name, self.weights.hash(name), type_of(value)))


def _not_importing(module: GraphModule, operands: Sequence[Any]) -> Any:
    raise RuntimeError("this builder belongs to no import")


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor value."""
    return tensor_of(value).get_shape()


def size_of(value: SSAValue) -> int:
    """The number of elements of a tensor value."""
    return element_count(shape_of(value))


def axis_of(axis: int, rank: int) -> int:
    """A non-negative axis number; rank 0 accepts the axes 0 and -1, as PyTorch does."""
    return axis % max(rank, 1)
