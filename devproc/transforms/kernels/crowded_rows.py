"""Finds intermediate values whose rows all map to the same cache set.

Padding after each row distributes them over the sets: Rivera and Tseng, "Data
transformations for eliminating conflict misses", 1998.
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
    host_kernels,
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
"""Addresses this far apart map to the same set of a first-level cache, of 32 KB with 8
ways or 48 KB with 12."""

GAP_BYTES = 64
"""Padding of one cache line: consecutive rows then start in consecutive sets."""

LEAST_ROWS = 16
"""Fewer rows are one or two register tiles, which are bound by loading the weight."""

WRITERS = ("contraction", "window", "reduction", "pointwise")
READERS = ("contraction", "window")
"""Kernel families whose schedules access padded rows as fast as contiguous ones."""


@dataclass(frozen=True)
class Access:
    """An operand of a generic in a kernel; its last dimension runs along the rows."""

    generic: Generic
    index: int

    @property
    def loop(self) -> int | None:
        """The loop that traverses whole rows; None if no single loop does."""
        return loops_of(self.generic, self.index)[-1]

    @property
    def is_summed(self) -> bool:
        """Whether it is a factor of a product whose reduction runs along the rows."""
        return (
            is_multiply_add(self.generic)
            and self.loop is not None
            and not is_parallel(self.generic)[self.loop]
        )


@dataclass(frozen=True)
class Rows:
    """A value that only kernels access: its accesses, and its values inside of them."""

    value: SSAValue
    accesses: Sequence[Access]
    inside: Sequence[SSAValue]

    @property
    def are_crowded(self) -> bool:
        """Whether a product reads many rows that map to one cache set."""
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
        """Whether every access traverses the rows with a single loop."""
        return all(access.loop is not None for access in self.accesses)

    def pad(self) -> None:
        """Pad each row, in all types; loops keep their sizes and skip the padding."""
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
    """The CPU kernels with exactly one launch."""
    kernels = {kernel.sym_name.data: kernel for kernel in host_kernels(module)}
    launches: dict[str, list[LaunchOp]] = {name: [] for name in kernels}
    for op in module.walk():
        if isinstance(op, LaunchOp) and op.kernel.root_reference.data in kernels:
            launches[op.kernel.root_reference.data].append(op)
    return {
        found[0]: kernels[name] for name, found in launches.items() if len(found) == 1
    }


def rows_between(kernels: dict[LaunchOp, FuncOp]) -> Iterator[Rows]:
    """The values that are written and read only by kernels of these families."""
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
    """The generic that computes a result of a kernel, its result and its empty output
    tensor; None if the result is computed in another way."""
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
    """The kernel arguments that a value is passed as, and the generics that read them;
    None if the value has any other use."""
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
    """Whether a kernel reads the rows of its product only once, to copy them."""
    owner = algorithm_of(kernel)
    return owner is not None and algorithm(owner).copies_rows


def family_of(kernel: FuncOp) -> str:
    """The family of a kernel."""
    mark = kernel_mark(kernel)
    assert mark is not None
    return mark.family.data
