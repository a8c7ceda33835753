"""The sum of exponentials of a softmax in the pass that finds the maximum.

A sum so far is relative to the largest element so far; a larger one scales it (Milakov and
Gimelshein, "Online normalizer calculation for softmax", 2018). Elements are read once
less, for a second function of two numbers at each.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.memref import LoadOp
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from devproc.algorithms.base import Refusal
from devproc.targets.triton.algorithms.block_rows.chain import Chain
from devproc.targets.triton.algorithms.block_rows.combiners import combiners
from devproc.targets.triton.transforms.to_triton.flow import Exprs, substituted
from devproc.targets.triton.transforms.to_triton.generic import root_of
from devproc.targets.triton.transforms.to_triton.walk import Step


@dataclass(frozen=True)
class Formula:
    """How a scalar is computed: an op or a place in memory, and its operands."""

    what: object
    operands: tuple[Formula, ...] = ()
    attributes: tuple[tuple[str, Attribute], ...] = ()


def online_sums(chain: Chain) -> dict[int, int]:
    """Sums of exp(x - max(x)) -> the step of the maximum, by number."""
    maxima: dict[int, Formula] = {}
    found: dict[int, int] = {}
    for step in chain.steps:
        if not step.generic.reductions:
            continue
        parts = combiners(step.generic)
        if isinstance(parts, Refusal) or len(parts) != 1:
            continue
        (part,) = parts
        formula = formula_of(chain, step, part.element)
        if isinstance(part.op, arith.MaximumfOp) and part.element.type == f32:
            maxima[step.number] = formula
        elif isinstance(part.op, arith.AddfOp):
            for number, largest in maxima.items():
                if formula == exponential_of(largest, number):
                    found[step.number] = number
    return found


def exponential_of(x: Formula, largest: int) -> Formula:
    """exp(x - m), where m is the result of a step."""
    return Formula(math.ExpOp, (Formula(arith.SubfOp, (x, Formula(largest))),))


def formula_of(chain: Chain, step: Step, value: SSAValue) -> Formula:
    """How a value of the body of a step is computed from memory and values of rows."""
    owner = value.owner
    if isinstance(value, BlockArgument) and owner is step.generic.block:
        generic = step.generic
        operand = (*generic.inputs, *generic.outputs)[value.index]
        return read_formula(
            chain,
            step,
            operand,
            substituted(generic.maps[value.index].results, step.dims or ()),
        )
    if isinstance(owner, Block | LoadOp | IndexOp) or owner.regions:
        return Formula(value)
    attributes = {**owner.properties, **owner.attributes}
    attributes.pop("fastmath", None)
    return Formula(
        type(owner),
        tuple(formula_of(chain, step, operand) for operand in owner.operands),
        tuple(sorted(attributes.items())),
    )


def read_formula(chain: Chain, step: Step, value: SSAValue, exprs: Exprs) -> Formula:
    """How an operand of a step is computed, at indices in the dimensions of the anchor."""
    if not isinstance(value.type, MemRefType):
        return Formula(value)
    place = (root_of(value), tuple(exprs))
    writers = [
        chain.steps[n]
        for n in sorted(chain.sources[step.number])
        if root_of(value) in map(root_of, chain.steps[n].generic.outputs)
    ]
    if not writers:
        return Formula(place)
    writer = writers[-1]
    if writer.generic.reductions:
        return Formula(writer.number)
    if len(writers) > 1 or not chain.is_elementwise(writer):
        return Formula((writer.number, place))
    generic, last = writer.generic, writer.generic.block.last_op
    assert last is not None
    output = list(map(root_of, generic.outputs)).index(root_of(value))
    written = generic.output_maps[output].results
    if list(exprs) != substituted(written, writer.dims or ()):
        return Formula((writer.number, place))
    return formula_of(chain, writer, last.operands[output])
