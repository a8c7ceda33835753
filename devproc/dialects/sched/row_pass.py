"""One pass over a row of a chain of reductions, before it is lowered to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import DenseArrayBase, IndexType, SymbolRefAttr
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import int_array, ints
from devproc.dialects.sched.ops import known_nest
from devproc.dialects.sched.tile import PartOp
from devproc.ir.directives import Ints
from devproc.ir.op_definition import op_definition


@op_definition
class PassOp(PartOp):
    """Consecutive stages of a chain, for all columns of one row of a nest.

    `stages`: indices of ops of the nest, not counting fills. `at`: the row, an index
    for each loop over rows. `given`: values of this row from earlier passes that the
    stages read. The results are the row values that the stages compute.

    ```mlir
    %sum = sched.pass @n0 at [%row] stages [1, 2] given %largest : (f32) -> f32
    ```
    """

    name = "sched.pass"

    at = var_operand_def(IndexType)
    stages = prop_def(DenseArrayBase)
    given = var_operand_def()
    made = var_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "$nest `at` ` ` `[` $at `]` `stages` custom<Ints>($stages) (`given` $given^)?"
        " attr-dict `:` functional-type($given, $made)"
    )

    custom_directives = (Ints,)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        nest: str,
        at: Sequence[SSAValue],
        stages: Sequence[int],
        given: Sequence[SSAValue],
        made: Sequence[Attribute],
    ):
        super().__init__(
            operands=[at, given],
            properties={"nest": SymbolRefAttr(nest), "stages": int_array(stages)},
            result_types=[made],
        )

    @property
    def stage_numbers(self) -> tuple[int, ...]:
        """The stages in order."""
        return ints(self.stages)

    def verify_(self) -> None:
        name, stages = self.nest_name, self.stage_numbers
        if not stages or any(b != a + 1 for a, b in pairwise(stages)):
            raise VerifyException(
                f"sched.pass @{name} needs consecutive stages, not {list(stages)}"
            )
        nest = known_nest(self, name)
        count = sum(not isinstance(op, FillOp) for op in nest.members)
        if stages[0] < 0 or stages[-1] >= count:
            raise VerifyException(
                f"sched.pass @{name} has stages {list(stages)} of {count}"
            )
