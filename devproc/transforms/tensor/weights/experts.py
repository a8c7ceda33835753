"""Stores matrices of which each row of a product takes its own, as those of experts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.compare import AndOp, OrOp, ShiftLeftOp, ShiftRightOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp, CastOp, MulOp
from devproc.dialects.nn.quantized import DequantizeOp, QuantizeGroupsOp
from devproc.dialects.nn.reduction import ReduceSumOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, SliceOp, TransposeOp
from devproc.ir.text.location import copy_location
from devproc.ir.types import DTYPES, dtype_name, tensor, tensor_of
from devproc.ir.weight_format import WeightFormat
from devproc.transforms.tensor.weights.prepared import (
    PreparedParts,
    is_wider,
    ops_outside_of_prepare,
)

F32, I32, U8 = (DTYPES[name] for name in ("float32", "int32", "uint8"))


@dataclass(frozen=True)
class ExpertProduct:
    """A product of rows (S, 1, K), each with a matrix of its own of a constant (E, N, K)."""

    op: MatmulOp
    gather: GatherOp
    weight: WeightOp
    is_transposed: bool
    """Whether the matrices are the right factors, (E, K, N)."""

    @property
    def rows(self) -> SSAValue:
        """The rows, as columns if the matrices are the left factors."""
        return self.op.operands[0 if self.is_transposed else 1]

    @property
    def shape(self) -> tuple[int, int, int]:
        """E, N and K."""
        experts, outputs, terms = tensor_of(self.weight.result).get_shape()
        return (
            experts,
            *((terms, outputs) if self.is_transposed else (outputs, terms)),
        )


def expert_products(module: ModuleOp) -> Iterator[ExpertProduct]:
    """The products with gathered matrices, outside of `@prepare`."""
    for op in ops_outside_of_prepare(module):
        found = _expert_product(op) if isinstance(op, MatmulOp) else None
        if found is not None:
            yield found


def _expert_product(op: MatmulOp) -> ExpertProduct | None:
    for place, factor in enumerate(op.operands):
        gather, other = factor.owner, tensor_of(op.operands[1 - place]).get_shape()
        if not isinstance(gather, GatherOp):
            continue
        weight, index = gather.operand.owner, tensor_of(gather.indices[0]).get_shape()
        # One row for each matrix: the second dimension of x, the third of its transpose.
        is_row = len(other) == 3 and other[1 if place else 2] == 1
        is_by_matrix = index[1:] == (1, 1) and ints(gather.axes) == (0,)
        if isinstance(weight, WeightOp) and is_row and is_by_matrix:
            return ExpertProduct(op, gather, weight, bool(place))
    return None


def kept(product: ExpertProduct, stored: WeightFormat) -> str | None:
    """Why the matrices stay as they are; None if they are stored in the format."""
    dtype = dtype_name(tensor_of(product.weight.result).element_type)
    if not is_wider(dtype, stored):
        return f"it is {dtype}, not wider than the format"
    terms = product.shape[2]
    if terms % stored.group:
        return f"its {terms} terms are no multiple of {stored.group}"
    return None


@dataclass
class ExpertQuantizer:
    """Stores the matrices of experts of one module."""

    prepared: PreparedParts
    stored: WeightFormat

    def replace(self, product: ExpertProduct) -> None:
        """Replace a product by one with the stored form of its matrices."""
        parts = self.stored_form(product)
        make = expert_sums if self.stored.is_integer else widened_product
        ops = make(parts, product, self.stored)
        for each in ops:
            copy_location(product.op, each)
        result = ops[-1].results[0]
        result.name_hint = product.op.results[0].name_hint
        Rewriter.insert_op(ops, InsertPoint.before(product.op))
        Rewriter.replace_op(product.op, [], [result])
        for op in (product.gather, product.weight):
            if op.results[0].first_use is None:
                Rewriter.erase_op(op)

    def stored_form(self, product: ExpertProduct) -> list[WeightOp]:
        """The parts of the matrices in the format, which `@prepare` makes once."""
        weight, stored = product.weight, self.stored
        if stored.is_integer:
            made = matrices_of(product)
            groups = QuantizeGroupsOp.into(made.ops[-1].results[0], stored)
            made.add(groups)
            parts = stored_parts(made, groups.results, product, stored)
        else:
            made = OpList(weight.clone())
            wide = made.ops[0].results[0]
            parts = [made.add(CastOp.to(wide, DTYPES[stored.dtype]))]
        return self.prepared.of(weight, product.is_transposed, made.ops, parts)


class OpList:
    """Ops in the order in which they were added."""

    def __init__(self, *ops: Operation):
        self.ops = list(ops)

    def add(self, op: Operation) -> SSAValue:
        """Append an op; returns its first result."""
        self.ops.append(op)
        return op.results[0]

    def constant(self, dtype: str, value: int) -> SSAValue:
        """An integer without dimensions."""
        return self.add(ConstantOp.of(tensor(DTYPES[dtype], ()), [value]))


def matrices_of(product: ExpertProduct) -> OpList:
    """The matrices as one of float32, (E * N, K)."""
    made = OpList(product.weight.clone())
    value: SSAValue = made.ops[0].results[0]
    if product.is_transposed:
        value = made.add(TransposeOp.by(value, (0, 2, 1)))
    if tensor_of(value).element_type != F32:
        value = made.add(CastOp.to(value, F32))
    experts, outputs, terms = product.shape
    made.add(ReshapeOp.to(value, (experts * outputs, terms)))
    return made


def stored_parts(
    made: OpList,
    results: Sequence[SSAValue],
    product: ExpertProduct,
    form: WeightFormat,
) -> list[SSAValue]:
    """The numbers, scales and zero points of `nn.quantize_groups` as they are stored: zero
    points in a byte, and two numbers of 4 bits in a byte, a half of the group apart."""
    numbers, scales, *zeros = results
    if form.bits == 4:
        if form.zero:
            numbers = made.add(
                AddOp.build_op([numbers, made.constant("int8", form.zero)])
            )
        bytes_ = made.add(CastOp.to(numbers, U8))
        half = form.group // 2
        low, high = (made.add(SliceOp.along(bytes_, 2, n * half, half)) for n in (0, 1))
        high = made.add(ShiftLeftOp.build_op([high, made.constant("uint8", 4)]))
        numbers = made.add(OrOp.build_op([low, high]))
    zeros = [made.add(CastOp.to(zero, U8)) for zero in zeros]
    experts, outputs, _ = product.shape
    return [
        made.add(ReshapeOp.to(v, (experts, outputs, *tensor_of(v).get_shape()[1:])))
        for v in (numbers, scales, *zeros)
    ]


def expert_sums(
    parts: Sequence[WeightOp], product: ExpertProduct, form: WeightFormat
) -> list[Operation]:
    """The product with the stored matrices: the sum over the groups and their terms of the
    widened numbers times the row, in one loop that reads each matrix where it is."""
    made, (_, _, terms) = OpList(*parts), product.shape
    index = product.gather.indices[0]
    count = tensor_of(index).get_shape()[0]
    index = made.add(ReshapeOp.to(index, (count, 1, 1, 1)))
    # Scales in the shape of the numbers, whose loop then reads them where they are.
    shape = tensor_of(parts[0].result).get_shape()
    numbers, scales, *zeros = (
        made.add(GatherOp.build_op([part, index], {"axes": product.gather.axes}))
        for part in (
            parts[0].result,
            *(made.add(ExpandOp.to(part.result, shape)) for part in parts[1:]),
        )
    )
    zeros = [made.add(CastOp.to(zero, I32)) for zero in zeros]
    rows = product.rows
    if tensor_of(rows).element_type != F32:
        rows = made.add(CastOp.to(rows, F32))
    group = form.group
    # One row may be that of all matrices.
    batch = tensor_of(rows).get_shape()[0]
    rows = made.add(ReshapeOp.to(rows, (batch, 1, terms // group, group)))
    pairs = [(numbers, rows)]
    if form.bits == 4:
        zeros = zeros or [made.constant("int32", form.zero)]
        low = made.add(AndOp.build_op([numbers, made.constant("uint8", 15)]))
        high = made.add(ShiftRightOp.build_op([numbers, made.constant("uint8", 4)]))
        halves = (
            made.add(SliceOp.along(rows, 3, n * group // 2, group // 2)) for n in (0, 1)
        )
        pairs = list(zip((low, high), halves, strict=True))
    wide = [made.add(DequantizeOp.build_op([n, scales, *zeros])) for n, _ in pairs]
    terms_ = [
        made.add(MulOp.build_op([number, row]))
        for number, (_, row) in zip(wide, pairs, strict=True)
    ]
    total = terms_[0] if len(terms_) == 1 else made.add(AddOp.build_op(terms_))
    sums = made.add(ReduceSumOp.over(total, [2, 3], False))
    result = tensor_of(product.op.results[0])
    value = made.add(ReshapeOp.to(sums, result.get_shape()))
    if result.element_type != F32:
        made.add(CastOp.to(value, result.element_type))
    return made.ops


def widened_product(
    parts: Sequence[WeightOp], product: ExpertProduct, form: WeightFormat
) -> list[Operation]:
    """The product with matrices of narrow floats, which are widened where it reads them."""
    made, gather = OpList(*parts), product.gather
    picked = GatherOp.build_op(
        [parts[0].result, *gather.indices], {"axes": gather.axes}
    )
    wide = made.add(CastOp.to(made.add(picked), F32))
    operands = [wide, product.rows]
    made.add(MatmulOp.build_op(operands[::-1] if product.is_transposed else operands))
    return made.ops
