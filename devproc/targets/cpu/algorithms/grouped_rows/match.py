"""Finds products of rows, each with a matrix that an index picks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import f32
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from devproc.algorithms.base import KernelOps
from devproc.targets.cpu.transforms.loops.combiners import accumulates_in_float
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.groups import nests_of
from devproc.targets.cpu.transforms.nests.loop_space import Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.nest_emitter import can_vectorize_nest


@dataclass(frozen=True)
class Picked:
    """The index of a matrix: a value of a body, computed from one of its arguments."""

    index: SSAValue
    argument: BlockArgument
    matrices: int
    ops: Sequence[Operation]
    """The ops that compute it, in order."""


@dataclass(frozen=True)
class GroupedProduct:
    """out[s, n] += matrices[index[s], n, k] * x[s, k], over one or more loops k."""

    nest: Nest
    picked: Picked
    row: int
    column: int

    @property
    def ops(self) -> Sequence[StructuredOp]:
        """The ops of the nest."""
        return self.nest.ops

    @property
    def rows(self) -> int:
        """The number of rows s."""
        return self.nest.sizes[self.row]

    @property
    def columns(self) -> int:
        """The number of columns n of each matrix."""
        return self.nest.sizes[self.column]

    @property
    def inner(self) -> int:
        """The innermost loop of the sum, along which vectors are."""
        return self.nest.reductions[-1]

    @property
    def matrix_loads(self) -> list[memref.LoadOp]:
        """The loads of the matrices whose vectors are adjacent along the sum, if their
        indices are those of loops."""
        nest, picked = self.nest, self.picked.index

        def is_plain(load: memref.LoadOp) -> bool:
            return all(
                index is picked or isinstance(index.owner, IndexOp)
                for index in load.indices
            )

        body = nest.anchor.body.block
        return [op for op in body.ops if isinstance(op, memref.LoadOp) and is_plain(op)]

    @property
    def index_operand(self) -> Operand:
        """The operand from which the index of a row's matrix is computed."""
        return self.nest.inputs[self.picked.argument.index]


def match(kernel: KernelOps) -> Iterator[GroupedProduct]:
    """The products of a kernel with picked matrices."""
    if kernel.family != "reduction":
        return
    for nest in nests_of(kernel):
        found = _product(nest)
        if found is not None:
            yield found


def _product(nest: Nest) -> GroupedProduct | None:
    anchor = nest.anchor
    loads = [op for op in anchor.body.block.ops if isinstance(op, memref.LoadOp)]
    if not loads or nest.epilogue is not None or nest.starts[0] is None:
        return None
    picked = _picked(loads)
    if picked is None or not accumulates_in_float(anchor):
        return None
    nest.simplify()
    parallel = [loop for loop, is_one in enumerate(nest.parallel) if is_one]
    by_row = nest.inputs[picked.argument.index].map.used_dims()
    rows = [loop for loop in parallel if loop in by_row]
    columns = [loop for loop in parallel if loop not in by_row]
    if len(rows) != 1 or len(columns) != 1 or len(by_row) != 1:
        return None
    found = GroupedProduct(nest, picked, rows[0], columns[0])
    return found if _is_readable(found, loads) else None


def _picked(loads: Sequence[memref.LoadOp]) -> Picked | None:
    """The one index of these loads that is computed from an argument, and only from it."""
    found: dict[SSAValue, Picked] = {}
    for load in loads:
        shape = memref_of(load.memref).get_shape()
        for index, size in zip(load.indices, shape, strict=True):
            ops = _ops_of(index)
            arguments = {
                value
                for op in ops
                for value in op.operands
                if isinstance(value, BlockArgument)
            }
            if not arguments:
                continue
            picked = Picked(index, arguments.pop(), size, ops)
            if (
                arguments
                or any(isinstance(op, IndexOp | memref.LoadOp) for op in ops)
                or found.setdefault(index, picked).matrices != size
                or _is_used_elsewhere(picked)
            ):
                return None
    return found.popitem()[1] if len(found) == 1 else None


def _is_used_elsewhere(picked: Picked) -> bool:
    """Whether a body needs more of what computes an index than the index."""
    return any(
        use.operation not in picked.ops
        for op in picked.ops
        for value in op.results
        if value is not picked.index and not isinstance(op, arith.ConstantOp)
        for use in value.uses
    )


def _is_readable(product: GroupedProduct, loads: Sequence[memref.LoadOp]) -> bool:
    """Whether vectors along the sum are adjacent in memory, and sums are float32."""
    nest, inner = product.nest, product.inner
    body = nest.anchor.body.block
    loops: dict[SSAValue, int | None] = {
        op.results[0]: nest.loops[op.dim.value.data]
        for op in body.ops
        if isinstance(op, IndexOp)
    }
    return (
        product.row not in loops.values()
        and any(loops.get(load.indices[-1]) == inner for load in loads)
        and can_vectorize_nest(nest, inner)
        and all(operand.stride(inner) in (0, 1) for operand in nest.inputs)
        and nest.outputs[0].stride(product.column) == 1
        and memref_of(nest.outputs[0].value).element_type == f32
    )


def _ops_of(index: SSAValue) -> Sequence[Operation]:
    """The ops of a body that compute an index, in order."""
    found, pending = set[Operation](), [index]
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner not in found:
            found.add(owner)
            pending += owner.operands
    body = next(iter(found)).parent if found else None
    return [op for op in body.ops if op in found] if body is not None else []
