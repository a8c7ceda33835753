"""xDSL's verification of an op and its nested ops, at a fraction of the cost.

Loops and LLVM code consist of thousands of ops of few signatures: the same class on the
same types with the same properties. The verifier of most ops depends on nothing else, so it
runs once per signature in a process. The signature of a terminator includes the class of
its parent and, in a function, the type of that; the signature of an op with regions
includes the arguments and yielded values of its blocks. Ops whose verifier looks further
(users of symbols, modules) are verified one by one, as `Operation.verify` does. Only the
isolation of functions is left to
`devproc.ir.verification.verify.verify_dominance`: xDSL walks up from every operand of every
op, which costs more than all other verification of a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import count
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i32,
)
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

LOCAL_DIALECTS = frozenset(
    {"arith", "llvm", "llvm_ext", "math", "memref", "nn", "simd", "tensor", "vector"}
)
"""Dialects whose verifiers read only what is in the signature, except for ops with regions."""

LOCAL_OPS = frozenset(
    {"func.return", "linalg.fill", "linalg.generic", "linalg.yield"}
    | {"plan.buffer", "plan.copy", "plan.view", "plan.weight"}
    | {"scf.for", "scf.if", "scf.yield"}
)
"""Ops of other dialects for which the same holds."""

NAMING_OPS = frozenset({"llvm_ext.getelementptr", "nn.weight", "plan.weight"})
"""Ops with an individual name, hash or first index, which no verifier reads."""

_STRING, _SYMBOL = StringAttr(""), SymbolRefAttr("")
_INDEX = DenseArrayBase.from_list(i32, [0])

_POSITIONAL: tuple[type[OpTrait], ...] = (HasAncestor, HasParent, SymbolUserOpInterface)


MOST_FORMS = 20_000
"""Signatures that a process remembers: more than a large model has, about 10 MB."""

_forms: set[tuple[object, ...]] = set()
"""The signatures of all ops that were verified in this process."""

_attributes: dict[Attribute, int] = {}
"""The numbers of attributes in `_forms`. None is used twice, so both can be cleared while
another thread verifies.
"""

_new_numbers = count()


class VerifiedForms:
    """Verifies ops whose signature is new to the process; one object for a run of stages."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()
        self._numbers: dict[int, int] = {}
        # Keeps the attributes alive, so that their addresses are not reused.
        self._alive: list[Attribute] = []
        if len(_forms) > MOST_FORMS:
            _forms.clear()
            _attributes.clear()

    def verify(self, op: Operation) -> None:
        """Verifies an op and its nested ops; raises VerifyException."""
        for region in op.regions:
            self._verify_region(op, region)
        is_function = _is_plain_function(op)
        if not is_function and not _has_form(op):
            if isinstance(op, ModuleOp) and op.parent is None:
                self._verify_module(op)
            else:
                op.verify(verify_nested_ops=False)
            return
        # Addresses first: later stages mostly reuse the attributes of earlier ones.
        addresses = _form_of(op, id)
        if addresses in self._seen:
            return
        key = self._number_of_kind if op.name in NAMING_OPS else self._number
        form = _form_of(op, key)
        if form not in _forms:
            known = _signature(op) if is_function else op
            known.verify(verify_nested_ops=False)
            _forms.add(form)
        self._seen.add(addresses)

    def _verify_module(self, module: ModuleOp) -> None:
        """Of a module's attributes each set is verified once, its symbols each time."""
        attributes = {**module.attributes, **module.properties}
        form = (ModuleOp, *attributes, *map(self._number, attributes.values()))
        if form not in _forms:
            ModuleOp([], module.attributes, module.sym_name).verify()
            _forms.add(form)
        SymbolTable().verify(module)

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

    def _number_of_kind(self, attribute: Attribute) -> int:
        """The same number for all names, for all hashes, for all single indices."""
        self._alive.append(attribute)
        kind = attribute
        if isinstance(attribute, StringAttr):
            kind = _STRING
        elif isinstance(attribute, SymbolRefAttr):
            kind = _SYMBOL
        elif isinstance(attribute, DenseArrayBase):
            array = cast("DenseArrayBase[IntegerType]", attribute)
            kind = _INDEX if array.elt_type == i32 and len(array) == 1 else array
        return self._number(kind)

    def _number(self, attribute: Attribute) -> int:
        """The same number for equal attributes; the address avoids the slow hash."""
        number = self._numbers.get(id(attribute))
        if number is None:
            number = _attributes.setdefault(attribute, next(_new_numbers))
            self._numbers[id(attribute)] = number
            self._alive.append(attribute)
        return number


def _has_form(op: Operation) -> bool:
    """Whether the op is of a local class, and ends its block only if it may."""
    ends_block = _ends_block(type(op))
    if ends_block is None:
        return False
    if op.next_op is not None:
        return not ends_block
    return _stays_inside(op) if ends_block else _needs_no_terminator(op)


def _is_plain_function(op: Operation) -> bool:
    if type(op) is not FuncOp or any((op.operands, op.results, op.successors)):
        return False
    return op.next_op is not None or isinstance(op.parent_op(), ModuleOp)


def _signature(function: Operation) -> Operation:
    """A function without the ops of its body: all that its verifier reads besides those."""
    return FuncOp.create(
        properties=function.properties,
        attributes=function.attributes,
        regions=[
            Region([Block(arg_types=block.arg_types) for block in region.blocks])
            for region in function.regions
        ],
        location=function.location,
    )


def _form_of(op: Operation, key: Callable[[Attribute], int]) -> tuple[object, ...]:
    """The signature of an op, with types and attributes mapped by `key`.

    It reads private fields: the accessors `operands` and `type` take most of the time.
    """
    form = (
        type(op),
        *[key(v._type) for v in op._operands],  # pyright: ignore[reportPrivateUsage]
        None,
        *[key(v._type) for v in op.results],  # pyright: ignore[reportPrivateUsage]
        len(op.properties),
        *op.properties,
        *op.attributes,
        *map(key, op.properties.values()),
        *map(key, op.attributes.values()),
    )
    if op.regions:
        return (*form, *_regions_of(op, key))
    # A terminator: the op that it ends, and the number of its successors.
    if op.next_op is None:
        parent = op.parent_op()
        form = (*form, type(parent), len(op.successors))
        if isinstance(parent, FuncOp):
            return (*form, key(parent.function_type))
    return form


def _regions_of(op: Operation, key: Callable[[Attribute], int]) -> Iterator[object]:
    """The arguments, terminators and yielded values of the blocks of an op."""
    for region in op.regions:
        yield Region
        for block in region.blocks:
            yield Block
            yield from [key(argument.type) for argument in block.args]
            last = block.last_op
            if last is not None:
                yield type(last)
                yield from [key(operand.type) for operand in last.operands]


def is_local(class_: type[Operation]) -> bool:
    """Whether the verifier of a class depends only on the signature of the op."""
    if not issubclass(class_, IRDLOperation):
        return False
    definition = class_.get_irdl_definition()
    return class_.name in LOCAL_OPS or (
        class_.dialect_name() in LOCAL_DIALECTS
        and not definition.regions
        and not _has_any(definition.traits, _POSITIONAL)
    )


@cache
def _ends_block(class_: type[Operation]) -> bool | None:
    """Whether the ops of a local class are terminators; None for other classes."""
    return class_.has_trait(IsTerminator) if is_local(class_) else None


def _stays_inside(terminator: Operation) -> bool:
    """Whether it is in a block, and its successors are in the same region."""
    block = terminator.parent
    return block is not None and all(
        target.parent is block.parent for target in terminator.successors
    )


def _needs_no_terminator(op: Operation) -> bool:
    """Whether any op may end the block of an op."""
    block, parent = op.parent, op.parent_op()
    return (
        block is not None
        and block.prev_block is None
        and block.next_block is None
        and parent is not None
        and parent.has_trait(NoTerminator)
    )


def _has_any(traits: Iterable[OpTrait], kinds: tuple[type[OpTrait], ...]) -> bool:
    return any(isinstance(trait, kinds) for trait in traits)


def _verify_not_empty(op: Operation, block: Block) -> None:
    if block.first_op is None and not op.has_trait(NoTerminator):
        raise VerifyException(
            f"Operation {op.name} contains empty block in single-block region that "
            "expects at least a terminator"
        )
