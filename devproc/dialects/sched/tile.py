"""The level between a scheduled nest and its vectors: loops around tiles.

First a tile is one op that names its nest (`sched.tile`); then its sum is a loop over
terms, with the whole tile as one two-dimensional vector (`sched.read`, `sched.outer`,
`sched.write`). Vectors as long as a register are made last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    VectorType,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import int_array, int_attr, int_of, ints
from devproc.dialects.sched.ops import ScheduledOp, nests_around
from devproc.ir.directives import Int, Ints
from devproc.ir.op_definition import op_definition
from devproc.ir.types import is_float, item_size


@op_definition
class TileOp(IRDLOperation):
    """A box of the iterations of a nest of this kernel.

    One index and one size for each loop of the nest, after adjacent loops were merged: the
    iterations from the index on. A nest of which there are tiles is computed by these, and
    no longer where it stands.

    ```mlir
    sched.tile @n0 at [%row, %column, %c0] size [7, 48, 64]
    ```
    """

    name = "sched.tile"

    nest = prop_def(SymbolRefAttr)
    at = var_operand_def(IndexType)
    size = prop_def(DenseArrayBase)

    assembly_format = "$nest `at` ` ` `[` $at `]` `size` custom<Ints>($size) attr-dict"

    custom_directives = (Ints,)

    def __init__(self, nest: str, at: Sequence[SSAValue], size: Sequence[int]):
        super().__init__(
            operands=[at],
            properties={
                "nest": SymbolRefAttr(nest),
                "size": int_array(size),
            },
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Iterations of each loop."""
        return ints(self.size)

    @property
    def scheduled(self) -> ScheduledOp | None:
        """The nest; None outside of a kernel that has it."""
        nests = nests_around(self)
        name = self.nest.string_value()
        return next((nest for nest in nests if nest.nest_name == name), None)

    def verify_(self) -> None:
        name, sizes = self.nest.string_value(), self.sizes
        if len(sizes) != len(self.at):
            raise VerifyException(
                f"sched.tile @{name} has {len(self.at)} indices and {len(sizes)} sizes"
            )
        if min(sizes, default=1) < 1:
            raise VerifyException(f"sched.tile @{name} has a size below 1")
        nest = self.scheduled
        if nest is None:
            known = ", ".join(n.label.strip() for n in nests_around(self))
            raise VerifyException(
                f"sched.tile @{name}: no nest of its kernel is called so; there are"
                f" {known or 'none'}"
            )
        ops = [o for o in nest.members if isinstance(o, LinalgStructuredOperation)]
        most = max((len(op.get_iterator_types()) for op in ops), default=None)
        if most is not None and len(sizes) > most:
            raise VerifyException(
                f"sched.tile @{name} has {len(sizes)} loops, but its nest at most {most}"
            )


def verify_access(
    name: str,
    memory: MemRefType,
    vector: VectorType,
    indices: int,
    along: Sequence[int],
) -> None:
    """Raise VerifyException unless a box of memory makes up a vector.

    `along`: the dimension of memory of each dimension of the vector.
    """
    if vector.element_type != memory.element_type:
        raise VerifyException(
            f"{name} of {memory} has vectors of {vector.element_type}"
        )
    if indices != memory.get_num_dims():
        raise VerifyException(f"{name} of {memory} has {indices} indices")
    if len(along) != vector.get_num_dims() or len(set(along)) < len(along):
        raise VerifyException(
            f"{name} needs one dimension of memory for each of {vector}, not {list(along)}"
        )
    for dimension, size in zip(along, vector.get_shape(), strict=True):
        if not 0 <= dimension < memory.get_num_dims():
            raise VerifyException(f"{name}: {memory} has no dimension {dimension}")
        if size > memory.get_shape()[dimension]:
            raise VerifyException(
                f"{name}: {vector} is larger than dimension {dimension} of {memory}"
            )


@op_definition
class ReadOp(IRDLOperation):
    """A box of memory from some indices on, as one vector of one or two dimensions.

    `along`: the dimension of memory that each dimension of the vector runs along; in the
    others the box has one element. All of the box lies within the memory.

    ```mlir
    %r = sched.read %x[%row, %k] along [0] : memref<49x100xf32>, vector<7xf32>
    ```
    """

    name = "sched.read"

    memory = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    along = prop_def(DenseArrayBase)
    result = result_def(VectorType)

    assembly_format = (
        "$memory `[` $indices `]` `along` custom<Ints>($along) attr-dict `:`"
        " type($memory) `,` type($result)"
    )

    custom_directives = (Ints,)

    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        memory: SSAValue,
        indices: Sequence[SSAValue],
        along: Sequence[int],
        shape: Sequence[int],
    ):
        element = cast("MemRefType[Attribute]", memory.type).element_type
        super().__init__(
            operands=[memory, indices],
            properties={"along": int_array(along)},
            result_types=[VectorType(element, shape)],
        )

    def verify_(self) -> None:
        along = ints(self.along)
        memory = cast("MemRefType[Attribute]", self.memory.type)
        verify_access(self.name, memory, self.result.type, len(self.indices), along)


@op_definition
class WriteOp(IRDLOperation):
    """Store a vector to a box of memory: the opposite of `sched.read`.

    ```mlir
    sched.write %t, %y[%row, %column] along [0, 1] : vector<7x48xf32>, memref<49x144xf32>
    ```
    """

    name = "sched.write"

    value = operand_def(VectorType)
    memory = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    along = prop_def(DenseArrayBase)

    assembly_format = (
        "$value `,` $memory `[` $indices `]` `along` custom<Ints>($along) attr-dict `:`"
        " type($value) `,` type($memory)"
    )

    custom_directives = (Ints,)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        memory: SSAValue,
        indices: Sequence[SSAValue],
        along: Sequence[int],
    ):
        super().__init__(
            operands=[value, memory, indices],
            properties={"along": int_array(along)},
        )

    def verify_(self) -> None:
        along = ints(self.along)
        memory = cast("MemRefType[Attribute]", self.memory.type)
        value = cast("VectorType[Attribute]", self.value.type)
        verify_access(self.name, memory, value, len(self.indices), along)


@op_definition
class OuterOp(IRDLOperation):
    """One more term of a tile of sums: `sums[i, j] + rows[i] * columns[j]`.

    Factors of a narrower type of the same kind are widened first. Floats are multiplied and
    added with one rounding, as by `vector.fma`.

    ```mlir
    %n = sched.outer %r, %c, %a : vector<7xf32>, vector<48xf32> -> vector<7x48xf32>
    ```
    """

    name = "sched.outer"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))

    rows = operand_def(VectorType)
    columns = operand_def(VectorType)
    sums = operand_def(T)
    result = result_def(T)

    assembly_format = (
        "$rows `,` $columns `,` $sums attr-dict `:` type($rows) `,` type($columns) `->`"
        " type($result)"
    )

    traits = traits_def(Pure())

    def __init__(self, rows: SSAValue, columns: SSAValue, sums: SSAValue):
        super().__init__(operands=[rows, columns, sums], result_types=[sums.type])

    def verify_(self) -> None:
        sums = self.result.type
        factors = [
            cast("VectorType[Attribute]", value.type)
            for value in (self.rows, self.columns)
        ]
        shapes = [factor.get_shape() for factor in factors]
        if [(size,) for size in sums.get_shape()] != shapes or len(shapes) != 2:
            raise VerifyException(
                f"sched.outer of {factors[0]} and {factors[1]} makes no {sums}"
            )
        for factor in factors:
            element, wide = factor.element_type, sums.element_type
            is_wider = item_size(element) > item_size(wide)
            if is_float(element) != is_float(wide) or is_wider:
                raise VerifyException(f"sched.outer cannot add {element} to {wide}")


@op_definition
class PrefetchOp(IRDLOperation):
    """Prefetch a part of the next panel of a weight while this one is used.

    The outermost dimension of the memory counts the panels; the one after the last is the
    last again. A panel is cut into shares, one for each tile that this panel meets, and a
    share into parts, one for each term of the sum of a tile.

    ```mlir
    sched.prefetch %p[%panel] share %tile of 7 term %k of 100 : memref<3x100x48xf32>
    ```
    """

    name = "sched.prefetch"

    memory = operand_def(MemRefType)
    panel = operand_def(IndexType)
    share = operand_def(IndexType)
    shares = prop_def(IntegerAttr)
    term = operand_def(IndexType)
    terms = prop_def(IntegerAttr)

    assembly_format = (
        "$memory `[` $panel `]` `share` $share `of` custom<Int>($shares)"
        " `term` $term `of` custom<Int>($terms) attr-dict `:` type($memory)"
    )

    custom_directives = (Int,)

    # As a write: what reads memory for no result is dead code.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        memory: SSAValue,
        panel: SSAValue,
        share: tuple[SSAValue, int],
        term: tuple[SSAValue, int],
    ):
        super().__init__(
            operands=[memory, panel, share[0], term[0]],
            properties={
                "shares": int_attr(share[1]),
                "terms": int_attr(term[1]),
            },
        )

    def verify_(self) -> None:
        memory = cast("MemRefType[Attribute]", self.memory.type)
        if memory.get_num_dims() < 2:
            raise VerifyException(f"sched.prefetch: {memory} holds no panels")
        if min(int_of(self.shares), int_of(self.terms)) < 1:
            raise VerifyException(
                "sched.prefetch needs at least one share and one term"
            )
