"""Values between kernels whose rows lie so far apart that they share one set of a cache.

A gap behind each row spreads them: Rivera and Tseng, "Data transformations for eliminating
conflict misses", 1998.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from devproc.algorithms import algorithm
from devproc.dialects.dev import LaunchOp
from devproc.ir.program.kernel_modules import (
    algorithm_of,
    cpu_kernels,
    kernel_mark,
    returned_by,
)
from devproc.ir.program.structured import (
    Generic,
    is_multiply_add,
    is_parallel,
    loop_sizes,
    loops_of,
    with_sizes,
)
from devproc.ir.types import item_size, tensor_of

SET_BYTES = 4096
"""From one line of a set to the next: addresses so far apart share a set of a first-level
cache of 32 KB in 8 ways, or 48 KB in 12."""

GAP_BYTES = 64
"""A line: rows then begin in one set after the other."""

LEAST_ROWS = 16
"""Fewer are one or two register tiles, which meet a weight from memory."""

WRITERS = ("contraction", "window", "reduction", "pointwise")
READERS = ("contraction", "window")
"""Families of kernels whose schedules walk rows with a gap as fast as without."""


@dataclass(frozen=True)
class Access:
    """An operand of a generic in a kernel, of which the last dimension is its rows'."""

    generic: Generic
    index: int

    @property
    def loop(self) -> int | None:
        """The loop that walks whole rows; None where no loop alone does."""
        return loops_of(self.generic, self.index)[-1]

    @property
    def is_summed(self) -> bool:
        """Whether it is a factor of a product that is summed along its rows."""
        return (
            is_multiply_add(self.generic)
            and self.loop is not None
            and not is_parallel(self.generic)[self.loop]
        )


@dataclass(frozen=True)
class Rows:
    """A value that kernels alone write and read: where, and as which values in them."""

    value: SSAValue
    accesses: Sequence[Access]
    inside: Sequence[SSAValue]

    @property
    def are_crowded(self) -> bool:
        """Whether a product reads many rows from one set of the cache."""
        type_ = tensor_of(self.value)
        if not type_.get_shape():
            return False
        *rows, length = type_.get_shape()
        return (
            prod(rows) >= LEAST_ROWS
            and length > 0
            and length * item_size(type_.element_type) % SET_BYTES == 0
            and any(access.is_summed for access in self.accesses)
        )

    @property
    def are_walked_whole(self) -> bool:
        """Whether one loop walks the rows wherever they are written or read."""
        return all(access.loop is not None for access in self.accesses)

    def pad(self) -> None:
        """Give each row a gap, in all types; loops keep their sizes, and end before it."""
        type_ = tensor_of(self.value)
        *rows, length = type_.get_shape()
        length += GAP_BYTES // item_size(type_.element_type)
        padded = TensorType(type_.element_type, (*rows, length), type_.encoding)
        sizes = {a.generic: loop_sizes(a.generic) for a in self.accesses}
        for value in (self.value, *self.inside):
            Rewriter.replace_value_with_new_type(value, padded)
        for generic, loops in sizes.items():
            with_sizes(generic, loops)


def launched_kernels(module: ModuleOp) -> dict[LaunchOp, FuncOp]:
    """The kernels of the CPU that are launched once."""
    kernels = {kernel.sym_name.data: kernel for kernel in cpu_kernels(module)}
    launches: dict[str, list[LaunchOp]] = {name: [] for name in kernels}
    for op in module.walk():
        if isinstance(op, LaunchOp) and op.kernel.root_reference.data in kernels:
            launches[op.kernel.root_reference.data].append(op)
    return {
        found[0]: kernels[name] for name, found in launches.items() if len(found) == 1
    }


def rows_between(kernels: dict[LaunchOp, FuncOp]) -> Iterator[Rows]:
    """The values that only kernels of these families write and read."""
    for launch, kernel in kernels.items():
        for number, value in enumerate(launch.outputs):
            written = write_of(kernel, number)
            reads = reads_of(value, kernels)
            if written is None or reads is None:
                continue
            write, made = written
            accesses = [write, *(found for _, of in reads for found in of)]
            arguments = [argument for argument, _ in reads]
            yield Rows(value, accesses, [*made, *arguments])


def write_of(
    kernel: FuncOp, number: int
) -> tuple[Access, tuple[SSAValue, SSAValue]] | None:
    """The generic that makes a result of a kernel, its result and the empty tensor that it
    fills; None where the result is made in another way."""
    value = returned_by(kernel)[number]
    generic = value.owner
    if (
        family_of(kernel) not in WRITERS
        or not isinstance(value, OpResult)
        or not isinstance(generic, Generic)
        or not all(is_parallel(generic))
    ):
        return None
    index = len(generic.inputs) + value.index
    empty = generic.operands[index]
    uses = value.uses.get_length(), empty.uses.get_length()
    if uses != (1, 1) or not isinstance(empty.owner, EmptyOp):
        return None
    return Access(generic, index), (value, empty)


def reads_of(
    value: SSAValue, kernels: dict[LaunchOp, FuncOp]
) -> list[tuple[BlockArgument, list[Access]]] | None:
    """The arguments of kernels that a value becomes, and where generics read them; None
    where anything else reads it."""
    found: list[tuple[BlockArgument, list[Access]]] = []
    for use in value.uses:
        launch = use.operation
        kernel = kernels.get(launch) if isinstance(launch, LaunchOp) else None
        if kernel is None or family_of(kernel) not in READERS:
            return None
        argument, copies = kernel.body.block.args[use.index], copies_rows(kernel)
        accesses = [
            Access(inner.operation, inner.index)
            for inner in argument.uses
            if isinstance(inner.operation, Generic)
            and inner.index < len(inner.operation.inputs)
            and not (copies and is_multiply_add(inner.operation))
        ]
        if len(accesses) < argument.uses.get_length():
            return None
        found.append((argument, accesses))
    return found


def copies_rows(kernel: FuncOp) -> bool:
    """Whether a kernel reads the rows of its product once, into a copy."""
    owner = algorithm_of(kernel)
    return owner is not None and algorithm(owner).copies_rows


def family_of(kernel: FuncOp) -> str:
    """The family of a kernel."""
    mark = kernel_mark(kernel)
    assert mark is not None
    return mark.family.data
