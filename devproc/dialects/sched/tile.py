"""The level between a scheduled nest and vector code: loops around tiles.

A tile is first one op that refers to its nest (`sched.tile`), then a loop over terms
on vectors of the whole tile (`sched.start`, `sched.term`, `sched.finish`). These are
split into registers last.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    SymbolRefAttr,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.irdl import (
    IRDLOperation,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import ints
from devproc.dialects.sched.ops import ScheduledOp, known_nest, nest_named
from devproc.ir.directives import Ints
from devproc.ir.op_definition import op_definition


class PartOp(IRDLOperation):
    """The base class of ops that compute a part of a nest of their kernel.

    `at`: the first iteration of the part; the leading operands.
    """

    nest = prop_def(SymbolRefAttr)
    at = var_operand_def(IndexType)

    @property
    def nest_name(self) -> str:
        """The symbol name of the nest."""
        return self.nest.string_value()

    @property
    def scheduled(self) -> ScheduledOp | None:
        """The nest; None outside of a kernel that has it."""
        return nest_named(self, self.nest_name)

    def verify_(self) -> None:
        known_nest(self, self.nest_name)


class BoxOp(PartOp):
    """The base class of ops that compute a subdomain of the iterations of a nest.

    `at`: the first iteration, `size`: the number of iterations; one of each for every
    loop of the nest after merging adjacent loops.
    """

    size = prop_def(DenseArrayBase)

    custom_directives: ClassVar = (Ints,)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Iterations of each loop."""
        return ints(self.size)

    def verify_(self) -> None:
        name, sizes = self.nest_name, self.sizes
        if len(sizes) != len(self.at):
            raise VerifyException(
                f"{self.name} @{name} has {len(self.at)} indices and {len(sizes)} sizes"
            )
        if min(sizes, default=1) < 1:
            raise VerifyException(f"{self.name} @{name} has a size below 1")
        nest = known_nest(self, name)
        ops = [o for o in nest.members if isinstance(o, LinalgStructuredOperation)]
        most = max((len(op.get_iterator_types()) for op in ops), default=None)
        if most is not None and len(sizes) > most:
            raise VerifyException(
                f"{self.name} @{name} has {len(sizes)} loops, but its nest at most {most}"
            )


@op_definition
class TileOp(BoxOp):
    """Computes a subdomain of the iterations of a nest of this kernel.

    A nest with tiles is computed by these only, and no longer at its own position.

    ```mlir
    sched.tile @n0 at [%row, %column, %c0] size [7, 48, 64]
    ```
    """

    name = "sched.tile"

    assembly_format = "$nest `at` ` ` `[` $at `]` `size` custom<Ints>($size) attr-dict"
