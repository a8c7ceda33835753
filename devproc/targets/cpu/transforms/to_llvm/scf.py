"""Rules that lower `scf` to blocks; loops are rotated (tested at the end).

Bounds are almost always constant, so most loops need no guard, and a loop with at most
one iteration becomes straight-line code.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.scf import ConditionOp, ForOp, IfOp, WhileOp
from xdsl.ir import Block, Operation, SSAValue

from devproc.targets.cpu.transforms.to_llvm.lowering import (
    FunctionLowering,
    Rule,
)
from devproc.targets.cpu.transforms.to_llvm.parallel import lower_parallel
from devproc.targets.cpu.transforms.to_llvm.properties import NO_WRAP
from devproc.targets.cpu.transforms.to_llvm.types import convert_type


def _yielded(fn: FunctionLowering, block: Block) -> list[SSAValue]:
    last = block.last_op
    return [fn.get(operand) for operand in last.operands] if last is not None else []


def _bind(
    fn: FunctionLowering, values: Sequence[SSAValue], lowered: Sequence[SSAValue]
) -> None:
    for value, new in zip(values, lowered, strict=True):
        fn.set(value, new)


def trip_count(fn: FunctionLowering, op: ForOp) -> int | None:
    """The trip count of the loop; None if a bound is not constant."""
    lower, upper, step = (fn.integer(value) for value in (op.lb, op.ub, op.step))
    if lower is None or upper is None or step is None:
        return None
    if step <= 0:
        fn.fail(f"has step {step}; it must be positive", op)
    return max(0, -(-(upper - lower) // step))


def lower_for(fn: FunctionLowering, op: Operation) -> None:
    """`scf.for`: a loop block with the induction variable and `iter_args`."""
    assert isinstance(op, ForOp)
    body = op.body.block
    lower, upper, step = fn.get(op.lb), fn.get(op.ub), fn.get(op.step)
    initial = [fn.get(value) for value in op.iter_args]
    trips = trip_count(fn, op)
    if trips == 0:
        _bind(fn, op.results, initial)
        return
    if trips == 1:
        _bind(fn, body.args, [lower, *initial])
        fn.lower_block(body)
        _bind(fn, op.results, _yielded(fn, body))
        return

    types = [value.type for value in initial]
    before, loop = fn.block, fn.new_block([lower.type, *types])
    end = Block(arg_types=types)
    fn.block = loop
    _bind(fn, body.args, loop.args)
    multiples = fn.count_multiples(loop.args[0], body, fn.integer(op.step))
    fn.lower_block(body)
    carried = _yielded(fn, body)
    following = fn.value(llvm.AddOp, (loop.args[0], step), lower.type, NO_WRAP)
    again = fn.compare("slt", following, upper)
    fn.branch_if(
        again, loop, [following, *carried, *fn.next_multiples(multiples)], end, carried
    )

    fn.block = before
    entering = [lower, *initial, *fn.first_multiples(multiples, fn.index(op.lb))]
    if trips is None:
        first = fn.compare("slt", lower, upper)
        fn.branch_if(first, loop, entering, end, initial)
    else:
        fn.branch(loop, entering)
    # Added last, so that the blocks are in source order.
    fn.region.add_block(end)
    fn.block = end
    _bind(fn, op.results, end.args)


def lower_if(fn: FunctionLowering, op: Operation) -> None:
    """`scf.if`; a constant condition selects one branch."""
    assert isinstance(op, IfOp)
    condition = fn.get(op.cond)
    sides = [op.true_region.block, op.false_region.blocks.first]
    known = fn.integers.get(condition)
    if known is not None:
        side = sides[0] if known else sides[1]
        if side is not None:
            fn.lower_block(side)
            _bind(fn, op.results, _yielded(fn, side))
        return
    end = Block(arg_types=fn.results_type(op))
    before, then = fn.block, fn.new_block()
    otherwise = Block() if sides[1] is not None else end
    for block, source in ((then, sides[0]), (otherwise, sides[1])):
        if source is not None:
            if block is not then:
                fn.region.add_block(block)
            fn.block = block
            fn.lower_block(source)
            fn.branch(end, _yielded(fn, source))
    fn.block = before
    fn.branch_if(condition, then, (), otherwise, ())
    fn.region.add_block(end)
    fn.block = end
    _bind(fn, op.results, end.args)


def lower_while(fn: FunctionLowering, op: Operation) -> None:
    """`scf.while`: the `before` region is the condition, `after` is the body."""
    assert isinstance(op, WhileOp)
    before, after = op.before_region.block, op.after_region.block
    condition = before.last_op
    if not isinstance(condition, ConditionOp):
        fn.fail("must end its first region in scf.condition", op)
    initial = [fn.get(value) for value in op.arguments]
    entry = fn.block
    head = fn.new_block([convert_type(arg.type) for arg in before.args])
    fn.block = head
    _bind(fn, before.args, head.args)
    fn.lower_block(before)
    passed = [fn.get(value) for value in condition.args]
    decision, again = fn.block, fn.get(condition.condition)
    body = fn.new_block([value.type for value in passed])
    end = Block(arg_types=[value.type for value in passed])
    fn.block = body
    _bind(fn, after.args, body.args)
    fn.lower_block(after)
    fn.branch(head, _yielded(fn, after))
    fn.block = decision
    fn.branch_if(again, body, passed, end, passed)
    fn.block = entry
    fn.branch(head, initial)
    fn.region.add_block(end)
    fn.block = end
    _bind(fn, op.results, end.args)


RULES: dict[str, Rule] = {
    "scf.for": lower_for,
    "scf.if": lower_if,
    "scf.while": lower_while,
    "scf.parallel": lower_parallel,
}
