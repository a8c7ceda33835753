"""Ways to break a valid op: each part wrong, missing or too many, with the message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ComplexType,
    DenseArrayBase,
    Float80Type,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
    UnrealizedConversionCastOp,
    f32,
    f64,
    i1,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, OptPropertyDef

from devproc.dialects.dev import OnAttr


@dataclass(frozen=True)
class Mutation:
    """A name for the test, a change of the op in place, and the message it causes."""

    name: str
    apply: Callable[[Operation], None]
    message: str


SEGMENTS = "operandSegmentSizes"
"""The property that says which of the optional operands there are."""

VARIADIC = {
    "nn.concat": "nn.concat needs at least one tensor",
    "nn.gather": "Expected at least 1 operand",
    "nn.pack": "Expected at least 1 operand",
}
"""Op that takes any number of operands -> what it says without any."""


def mutations(op: Operation) -> Iterator[Mutation]:
    """Every mutation that fits the op."""
    yield from _counts(op)
    for index in range(len(op.results)):
        yield from _results(op, index)
    for index in range(len(op.operands)):
        yield from _operands(op, index)
    for key in op.properties:
        if key != SEGMENTS:
            yield from _properties(op, key)
    yield Mutation(
        "unknown property",
        lambda op: _rebuild(op, properties={**op.properties, "colour": UnitAttr()}),
        f"property 'colour' is not defined by the operation '{op.name}'",
    )


def _rebuild(
    op: Operation,
    operands: Sequence[SSAValue] | None = None,
    results: Sequence[Attribute] | None = None,
    properties: dict[str, Attribute] | None = None,
) -> None:
    """Put an op with these parts in the place of `op`, without any check."""
    block = op.parent_block()
    assert block is not None
    new = type(op).create(
        operands=op.operands if operands is None else operands,
        result_types=[r.type for r in op.results] if results is None else results,
        properties=dict(op.properties) if properties is None else properties,
    )
    block.insert_op_before(new, op)
    op.detach()


def _counts(op: Operation) -> Iterator[Mutation]:
    if op.name in VARIADIC:
        message = VARIADIC[op.name]
        yield Mutation("no operands", lambda op: _rebuild(op, operands=()), message)
    elif op.operands:
        count = "operand count ({})" if SEGMENTS in op.properties else "but got {}"
        yield Mutation(
            "too few operands", lambda op: _rebuild(op, operands=()), count.format(0)
        )
        many = len(op.operands) + 2
        yield Mutation(
            "too many operands",
            lambda op: _rebuild(op, operands=(*op.operands, *[op.operands[0]] * 2)),
            count.format(many),
        )
    count = len(op.results)
    yield Mutation("no result", lambda op: _rebuild(op, results=()), "but got 0")
    yield Mutation(
        "too many results",
        lambda op: _rebuild(op, results=[op.results[0].type] * (count + 1)),
        f"got {count + 1}",
    )


def _tensor(type_: Attribute) -> TensorType[Attribute]:
    assert isinstance(type_, TensorType)
    return type_


def _results(op: Operation, index: int) -> Iterator[Mutation]:
    def becomes(change: Callable[[TensorType[Attribute]], Attribute]):
        def apply(op: Operation) -> None:
            types: list[Attribute] = [r.type for r in op.results]
            types[index] = change(_tensor(types[index]))
            _rebuild(op, results=types)

        return apply

    wrong = f"result {index} must be"
    yield Mutation(
        f"result {index} of higher rank",
        becomes(lambda t: TensorType(t.element_type, (9, *t.get_shape()))),
        wrong,
    )
    yield Mutation(
        f"result {index} of another dtype",
        becomes(lambda t: TensorType(IntegerType(16), t.get_shape())),
        wrong,
    )
    yield Mutation(
        f"result {index} elsewhere",
        becomes(lambda t: TensorType(t.element_type, t.shape, OnAttr.get("cuda"))),
        "uses values of 'cuda' and no device: a value crosses devices only through",
    )
    yield Mutation(
        f"result {index} not a tensor",
        becomes(lambda _: f32),
        "of base attribute tensor",
    )


FOREIGN = (IndexType(), IntegerType(4), ComplexType(f32), Float80Type(), NoneAttr())


def _operands(op: Operation, index: int) -> Iterator[Mutation]:
    def becomes(change: Callable[[TensorType[Attribute]], Attribute]):
        def apply(op: Operation) -> None:
            operands = list(op.operands)
            operands[index] = _argument(op, change(_tensor(operands[index].type)))
            _rebuild(op, operands=operands)

        return apply

    for element in FOREIGN:
        yield Mutation(
            f"operand {index} of {element}",
            becomes(lambda t, e=element: TensorType(e, t.get_shape())),
            f"operand {index} of {op.name} has no dtype that DevProc knows: {element}",
        )
    yield Mutation(
        f"operand {index} dynamic",
        becomes(
            lambda t: TensorType(t.element_type, (DYNAMIC_INDEX, *t.get_shape()[1:]))
        ),
        f"operand {index} of {op.name} must have a static shape, got tensor<?",
    )
    yield Mutation(
        f"operand {index} unranked",
        becomes(lambda t: UnrankedTensorType(t.element_type)),
        f"at position {index} does not verify"
        if op.name not in VARIADIC
        else "does not verify",
    )
    yield Mutation(
        f"operand {index} a scalar",
        becomes(lambda _: f32),
        f"at position {index} does not verify"
        if op.name not in VARIADIC
        else "does not verify",
    )
    yield Mutation(
        f"operand {index} elsewhere",
        becomes(lambda t: TensorType(t.element_type, t.shape, OnAttr.get("cuda"))),
        "uses values of 'cuda' and no device: a value crosses devices only through",
    )

    def use_before_definition(op: Operation) -> None:
        block = op.parent_block()
        assert block is not None
        operands = list(op.operands)
        late = UnrealizedConversionCastOp.create(result_types=[operands[index].type])
        block.insert_op_after(late, op)
        operands[index] = late.results[0]
        _rebuild(op, operands=operands)

    yield Mutation(
        f"operand {index} before its definition",
        use_before_definition,
        f"operand {index} of '{op.name}' (unknown source) is used before its definition",
    )


def _argument(op: Operation, type_: Attribute) -> SSAValue:
    """A new argument of the function around the op."""
    block, function = op.parent_block(), op.parent_op()
    assert block is not None
    assert isinstance(function, FuncOp)
    argument = block.insert_arg(type_, len(block.args))
    types = [a.type for a in block.args]
    function.properties["function_type"] = FunctionType.from_lists(types, [])
    return argument


def _properties(op: Operation, key: str) -> Iterator[Mutation]:
    def becomes(value: Attribute):
        return lambda op: _rebuild(op, properties={**op.properties, key: value})

    assert isinstance(op, IRDLOperation)
    if not isinstance(op.get_irdl_definition().properties[key], OptPropertyDef):
        yield Mutation(
            f"{key} missing",
            lambda op: _rebuild(
                op, properties={k: v for k, v in op.properties.items() if k != key}
            ),
            f"property '{key}' expected in operation '{op.name}'",
        )
    value = op.properties[key]
    wrong = "should be of base attribute"
    if isinstance(value, DenseArrayBase):
        if value.elt_type == f64:
            doubled, message = (
                DenseArrayBase.from_list(i32, [1, 1]),
                "are float64 array",
            )
        else:
            doubled, message = DenseArrayBase.from_list(f64, [1.0]), "expected an i64"
        yield Mutation(f"{key} of another element", becomes(doubled), message)
    if isinstance(value, IntegerAttr):
        yield Mutation(
            f"{key} of another width", becomes(IntegerAttr(1, i1)), "expected an i64"
        )
    other = UnitAttr() if isinstance(value, StringAttr) else StringAttr("text")
    yield Mutation(
        f"{key} of another kind",
        becomes(other),
        "should" if key == "dtype" or op.name == "nn.pack" else wrong,
    )
