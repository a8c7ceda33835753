"""Formulas of `nn` ops in one dtype, for operators composed of several ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.compare import EqOp, LtOp, WhereOp, XorOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    shape_of,
)
from devproc.ir.types import DTYPES, is_bool, tensor_of
from devproc.reference.conversion.arrays import name_of
from devproc.reference.conversion.tensors import torch_dtype

REDUCED = (DTYPES["float16"], DTYPES["bfloat16"])
"""Floats that PyTorch computes in float32."""

BOOL = DTYPES["bool"]

Operand: TypeAlias = SSAValue | Number


def compute_type(element: Attribute) -> Attribute:
    """The dtype that PyTorch computes in: float32 for half precision, uint8 for bool."""
    if element in REDUCED:
        return DTYPES["float32"]
    return DTYPES["uint8"] if is_bool(element) else element


def common_type(operands: Sequence[Operand]) -> Attribute:
    """The dtype that PyTorch promotes these operands to.

    Tensors with dimensions take precedence over rank-0 tensors, and these over numbers.
    """

    def category(operand: Operand) -> torch.Tensor | Number:
        if not isinstance(operand, SSAValue):
            return operand
        dtype = torch_dtype(tensor_of(operand).element_type)
        shape = [1] if shape_of(operand) else []
        return torch.empty(shape, dtype=dtype, device="meta")

    found: Any = category(operands[0])
    for operand in operands[1:]:
        # The result represents all operands so far: a tensor, a rank-0 one or a number.
        other: Any = category(operand)
        dtype = torch.result_type(found, other)
        dims = max(
            v.dim() if isinstance(v, torch.Tensor) else -1 for v in (found, other)
        )
        if dims < 0:
            found = torch.zeros((), dtype=dtype).item()
        else:
            found = torch.empty([1] * dims, dtype=dtype, device="meta")
    if not isinstance(found, torch.Tensor):
        found = torch.tensor(found)
    return DTYPES[str(name_of(found.dtype))]


class Formula:
    """Emits ops on operands of one dtype; numbers become constants of that dtype."""

    def __init__(self, builder: GraphBuilder, element: Attribute):
        self.b = builder
        self.element = element

    def value(self, operand: Operand) -> SSAValue:
        """The operand in the formula's dtype."""
        if isinstance(operand, SSAValue):
            return self.b.cast(operand, self.element)
        return self.b.scalar(operand, self.element)

    def __call__(self, op: type[NNOp], *operands: Operand) -> SSAValue:
        """`op` on these operands."""
        return self.b.emit(op.build_op([self.value(v) for v in operands]))

    def where(self, condition: SSAValue, a: Operand, b: Operand) -> SSAValue:
        """The first value where the condition is true, else the second."""
        values = [condition, self.value(a), self.value(b)]
        return self.b.emit(WhereOp.build_op(values))

    def negation(self, condition: SSAValue) -> SSAValue:
        """Where the condition is false."""
        true = self.b.scalar(True, BOOL)
        return self.b.emit(XorOp.build_op([condition, true]))

    def logic(self, op: type[NNOp], a: SSAValue, b: SSAValue) -> SSAValue:
        """`op` on bools."""
        return self.b.emit(op.build_op([a, b]))

    def differ(self, a: Operand, b: Operand) -> SSAValue:
        """Where the operands are not equal, or one is NaN."""
        return self.negation(self(EqOp, a, b))

    def more(self, a: Operand, b: Operand) -> SSAValue:
        """Where the first is greater."""
        return self(LtOp, b, a)


def composed(
    formula: Callable[..., SSAValue],
    *makes: type[Operation],
    each_rounded: bool = False,
) -> ImportRule:
    """The rule of an operator that is a formula in the compute type of its result.

    Half precision is rounded once at the end, as in most of PyTorch's kernels, or with
    `each_rounded` after each step.
    """

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> SSAValue:
        element = b.result.element_type
        f = Formula(b, element if each_rounded else compute_type(element))
        values = [_in_dtype(f, a) for a in args]
        return b.cast(formula(f, *values, **kwargs), element)

    return ImportRule(build, makes)


def _in_dtype(f: Formula, argument: Operand | None) -> Operand | None:
    """Casts tensors; numbers stay numbers, which a formula may depend on."""
    return f.value(argument) if isinstance(argument, SSAValue) else argument


def single_op(op: type[NNOp]) -> ImportRule:
    """The rule of an operator that is one op in the compute type of its result."""

    def formula(f: Formula, *operands: Operand) -> SSAValue:
        return f(op, *operands)

    return composed(formula, op)
