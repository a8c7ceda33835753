"""Prefetches of a tile: its share of the next panel of a weight, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import int_array, int_attr, int_of, ints
from devproc.dialects.sched.tile import BoxOp, PartOp
from devproc.ir.directives import Int, Ints
from devproc.ir.op_definition import op_definition


@op_definition
class PrefetchOp(PartOp):
    """Prefetch consecutive elements that a later tile of the nest reads.

    Before a tile, the op covers the whole sum of that tile; in a loop over terms, the
    term after it, between the loads of the term and its products.

    ```mlir
    sched.prefetch @n0 of %weight[%first] size 4800 : memref<14400xf32>
    ```
    """

    name = "sched.prefetch"

    at = var_operand_def(IndexType)
    memory = operand_def(MemRefType)
    size = prop_def(IntegerAttr)

    assembly_format = (
        "$nest `of` $memory ` ` `[` $at `]` `size` custom<Int>($size) attr-dict `:`"
        " type($memory)"
    )

    custom_directives = (Int,)

    # Modelled as a write: a read without a result would be dead code.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, nest: str, memory: SSAValue, first: SSAValue, size: int):
        super().__init__(
            operands=[[first], memory],
            properties={"nest": SymbolRefAttr(nest), "size": int_attr(size)},
        )

    @property
    def count(self) -> int:
        """The number of elements."""
        return int_of(self.size)

    def verify_(self) -> None:
        super().verify_()
        type_ = cast("MemRefType[Attribute]", self.memory.type)
        if type_.get_num_dims() != 1 or len(self.at) != 1:
            raise VerifyException(f"{self.name} needs one-dimensional memory")
        if not 1 <= self.count <= type_.get_shape()[0]:
            raise VerifyException(
                f"{self.name}: {type_} does not have {self.count} elements"
            )


@op_definition
class PrefetchResultsOp(BoxOp):
    """Prefetch the cache lines that a tile stores to after its sum.

    `results`: indices of results of the nest.

    ```mlir
    sched.prefetch_results @n0 [0] at [%row, %column, %c0] size [7, 48, 64]
    ```
    """

    name = "sched.prefetch_results"

    numbers = prop_def(DenseArrayBase)

    assembly_format = (
        "$nest custom<Ints>($numbers) `at` ` ` `[` $at `]` `size` custom<Ints>($size)"
        " attr-dict"
    )

    custom_directives = (Ints,)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        nest: str,
        numbers: Sequence[int],
        at: Sequence[SSAValue],
        size: Sequence[int],
    ):
        super().__init__(
            operands=[at],
            properties={
                "nest": SymbolRefAttr(nest),
                "numbers": int_array(numbers),
                "size": int_array(size),
            },
        )

    @property
    def result_numbers(self) -> tuple[int, ...]:
        """The indices of the results."""
        return ints(self.numbers)
