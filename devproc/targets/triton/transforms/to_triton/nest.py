"""The ops of one block program, and which of their results are needed outside."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import KernelOps
from devproc.dialects.plan import ViewOp
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.program.kernel_modules import SCRATCH
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    generic_of,
    memref_of,
    root_of,
)


@dataclass(frozen=True)
class BlockNest:
    """All ops of one block program, in order."""

    generics: tuple[Generic, ...]

    @property
    def ops(self) -> list[Operation]:
        """The ops themselves."""
        return [generic.op for generic in self.generics]

    @lazy_property
    def kernel(self) -> FuncOp:
        """The function that contains the ops."""
        op = self.generics[0].op.parent_op()
        while op is not None and not isinstance(op, FuncOp):
            op = op.parent_op()
        assert op is not None
        return op

    @property
    def arguments(self) -> tuple[SSAValue, ...]:
        """The memref arguments of the kernel."""
        return tuple(self.kernel.body.block.args)

    @lazy_property
    def scratch(self) -> frozenset[SSAValue]:
        """Arguments that only these ops access, which need not be written."""
        marked = self.kernel.attributes.get(SCRATCH)
        if not isinstance(marked, DenseArrayBase):
            return frozenset()
        numbers, ops = marked.get_values(), self.ops
        scratch = [self.arguments[int(number)] for number in numbers]
        return frozenset(v for v in scratch if all(is_in(u, ops) for u in users(v)))

    @lazy_property
    def last_writers(self) -> set[tuple[int, SSAValue]]:
        """(op number, output) of the writes that must reach memory.

        The number is -1 if several ops each write a part of it.
        """
        last: dict[SSAValue, tuple[int, SSAValue]] = {}
        for number, generic in enumerate(self.generics):
            for index, value in enumerate(generic.outputs):
                root = root_of(value)
                if root in last and is_partial(generic, index):
                    last[root] = (-1, value)
                    continue
                last[root] = (number, value)
        return {
            place
            for root, place in last.items()
            if root in self.arguments and root not in self.scratch
        }

    @lazy_property
    def inputs(self) -> frozenset[SSAValue]:
        """Arguments that these ops read, and do not write."""
        read = {root_of(value) for g in self.generics for value in g.inputs}
        written = {root_of(value) for g in self.generics for value in g.outputs}
        return frozenset(read - written).intersection(self.arguments)

    @property
    def anchor(self) -> Generic:
        """The op that defines the dimensions: the first reduction, else the last op."""
        return next((g for g in self.generics if g.reductions), self.generics[-1])

    def can_defer(self, number: int) -> bool:
        """Whether an elementwise op may be computed by its readers instead."""
        generic = self.generics[number]
        updates = any(generic.reads_output(i) for i in range(len(generic.outputs)))
        needed = any(n == number for n, _ in self.last_writers)
        return not generic.reductions and not updates and not needed


def whole(kernel: KernelOps) -> Iterator[BlockNest]:
    """All fills and generic ops of a kernel as one nest, if it has no others."""
    if not kernel.ops or not all(isinstance(o, FillOp | GenericOp) for o in kernel.ops):
        return
    generics = tuple(map(generic_of, kernel.ops))
    if all(generic.has_results for generic in generics):
        yield BlockNest(generics)


def is_partial(generic: Generic, output: int) -> bool:
    """Whether an op does not overwrite all elements of an output."""
    shape = memref_of(generic.outputs[output]).get_shape()
    return prod(generic.extents[d] for d in generic.parallels) < prod(shape)


def users(memref: SSAValue) -> Iterator[Operation]:
    """The ops that read or write a memref or a view of it."""
    for use in memref.uses:
        if isinstance(use.operation, ViewOp):
            yield from users(use.operation.result)
        else:
            yield use.operation


def is_in(op: Operation | None, ops: Collection[Operation]) -> bool:
    """Whether an op is one of `ops` or nested in one."""
    while op is not None and op not in ops:
        op = op.parent_op()
    return op is not None
