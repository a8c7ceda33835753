"""xDSL's verification of an op and of all inside it, at a fraction of its cost.

Loops and machine code are thousands of ops of few forms: the same class on the same types
with the same properties. What the verifier of such an op says depends on nothing else, so
it is asked once for each form. Ops whose verifier looks around (terminators, ops with
regions, users of symbols) are verified one by one, as `Operation.verify` does. Only the
isolation of functions is left to `devproc.ir.verify.verify_dominance`: xDSL climbs up from
every operand of every op, which costs more than all other verification of a function.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import IRDLOperation
from xdsl.traits import (
    HasAncestor,
    HasParent,
    IsTerminator,
    NoTerminator,
    OpTrait,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

LOCAL_DIALECTS = frozenset({"arith", "llvm", "math", "memref", "nn", "simd", "vector"})
"""Dialects whose verifiers read the op's types, properties and attributes only."""

_POSITIONAL: tuple[type[OpTrait], ...] = (
    HasAncestor,
    HasParent,
    IsTerminator,
    SymbolUserOpInterface,
)


class VerifiedForms:
    """The forms of ops that have passed; one for a run of stages."""

    def __init__(self) -> None:
        self._classes: dict[type[Operation], bool] = {}
        self._forms: set[tuple[object, ...]] = set()
        self._seen: set[tuple[object, ...]] = set()
        self._numbers: dict[int, int] = {}
        # Keeps the attributes alive, so that their addresses stay theirs.
        self._attributes: dict[Attribute, int] = {}
        self._alive: list[Attribute] = []

    def verify(self, op: Operation) -> None:
        """Verify an op and all inside it; raises VerifyException."""
        for region in op.regions:
            self._verify_region(op, region)
        if op.next_op is None or not self._is_local(type(op)):
            _verify_alone(op)
            return
        # Addresses first: later stages mostly meet the attributes of earlier ones.
        addresses = _addresses_of(op)
        if addresses in self._seen:
            return
        form = self._form_of(op)
        if form not in self._forms:
            op.verify(verify_nested_ops=False)
            self._forms.add(form)
        self._seen.add(addresses)

    def _verify_region(self, op: Operation, region: Region) -> None:
        count = 0
        last = None
        for last in region.blocks:
            count += 1
            if last.parent is not region:
                raise ValueError(f"a block of '{op.name}' has another region as parent")
            for child in last.ops:
                if child.parent is not last:
                    raise ValueError(f"'{child.name}' has another block as its parent")
                self.verify(child)
        if count == 1 and last is not None:
            _verify_not_empty(op, last)

    def _is_local(self, class_: type[Operation]) -> bool:
        known = self._classes.get(class_)
        if known is None:
            known = self._classes[class_] = is_local(class_)
        return known

    def _form_of(self, op: Operation) -> tuple[object, ...]:
        number = self._number
        names = [*op.properties, *op.attributes] if op.attributes else op.properties
        return (
            type(op),
            len(op.results),
            *[number(value.type) for value in op.operands],
            *[number(value.type) for value in op.results],
            len(op.properties),
            *names,
            *[number(attribute) for attribute in op.properties.values()],
            *[number(attribute) for attribute in op.attributes.values()],
        )

    def _number(self, attribute: Attribute) -> int:
        """The same number for equal attributes; the address spares the slow hash."""
        number = self._numbers.get(id(attribute))
        if number is None:
            number = self._attributes.setdefault(attribute, len(self._attributes))
            self._numbers[id(attribute)] = number
            self._alive.append(attribute)
        return number


def _verify_alone(op: Operation) -> None:
    """What `Operation.verify` says of an op, but for the isolation of functions."""
    if isinstance(op, ModuleOp) and op.parent is None:
        ModuleOp([], op.attributes, op.sym_name).verify()
        SymbolTable().verify(op)
        return
    known = _signature(op) if _is_plain_function(op) else op
    known.verify(verify_nested_ops=False)


def _is_plain_function(op: Operation) -> bool:
    if type(op) is not FuncOp or any((op.operands, op.results, op.successors)):
        return False
    return op.next_op is not None or isinstance(op.parent_op(), ModuleOp)


def _signature(function: Operation) -> Operation:
    """What the verifier of a function reads, isolation apart: all but ops in its body."""
    return FuncOp.create(
        properties=function.properties,
        attributes=function.attributes,
        regions=[
            Region([Block(arg_types=block.arg_types) for block in region.blocks])
            for region in function.regions
        ],
        location=function.location,
    )


def _addresses_of(op: Operation) -> tuple[object, ...]:
    """The form of an op by the addresses of its types and attributes.

    The fields behind `operands` and `type`: the accessors take most of the time.
    """
    return (
        type(op),
        len(op.results),
        *[id(v._type) for v in op._operands],  # pyright: ignore[reportPrivateUsage]
        *[id(v._type) for v in op.results],  # pyright: ignore[reportPrivateUsage]
        len(op.properties),
        *op.properties,
        *op.attributes,
        *map(id, op.properties.values()),
        *map(id, op.attributes.values()),
    )


def is_local(class_: type[Operation]) -> bool:
    """Whether the verifier of a class depends on nothing but the form of the op."""
    if not issubclass(class_, IRDLOperation):
        return False
    definition = class_.get_irdl_definition()
    return (
        class_.dialect_name() in LOCAL_DIALECTS
        and not definition.regions
        and not definition.successors
        and not _has_any(definition.traits, _POSITIONAL)
    )


def _has_any(traits: Iterable[OpTrait], kinds: tuple[type[OpTrait], ...]) -> bool:
    return any(isinstance(trait, kinds) for trait in traits)


def _verify_not_empty(op: Operation, block: Block) -> None:
    if block.first_op is None and not op.has_trait(NoTerminator):
        raise VerifyException(
            f"Operation {op.name} contains empty block in single-block region that "
            "expects at least a terminator"
        )
