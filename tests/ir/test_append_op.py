"""An op that is appended is the one that xDSL would have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from xdsl.dialects import arith, llvm, scf, vector
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IndexType,
    IntAttr,
    LocationAttr,
    StringAttr,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.ir.append_op import append_op

INDEX = IndexType()
WIDE = VectorType(f32, [4])
PLACE = FileLineColLoc(StringAttr("model.py"), IntAttr(3), IntAttr(1))

Given = tuple[type[Operation], list[int], Sequence[Attribute], Mapping[str, Attribute]]
"""A class, the arguments of the block that it takes, its results, its properties."""

OPS: list[Given] = [
    (arith.AddiOp, [0, 1], [INDEX], {}),
    (arith.AddiOp, [0, 0], [INDEX], {}),
    (arith.AddfOp, [2, 2], [f32], {"fastmath": arith.FastMathFlagsAttr("fast")}),
    (vector.BroadcastOp, [2], [WIDE], {}),
    (llvm.AddOp, [0, 1], [INDEX], {}),
    (scf.YieldOp, [2, 0], [], {}),
]


def fields(op: Operation) -> tuple[object, ...]:
    """What an op is, but for the objects that it and its values are."""
    return (
        type(op),
        [operand.type for operand in op.operands],
        [(r.type, r.index, r.owner is op) for r in op.results],
        op.properties,
        op.attributes,
        op.location,
        op.regions,
        list(op.successors),
    )


def uses(value: SSAValue) -> list[tuple[str, int]]:
    """Who uses a value, and as which operand."""
    return [(use.operation.name, use.index) for use in value.uses]


@pytest.mark.parametrize("location", [PLACE, None])
@pytest.mark.parametrize("given", OPS, ids=lambda given: given[0].name)
def test_is_what_xdsl_makes(given: Given, location: LocationAttr | None) -> None:
    op_class, numbers, types, properties = given
    ours, theirs = (Block(arg_types=[INDEX, INDEX, f32]) for _ in range(2))
    for _ in range(3):
        operands = [ours.args[n] for n in numbers]
        made = append_op(ours, op_class, operands, types, properties, location)
        expected = op_class.create(
            operands=[theirs.args[n] for n in numbers],
            result_types=types,
            properties=properties,
            location=location,
        )
        theirs.add_op(expected)
        assert ours.last_op is made
        assert fields(made) == fields(expected)
    assert [op.name for op in ours.ops] == [op.name for op in theirs.ops]
    backwards = [op.name for op in reversed(list(ours.ops))]
    op, seen = ours.last_op, list[str]()
    while op is not None:
        assert op.parent is ours
        seen.append(op.name)
        op = op.prev_op
    assert seen == backwards
    for mine, other in zip(ours.args, theirs.args, strict=True):
        assert uses(mine) == uses(other)


def test_default_properties_are_its_own() -> None:
    block = Block(arg_types=[f32])
    first, second = (
        append_op(block, arith.AddfOp, [block.args[0]] * 2, [f32], {}, PLACE)
        for _ in range(2)
    )
    assert first.properties == second.properties != {}
    first.properties.clear()
    assert second.properties


def test_ops_can_be_taken_away_again() -> None:
    block = Block(arg_types=[INDEX])
    first = append_op(block, arith.AddiOp, [block.args[0]] * 2, [INDEX], {}, PLACE)
    second = append_op(block, arith.AddiOp, [first.results[0]] * 2, [INDEX], {}, PLACE)
    first.results[0].replace_all_uses_with(block.args[0])
    block.erase_op(first)
    assert list(block.ops) == [second]
    assert list(second.operands) == [block.args[0]] * 2
    assert len(uses(block.args[0])) == 2


def test_wrong_op_is_left_to_the_verifier() -> None:
    block = Block(arg_types=[INDEX, f32])
    op = append_op(block, arith.AddiOp, list(block.args), [INDEX], {}, PLACE)
    with pytest.raises(VerifyException):
        op.verify()
