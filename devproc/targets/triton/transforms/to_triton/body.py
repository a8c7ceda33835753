"""Evaluates the scalar body of a linalg op on blocks: one table row per op class.

f16 and bf16 are computed in f32 and rounded after each op, as in PyTorch; `index`
values have the kernel's index type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
)
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    i1,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.dialects.linalg.ops import YieldOp as LinalgYieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.errors import CompileError
from devproc.ir.text.location import describe_location
from devproc.targets.triton.dialect import element_of
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.constants import constant_value
from devproc.targets.triton.transforms.to_triton.expansions import expand


class Memory(Protocol):
    """What a body needs of the enclosing kernel."""

    def index(self, dim: int) -> Value:
        """The current index of an iteration dimension."""
        ...

    def read_at(
        self, source: SSAValue, indices: Sequence[Value], mask: SSAValue | None
    ) -> SSAValue:
        """An element of a memref at computed indices, where the mask is set."""
        ...


class Body:
    """Evaluates a body at one point of the iteration space."""

    def __init__(self, builder: BlockBuilder, memory: Memory, strict: bool = False):
        self.b = builder
        self.memory = memory
        self.values: dict[SSAValue, SSAValue] = {}
        self.mask: SSAValue | None = None
        """The condition of the enclosing `scf.if`s, which masks loads."""
        self.strict = strict

    def run(self, block: Block, arguments: Sequence[SSAValue | None]) -> list[SSAValue]:
        """The yielded values for these block arguments (None: the body ignores it)."""
        for argument, value in zip(block.args, arguments, strict=True):
            if value is not None:
                self.values[argument] = value
        for op in block.ops:
            if isinstance(op, LinalgYieldOp | scf.YieldOp):
                return [self.get(value) for value in op.operands]
            self.evaluate(op)
        raise CompileError("a linalg body must end in a yield")

    def get(self, value: SSAValue) -> SSAValue:
        """The block of a scalar; values from outside are evaluated on demand."""
        if value not in self.values:
            if not isinstance(value.owner, Operation):
                raise CompileError(
                    "a kernel body uses a scalar argument of its function"
                )
            self.evaluate(value.owner)
        return self.values[value]

    def need(self, value: SSAValue) -> None:
        """Compute a value of the body, after the values that it depends on."""
        if value in self.values or not isinstance(value.owner, Operation):
            return
        for operand in value.owner.operands:
            self.need(operand)
        self.evaluate(value.owner)

    def evaluate(self, op: Operation) -> None:
        """Compute one op."""
        row = ROWS.get(type(op))
        results = [same_type(self, op)] if row is None else row(self, op)
        for old, new in zip(op.results, results, strict=True):
            self.values[old] = new


def wide(b: BlockBuilder, value: SSAValue) -> SSAValue:
    """The value extended to its compute type."""
    if isinstance(element_of(value.type), Float16Type | BFloat16Type):
        return b.to_float(value, f32)
    return value


def same_type(body: Body, op: Operation) -> SSAValue:
    """An op whose operands and result have one type, expanded or directly."""
    b = body.b
    values = [wide(b, body.get(v)) for v in op.operands]
    result = expand(b, type(op), values, body.strict)
    if result is None:
        if not isinstance(op, SAME_TYPE_OPS):
            raise CompileError(
                f"'{op.name}' ({describe_location(op.location)}) has no Triton form;"
                " place this op on the CPU"
            )
        result = b.elementwise(type(op), *values)
    element = element_of(body.get(op.operands[0]).type)
    return result if element_of(result.type) == element else b.to_float(result, element)


SAME_TYPE_OPS = (
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
    arith.ShLIOp,
    arith.ShRSIOp,
    arith.ShRUIOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.DivfOp,
    arith.NegfOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.MaxnumfOp,
    arith.MinnumfOp,
    math.AbsFOp,
    math.AbsIOp,
    math.CeilOp,
    math.CosOp,
    math.ErfOp,
    math.Exp2Op,
    math.ExpOp,
    math.FloorOp,
    math.FmaOp,
    math.Log2Op,
    math.LogOp,
    math.RsqrtOp,
    math.SinOp,
    math.SqrtOp,
)
"""Ops on one type that Triton supports; the printer has a row for each."""


def element_type(b: BlockBuilder, type_: Attribute) -> Attribute:
    """A scalar type in the kernel: `index` becomes its index type."""
    return b.index_type if isinstance(type_, IndexType) else type_


def constant(body: Body, op: arith.ConstantOp) -> list[SSAValue]:
    """A number."""
    value = cast(IntegerAttr | FloatAttr, op.value)
    return [body.b.constant(value.value.data, element_type(body.b, op.result.type))]


def compare_integers(body: Body, op: arith.CmpiOp) -> list[SSAValue]:
    """arith.cmpi."""
    predicate = CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    return [body.b.compare(predicate, body.get(op.lhs), body.get(op.rhs))]


def compare_floats(body: Body, op: arith.CmpfOp) -> list[SSAValue]:
    """arith.cmpf; constant predicates become constants."""
    predicate = CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    if predicate in ("true", "false"):
        return [body.b.constant(int(predicate == "true"), i1)]
    a, b = (wide(body.b, body.get(v)) for v in (op.lhs, op.rhs))
    return [body.b.compare(predicate, a, b)]


def cast_row(kind: str) -> Callable[[Body, Operation], list[SSAValue]]:
    """The row of an arith cast."""

    def row(body: Body, op: Operation) -> list[SSAValue]:
        value, target = body.get(op.operands[0]), op.results[0].type
        if kind in ("extf", "truncf"):
            return [body.b.to_float(value, target)]
        if kind in ("fptosi", "fptoui"):
            value = wide(body.b, value)
        if isinstance(target, Float16Type | BFloat16Type) and kind != "bitcast":
            return [body.b.to_float(body.b.cast(kind, value, f32), target)]
        return [body.b.cast(kind, value, target)]

    return row


def cast_index(body: Body, op: arith.IndexCastOp) -> list[SSAValue]:
    """Between an integer type and the index type."""
    value = body.get(op.input)
    source = cast(IntegerType, element_of(value.type))
    target = cast(IntegerType, element_type(body.b, op.result.type))
    if source == target:
        return [value]
    known = constant_value(value)
    if known is not None:
        return [body.b.constant(known, target)]
    wider = target.bitwidth > source.bitwidth
    return [body.b.cast("extsi" if wider else "trunci", value, target)]


def select(body: Body, op: arith.SelectOp) -> list[SSAValue]:
    """arith.select; the loads of both sides are executed and must be in bounds."""
    return [body.b.where(body.get(op.cond), body.get(op.lhs), body.get(op.rhs))]


def index(body: Body, op: IndexOp) -> list[SSAValue]:
    """The current index of a dimension."""
    return [body.b.ssa(body.memory.index(op.dim.value.data))]


def load(body: Body, op: memref.LoadOp) -> list[SSAValue]:
    """A load at computed indices."""
    indices = [body.get(v) for v in op.indices]
    return [body.memory.read_at(op.memref, indices, body.mask)]


def branch(body: Body, op: scf.IfOp) -> list[SSAValue]:
    """Evaluates both branches; the loads of each are masked by its condition."""
    condition, outside, b = body.get(op.cond), body.mask, body.b
    true = b.constant(1, i1)
    body.mask = b.both(outside, condition)
    taken = body.run(op.true_region.block, [])
    body.mask = b.both(outside, b.elementwise(arith.XOrIOp, condition, true))
    other = body.run(op.false_region.block, [])
    body.mask = outside
    return [b.where(condition, x, y) for x, y in zip(taken, other, strict=True)]


def floor_division(body: Body, op: arith.FloorDivSIOp) -> list[SSAValue]:
    """Division rounding down; Triton's division truncates."""
    b, x, y = body.b, body.get(op.lhs), body.get(op.rhs)
    zero = b.constant(0, element_of(x.type))
    one = b.constant(1, element_of(x.type))
    quotient = b.elementwise(arith.DivSIOp, x, y)
    rest = b.elementwise(arith.RemSIOp, x, y)
    signs = b.elementwise(arith.XOrIOp, rest, y)
    rounded_up = b.elementwise(
        arith.AndIOp, b.compare("ne", rest, zero), b.compare("slt", signs, zero)
    )
    below = b.elementwise(arith.SubiOp, quotient, one)
    return [b.where(rounded_up, below, quotient)]


def unsigned_choice(predicate: str) -> Callable[[Body, Operation], list[SSAValue]]:
    """The row of an unsigned maximum or minimum."""

    def row(body: Body, op: Operation) -> list[SSAValue]:
        a, b = (body.get(v) for v in op.operands)
        return [body.b.where(body.b.compare(predicate, a, b), a, b)]

    return row


ROWS: dict[type[Operation], Callable[..., list[SSAValue]]] = {
    arith.ConstantOp: constant,
    arith.CmpiOp: compare_integers,
    arith.CmpfOp: compare_floats,
    arith.SelectOp: select,
    arith.IndexCastOp: cast_index,
    arith.ExtFOp: cast_row("extf"),
    arith.TruncFOp: cast_row("truncf"),
    arith.SIToFPOp: cast_row("sitofp"),
    arith.UIToFPOp: cast_row("uitofp"),
    arith.FPToSIOp: cast_row("fptosi"),
    arith.FPToUIOp: cast_row("fptoui"),
    arith.ExtSIOp: cast_row("extsi"),
    arith.ExtUIOp: cast_row("extui"),
    arith.TruncIOp: cast_row("trunci"),
    arith.BitcastOp: cast_row("bitcast"),
    arith.FloorDivSIOp: floor_division,
    arith.MaxUIOp: unsigned_choice("ugt"),
    arith.MinUIOp: unsigned_choice("ult"),
    IndexOp: index,
    memref.LoadOp: load,
    scf.IfOp: branch,
}
"""Ops that are not lowered to a single op of the same class."""
