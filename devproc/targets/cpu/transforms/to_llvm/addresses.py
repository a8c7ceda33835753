"""Computes indices and addresses in a form close to the addressing modes.

An access takes a pointer, an index times the size of an element, and a constant. Loop
invariants are added outside of the loop, constants are folded into the access, and
multiples with a larger step become additional induction variables. LLVM's loop strength
reduction would do the same, but in a third of the time of code generation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i8, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from devproc.targets.cpu.transforms.to_llvm.linear_index import LinearIndex
from devproc.targets.cpu.transforms.to_llvm.properties import WRAPS
from devproc.targets.cpu.transforms.to_llvm.scopes import ScopedBuilder
from devproc.targets.cpu.transforms.to_llvm.types import byte_width

ADDRESS_SCALES = frozenset({1, 2, 4, 8})
"""Index scales in bytes of x86 addressing modes; those of AArch64 are the size of an
element."""


@cache
def _row(length: int, element: Attribute) -> Attribute:
    return element if length == 1 else llvm.LLVMArrayType(length, element)


@dataclass
class LoopMultiples:
    """Constant multiples of an induction variable, each an induction variable as well:
    one addition per iteration instead of a multiplication and a register copy."""

    variable: BlockArgument
    step: int
    arguments: dict[int, BlockArgument] = field(
        default_factory=dict[int, BlockArgument]
    )

    def get(self, factor: int) -> SSAValue:
        """The induction variable times `factor`."""
        if factor not in self.arguments:
            loop = self.variable.block
            self.arguments[factor] = loop.insert_arg(i64, len(loop.args))
        return self.arguments[factor]


class AddressBuilder(ScopedBuilder):
    """A builder that computes symbolic index sums and the pointers of accesses."""

    def __init__(self, name: str, argument_types: Sequence[Attribute]):
        super().__init__(name, argument_types)
        self._multiples: dict[SSAValue, LoopMultiples] = {}

    def count_multiples(
        self, variable: BlockArgument, body: Block, step: int | None
    ) -> LoopMultiples:
        """The multiples of an induction variable, initially none; they stay unused if
        the source `body` contains loops or the step is unknown."""
        multiples = LoopMultiples(variable, step or 0)
        if step is not None and not any(op.regions for op in body.ops):
            self._multiples[variable] = multiples
        return multiples

    def first_multiples(
        self, multiples: LoopMultiples, lower: LinearIndex
    ) -> list[SSAValue]:
        """Their initial values."""
        factors = multiples.arguments
        return [self.sum(LinearIndex.total([(lower, factor)])) for factor in factors]

    def next_multiples(self, multiples: LoopMultiples) -> list[SSAValue]:
        """Their values in the next iteration."""
        return [
            self.value(
                llvm.AddOp, (now, self.number(multiples.step * factor)), i64, WRAPS
            )
            for factor, now in multiples.arguments.items()
        ]

    def sum(self, index: LinearIndex) -> SSAValue:
        """The value of a sum; terms that vary only in outer loops are added there."""
        if not index.terms:
            return self.number(index.constant)
        total = None
        for term, factor in self._outermost_first(index):
            if factor != 1:
                term = self._times(term, factor)
            total = term if total is None else self.computed(llvm.AddOp, total, term)
        assert total is not None
        if index.constant:
            total = self.computed(llvm.AddOp, total, self.number(index.constant))
        return total

    def computed(self, op_class: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        """A binary op on two indices, computed once."""
        return self.once(
            (op_class, a, b), (a, b), lambda: self.value(op_class, (a, b), i64, WRAPS)
        )

    def move_pointer(
        self, start: SSAValue, place: LinearIndex, element: Attribute
    ) -> SSAValue:
        """A pointer moved by a number of elements.

        It takes one step for each value that the number depends on, outermost loop
        first, and one for the constant, so that accesses share all steps but this one.
        """
        known, key = self.known_here(), (start, *place.terms.items())
        pointer = known.get(key)
        if pointer is None:
            pointer = start
            for value, stride in self._outermost_first(place):
                pointer = self._step(pointer, value, stride, element)
            known[key] = pointer
        return self.shift_pointer(pointer, place.constant, element)

    def _step(
        self, pointer: SSAValue, value: SSAValue, stride: int, element: Attribute
    ) -> SSAValue:
        multiples, bytes_ = self._multiples.get(value), stride * byte_width(element)
        if multiples is not None and bytes_ not in ADDRESS_SCALES:
            value, stride, element = multiples.get(bytes_), 1, i8
        elif stride < 0:
            value, stride = self._times(value, stride), 1
        return self.once(
            (pointer, value, stride, id(element)),
            (pointer, value),
            lambda: self.offset_pointer(pointer, (value,), _row(stride, element)),
        )

    def _times(self, value: SSAValue, factor: int) -> SSAValue:
        return self.computed(llvm.MulOp, value, self.number(factor))

    def _outermost_first(self, index: LinearIndex) -> list[tuple[SSAValue, int]]:
        terms = list(index.terms.items())
        if len(terms) > 1:
            terms.sort(key=lambda term: self.depth(term[0]))
        return terms
