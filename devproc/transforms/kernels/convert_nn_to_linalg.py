"""Lowers every `nn` op outside `@prepare` to structured loops on tensors.

Types become signless, because `arith` is: uint8 becomes i8 and uint16 becomes i16, and
the ops of the loop bodies specify where they interpret a value as unsigned. Arguments
and results keep their dtype in an attribute, such as `dev.dtype = "uint8"`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import is_region_function
from devproc.dialects.nn.base import NNOp
from devproc.dialects.nn.constant import ConstantOp
from devproc.errors import CompileError
from devproc.extension import custom_op_of
from devproc.ir.text.location import copy_location, describe_location
from devproc.ir.types import AnyTensor, dtype_name, signless
from devproc.ir.types import tensor as tensor_type
from devproc.ir.verification.verify import PREPARE
from devproc.transforms.kernels.fusion.unread import erase_unread
from devproc.transforms.kernels.nn_to_linalg import (
    attention,
    compare,
    constant,
    contraction,
    detection,
    elementary,
    gather,
    image,
    loop,
    pointwise,
    quantized,
    reduction,
    scan,
    shape,
    sort,
    window,
)
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering

LoweringFn: TypeAlias = Callable[
    [Operation, Lowering], SSAValue | Sequence[SSAValue] | None
]

FAMILIES = (
    compare,
    constant,
    attention,
    contraction,
    detection,
    elementary,
    gather,
    image,
    loop,
    pointwise,
    quantized,
    reduction,
    scan,
    shape,
    sort,
    window,
)

LOWERINGS: Mapping[type[Operation], LoweringFn] = {
    op: fn for family in FAMILIES for op, fn in family.LOWERINGS.items()
}
"""op class -> the rule that lowers it to loops."""

NO_LOWERING: Mapping[type[Operation], str] = {
    op: why for family in FAMILIES for op, why in family.NO_LOWERING.items()
}
"""op class -> why it never reaches this pass."""


def drop_signs(function: FuncOp) -> set[SSAValue]:
    """Make the unsigned tensors of a function signless; returns these values."""
    unsigned: set[SSAValue] = set()
    for block in blocks_of(function):
        values = [*block.args, *(r for op in block.ops for r in op.results)]
        for value in values:
            type_ = without_sign(value.type)
            if type_ is not value.type:
                unsigned.add(Rewriter.replace_value_with_new_type(value, type_))
    inputs, outputs = function.function_type.inputs, function.function_type.outputs
    function.arg_attrs = with_dtypes(function.arg_attrs, inputs.data)
    function.res_attrs = with_dtypes(function.res_attrs, outputs.data)
    function.function_type = FunctionType.from_lists(
        [without_sign(t) for t in inputs], [without_sign(t) for t in outputs]
    )
    return unsigned


def blocks_of(op: Operation) -> Iterator[Block]:
    """The blocks of an op and of the ops in them, outer ones first."""
    for region in op.regions:
        for block in region.blocks:
            yield block
            for child in block.ops:
                yield from blocks_of(child)


def without_sign(type_: Attribute) -> Attribute:
    """The signless form of a tensor type (uint8 as i8); any other type unchanged."""
    if not isinstance(type_, TensorType):
        return type_
    ranked = cast(AnyTensor, type_)
    element = signless(ranked.element_type)
    if element == ranked.element_type:
        return ranked
    return tensor_type(element, ranked.get_shape(), ranked.encoding)


def with_dtypes(
    attributes: ArrayAttr[DictionaryAttr] | None, types: tuple[Attribute, ...]
) -> ArrayAttr[DictionaryAttr] | None:
    """Argument attributes that record which arguments are unsigned."""
    if not any(without_sign(type_) is not type_ for type_ in types):
        return attributes
    old = attributes.data if attributes else (DictionaryAttr({}),) * len(types)
    return ArrayAttr(
        [
            DictionaryAttr({**each.data, "dev.dtype": StringAttr(dtype_of(type_))})
            if without_sign(type_) is not type_
            else each
            for each, type_ in zip(old, types, strict=True)
        ]
    )


def dtype_of(type_: Attribute) -> str:
    """The dtype name of a tensor type."""
    return dtype_name(cast(AnyTensor, type_).element_type)


def lower_op(op: Operation, unsigned: set[SSAValue]) -> None:
    """Replace an `nn` op with its loops."""
    custom = custom_op_of(type(op))
    lower = LOWERINGS.get(type(op))
    if custom is not None:
        lower = cast(LoweringFn | None, custom.lowering)
    if lower is None:
        why = NO_LOWERING.get(type(op), "it has no lowering rule")
        if type(op) in constant.NO_LOWERING:
            return
        raise CompileError(
            f"convert-nn-to-linalg: '{op.name}' ({describe_location(op.location)}) has"
            f" no loop form: {why}; run decompose-nn and hoist-constants first"
        )
    lowering = Lowering(op, unsigned)
    result = lower(op, lowering)
    if result is None:
        return
    results = [result] if isinstance(result, SSAValue) else result
    lowering.finish()
    for new_op in lowering.ops:
        copy_location(op, new_op)
    for old, new in zip(op.results, results, strict=True):
        if old in unsigned:
            unsigned.add(new)
    Rewriter.insert_op(lowering.ops, InsertPoint.before(op))
    Rewriter.replace_op(op, [], results)


@dataclass(frozen=True)
class ConvertNnToLinalgPass(ModulePass):
    """Lowers tensor ops to `linalg.generic`, the common form that fusion, CPU schedules
    and the GPU lowering handle without knowledge of individual ops.

    Before:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %r = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      func.return %r : tensor<2x3xf32>
    }
    ```

    After:
    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = tensor.empty() : tensor<2x3xf32>
      %1 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x : tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>)
        attrs = {kernel.sources = ["nn.relu"]} {
      ^bb0(%in: f32, %out: f32):
        %zero = arith.constant 0.0 : f32
        %max = arith.maximumf %in, %zero fastmath<nsz> : f32
        linalg.yield %max : f32
      } -> tensor<2x3xf32>
      func.return %1 : tensor<2x3xf32>
    }
    ```
    """

    name = "convert-nn-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if not isinstance(function, FuncOp) or function.sym_name.data == PREPARE:
                continue
            if is_region_function(function):
                continue
            unsigned = drop_signs(function)
            for block in list(blocks_of(function)):
                lower_block(block, unsigned)


def lower_block(block: Block, unsigned: set[SSAValue]) -> None:
    """Lower the ops of a block in order; constants last, when few uses remain."""
    ops = list(block.ops)
    for op in ops:
        if isinstance(op, NNOp):
            lower_op(op, unsigned)
    for op in ops:
        if isinstance(op, ConstantOp):
            if op.result.uses:
                lower_op(op, unsigned)
            else:
                Rewriter.erase_op(op)
    # A lowering may ignore its operands, for example when it pads an empty image.
    erase_unread(block)
