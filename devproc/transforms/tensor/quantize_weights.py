"""Stores the constant matrices of products in fewer bits."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import target_of
from devproc.dialects.nn.base import ints
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import CastOp
from devproc.dialects.nn.quantized import DequantizeOp, QuantizeGroupsOp
from devproc.dialects.nn.shape import ReshapeOp, TransposeOp
from devproc.ir.text.location import copy_location
from devproc.ir.types import DTYPES, dtype_name, tensor_of
from devproc.ir.weight_format import WeightFormat
from devproc.transforms.tensor.weights import experts
from devproc.transforms.tensor.weights.prepared import (
    PreparedParts,
    is_wider,
    ops_outside_of_prepare,
)

ProductOp: TypeAlias = LinearOp | MatmulOp

LEAST_ELEMENTS = 16 * 1024
"""Fewest elements of a matrix: a smaller one stays in a core's first cache, from which it
is read as fast in float32."""

F32 = DTYPES["float32"]


def products_of(module: ModuleOp) -> Iterator[tuple[ProductOp, WeightOp]]:
    """The products with a constant matrix on the right, outside of `@prepare`."""
    for op in ops_outside_of_prepare(module):
        if isinstance(op, LinearOp | MatmulOp):
            owner = op.operands[1].owner
            if isinstance(owner, WeightOp):
                yield op, owner


def kept(op: ProductOp, stored: WeightFormat) -> str | None:
    """Why the matrix of a product stays as it is; None if it is stored in the format."""
    x, weight = tensor_of(op.operands[0]), tensor_of(op.operands[1])
    shape, dtype = weight.get_shape(), dtype_name(weight.element_type)
    if len(shape) != 2:
        return "it is no matrix"
    if x.element_type != weight.element_type:
        return f"it is {dtype}, the other factor is {dtype_name(x.element_type)}"
    if not is_wider(dtype, stored):
        return f"it is {dtype}, not wider than the format"
    if shape[0] * shape[1] < LEAST_ELEMENTS:
        return f"it is small: {shape[0]} x {shape[1]}, below {LEAST_ELEMENTS} elements"
    terms = shape[1] if isinstance(op, LinearOp) else shape[0]
    # Floats are read in pairs of terms.
    multiple = max(stored.group, 2)
    if terms % multiple:
        return f"its {terms} terms are no multiple of {multiple}"
    return None


def gathers_of(
    module: ModuleOp, names: Container[str], stored: WeightFormat
) -> Iterator[GatherOp]:
    """The ops that read rows of these matrices, by an index for each."""
    for op in module.walk():
        if not isinstance(op, GatherOp) or not isinstance(op.operand.owner, WeightOp):
            continue
        terms = tensor_of(op.operand).get_shape()[-1]
        by_row = tensor_of(op.indices[0]).get_shape()[1:] == (1,)
        is_wanted = op.operand.owner.weight_name in names and terms % stored.group == 0
        if is_wanted and by_row and ints(op.axes) == (0,):
            yield op


@dataclass
class Quantizer:
    """Stores the weights of one module."""

    prepared: PreparedParts
    stored: WeightFormat

    def replace(self, op: ProductOp, weight: WeightOp) -> None:
        """Replace a product by one with the stored form of its weight."""
        weights = self.stored_form(weight, isinstance(op, MatmulOp))
        widening = self.widen([each.result for each in weights])
        for each in (*weights, *widening):
            each.location = weight.location
        product = _product(op, widening[-1].results[0])
        for each in product:
            copy_location(op, each)
        _take_place(op, [*weights, *widening, *product], weight)

    def stored_form(self, weight: WeightOp, is_transposed: bool) -> list[WeightOp]:
        """The parts of a weight in the format, which `@prepare` makes once."""
        source: list[Operation] = [weight.clone()]
        if is_transposed:
            source.append(TransposeOp.by(source[-1].results[0], (1, 0)))
        if tensor_of(weight.result).element_type != F32:
            source.append(CastOp.to(source[-1].results[0], F32))
        narrow = self.narrow(source[-1].results[0])
        ops = [*source, narrow]
        return self.prepared.of(weight, is_transposed, ops, narrow.results)

    def replace_rows(self, op: GatherOp) -> None:
        """Replace rows of a matrix by those of its stored form."""
        weight, index = op.operand.owner, op.indices[0]
        assert isinstance(weight, WeightOp)
        count = tensor_of(index).get_shape()[0]
        made: list[Operation] = []
        picked: list[SSAValue] = []
        for part in self.stored_form(weight, is_transposed=False):
            ones = (1,) * (len(tensor_of(part.result).get_shape()) - 1)
            at = ReshapeOp.to(index, (count, *ones))
            rows = GatherOp.build_op([part.result, at.result], {"axes": op.axes})
            made += [part, at, rows]
            picked.append(rows.result)
        made += self.widen(picked)
        if (element := tensor_of(op.result).element_type) != F32:
            made.append(CastOp.to(made[-1].results[0], element))
        for each in made:
            copy_location(op, each)
        _take_place(op, made, weight)

    def narrow(self, matrix: SSAValue) -> Operation:
        """The op that stores a matrix in the format, in `@prepare`."""
        if not self.stored.is_integer:
            return CastOp.to(matrix, DTYPES[self.stored.dtype])
        return QuantizeGroupsOp.into(matrix, self.stored)

    def widen(self, stored: Sequence[SSAValue]) -> list[Operation]:
        """The ops that give the matrix in float32."""
        if not self.stored.is_integer:
            return [CastOp.to(stored[0], F32)]
        wide = DequantizeOp.build_op(stored)
        rows, groups, terms = tensor_of(wide.result).get_shape()
        return [wide, ReshapeOp.to(wide.result, (rows, groups * terms))]


def _take_place(op: Operation, made: Sequence[Operation], weight: WeightOp) -> None:
    """Replaces an op by others, the last of which has its result; erases a weight that
    nothing else reads."""
    Rewriter.insert_op(made, InsertPoint.before(op))
    result = made[-1].results[0]
    result.name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, [], [result])
    if weight.result.first_use is None:
        Rewriter.erase_op(weight)


def _product(op: ProductOp, matrix: SSAValue) -> list[Operation]:
    """The product with a matrix in float32; that of half precision is rounded once."""
    x, _, *bias = op.operands
    element = tensor_of(x).element_type
    if element == F32:
        return [LinearOp.build_op([x, matrix, *bias])]
    wider = [CastOp.to(value, F32) for value in (x, *bias)]
    x, *bias = [cast.result for cast in wider]
    product = LinearOp.build_op([x, matrix, *bias])
    return [*wider, product, CastOp.to(product.result, element)]


@dataclass(frozen=True)
class QuantizeWeightsPass(ModulePass):
    """Stores the constant matrices of linear layers and matrix products as the option
    `weights` asks for: in groups of integers with a scale, and with a zero point for uint8
    and uint4 (round-to-nearest), or in bfloat16 or float16. Sums stay float32. What widens
    the stored form to float32 stays in the program, after `hoist-constants`, and a device
    may read it as part of the product. Rows that are gathered of such a matrix, as of one that
    a language model shares between its first and last layer, come from the stored form.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
        threads = 1, weights = "int8:32">} {
      func.func @main(%x: tensor<2x256xf32>) -> tensor<2x64xf32> {
        %w = nn.weight @w hash "1f" : tensor<64x256xf32>
        %y = nn.linear %x, %w : (tensor<2x256xf32>, tensor<64x256xf32>) -> tensor<2x64xf32>
        func.return %y : tensor<2x64xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
        threads = 1, weights = "int8:32">} {
      func.func @main(%x: tensor<2x256xf32>) -> tensor<2x64xf32> {
        %q = nn.weight @"prepare.0" hash "eedc175708c977ec" : tensor<64x8x32xi8>
        %s = nn.weight @"prepare.1" hash "ba5483fb4a90b44a" : tensor<64x8x1xf16>
        %d = nn.dequantize %q by %s
          : (tensor<64x8x32xi8>, tensor<64x8x1xf16>) -> tensor<64x8x32xf32>
        %w = nn.reshape %d to [64, 256] : (tensor<64x8x32xf32>) -> tensor<64x256xf32>
        %y = nn.linear %x, %w : (tensor<2x256xf32>, tensor<64x256xf32>) -> tensor<2x64xf32>
        func.return %y : tensor<2x64xf32>
      }
      func.func private @prepare() -> (tensor<64x8x32xi8>, tensor<64x8x1xf16>) {
        %w = nn.weight @w hash "1f" : tensor<64x256xf32>
        %q, %s = nn.quantize_groups %w bits 8 group 32
          : (tensor<64x256xf32>) -> (tensor<64x8x32xi8>, tensor<64x8x1xf16>)
        func.return %q, %s : tensor<64x8x32xi8>, tensor<64x8x1xf16>
      }
    }
    ```
    """

    name = "quantize-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        stored = target_of(op).weight_format
        if stored is None:
            return
        prepared = PreparedParts(op)
        quantizer = Quantizer(prepared, stored)
        names = set[str]()
        for product, weight in list(products_of(op)):
            if kept(product, stored) is None:
                names.add(weight.weight_name)
                quantizer.replace(product, weight)
        for gather in list(gathers_of(op, names, stored)):
            quantizer.replace_rows(gather)
        of_experts = experts.ExpertQuantizer(prepared, stored)
        for each in list(experts.expert_products(op)):
            if experts.kept(each, stored) is None:
                of_experts.replace(each)
