"""What an import rule works with: emit ops, make constants, know the node's result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.fx import GraphModule
from xdsl.dialects.builtin import ComplexType, LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects.nn.checks import CheckOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.ir.dtypes import element_count
from devproc.ir.types import AnyTensor, tensor, tensor_of
from devproc.ir.weights.table import WeightTable
from devproc.reference.conversion.arrays import name_of, to_numpy
from devproc.reference.conversion.tensors import torch_dtype, torch_to_constant, type_of

Number: TypeAlias = int | float | bool

INLINE_LIMIT = 64
"""Elements up to which a constant of the graph stands in the text."""


@dataclass(frozen=True)
class Unavailable:
    """A result that has no meaning here; to use it is the problem `why`."""

    why: str
    remedy: str


@dataclass(frozen=True)
class Complex:
    """A complex tensor or number: its two real parts, of one shape and dtype.

    It exists in the importer alone; the IR holds the parts.
    """

    real: Any
    imaginary: Any

    @property
    def type(self) -> AnyTensor:
        """The type that the exporter knows of a tensor."""
        part = tensor_of(self.real)
        return tensor(ComplexType(part.element_type), part.get_shape())  # pyright: ignore


@dataclass(frozen=True)
class ImportRule:
    """How one ATen overload becomes `nn` ops.

    `build` takes the builder and the operator's arguments by schema, tensors as SSA
    values; it returns the result, or a tuple of them. `makes` are the op classes that
    stand for the operator, for the support matrix; empty where nothing is computed.
    """

    build: Callable[..., Any]
    makes: tuple[type[Operation], ...] = ()
    takes_dtype: bool = False
    """Whether `build` wants the keyword `dtype`, which most rules read off the result."""


class GraphBuilder:
    """Emits `nn` ops for one node after another into a block."""

    def __init__(self, weights: WeightTable):
        self.block = Block()
        self.weights = weights
        self.location: LocationAttr | None = None
        self.results: tuple[AnyTensor, ...] = ()
        """Types of the current node's results, as the exporter knows them."""
        self.node_name = ""
        self.operator = ""
        """The operator of the program that the current node is, or belongs to."""
        self.operands: Sequence[Any] = ()
        """The current node's operands as the exporter knows them: fake tensors."""
        self.inline: Callable[[GraphModule, Sequence[Any]], Any] = _not_importing
        """Imports a graph in place of the current node; the importer sets it."""
        self.has_rule: Callable[[str], bool] = _has_none
        """Whether an operator is imported as it is; the importer sets it."""

    @property
    def result(self) -> AnyTensor:
        """Type of the current node's (first) result."""
        return self.results[0]

    def emit(self, op: Operation) -> SSAValue:
        """Appends an op at the current node's location; gives its first result."""
        self.append(op)
        return op.results[0]

    def append(self, op: Operation) -> None:
        """Appends an op, with or without results, at the current node's location."""
        if self.location is not None:
            op.location = self.location
        self.block.add_op(op)

    def insert(self, op: Operation, /) -> Operation:
        """Appends an op, as the formulas of `Expressions` want it."""
        self.append(op)
        return op

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Emits into the body of an op for a while."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    def check(self, op: CheckOp) -> None:
        """Appends a check of values, at the current node's location."""
        self.append(op)

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """`value` with another element type; itself where it has that already."""
        if tensor_of(value).element_type == element:
            return value
        return self.emit(CastOp.to(value, element))

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """`value` in another shape; itself where it has that already."""
        if tensor_of(value).get_shape() == tuple(shape):
            return value
        return self.emit(ReshapeOp.to(value, shape))

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """`value` with permuted dimensions; itself where they stay."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self.emit(TransposeOp.by(value, permutation))

    def scalar(self, number: Number, element: Attribute) -> SSAValue:
        """A rank-0 constant, rounded or wrapped as PyTorch converts a Python number."""
        dtype = torch_dtype(element)
        wide = torch.int64 if isinstance(number, int) else torch.float64
        return self.constant(torch.tensor(number, dtype=wide).to(dtype), "scalar")

    def constant(self, value: torch.Tensor, name: str) -> SSAValue:
        """A tensor known now: in the text where it is small, else a named weight."""
        if value.numel() <= INLINE_LIMIT:
            return self.emit(ConstantOp(torch_to_constant(value), type_of(value)))
        return self.weight(value, name)

    def fill(self, number: Number) -> SSAValue:
        """One number everywhere, in the type of the node's result."""
        dtype = torch_dtype(self.result.element_type)
        value = torch.full(self.result.get_shape(), number, dtype=dtype)
        return self.constant(value, f"constant.{self.node_name}")

    def weight(self, value: torch.Tensor, name: str) -> SSAValue:
        """A tensor of the side table."""
        self.weights.add(name, to_numpy(value), name_of(value.dtype))
        return self.emit(WeightOp(name, self.weights.hash(name), type_of(value)))


def _has_none(overload: str) -> bool:
    """No operator has a rule before the importer says which."""
    return False


def _not_importing(module: GraphModule, operands: Sequence[Any]) -> Any:
    raise RuntimeError("this builder belongs to no import")


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor value."""
    return tensor_of(value).get_shape()


def size_of(value: SSAValue) -> int:
    """The number of elements of a tensor value."""
    return element_count(shape_of(value))


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front; rank 0 has the axes 0 and -1 as rank 1 has."""
    return axis % max(rank, 1)
