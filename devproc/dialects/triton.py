"""The `triton` dialect: block programs, the language of our GPU kernels.

It mirrors the Triton language: a `triton.func` runs once per point of its grid, on
scalars and on blocks (ranked tensors whose dimensions are powers of two). Arithmetic on
both is `arith` and `math`, loops are `scf.for`; only what those cannot say on blocks is
an op here. There is no implicit broadcasting: shapes meet through `triton.splat` and
`triton.broadcast`, which the printer leaves out again where Triton broadcasts by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
)
from xdsl.dialects.builtin import (
    AnyFloatConstr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import (
    Attribute,
    Dialect,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    attr_def,
    base,
    eq,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    param_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

MAX_BLOCK_ELEMENTS = 1 << 20
"""Triton refuses larger blocks (TRITON_MAX_TENSOR_NUMEL)."""

REDUCTIONS = ("sum", "max", "min")
"""Kinds of `triton.reduce`; max and min of floats ignore NaN, as on the GPU."""

CASTS = (
    "extf",
    "truncf",
    "sitofp",
    "uitofp",
    "fptosi",
    "fptoui",
    "extsi",
    "extui",
    "trunci",
    "bitcast",
)
"""Kinds of `triton.cast`, named like the arith ops, which take no blocks."""

PREDICATES = (*CMPI_COMPARISON_OPERATIONS, *CMPF_COMPARISON_OPERATIONS)
"""Predicates of `triton.compare`: those of arith.cmpi and of arith.cmpf."""

DOT_PRECISIONS = ("ieee", "tf32", "tf32x3")
"""How `triton.dot` multiplies f32: exactly, on tensor cores, or split in three."""


@irdl_attr_definition
class PtrType(ParametrizedAttribute, TypeAttribute):
    """A pointer into device memory: `!triton.ptr<f32>`."""

    name = "triton.ptr"

    pointee: Attribute = param_def()


def shape_of(type_: Attribute) -> tuple[int, ...]:
    """The block shape of a type; empty for a scalar."""
    return type_.get_shape() if isinstance(type_, TensorType) else ()


def element_of(type_: Attribute) -> Attribute:
    """The element type of a block, the type itself of a scalar."""
    if isinstance(type_, TensorType):
        return cast(TensorType[Attribute], type_).element_type
    return type_


@cache
def block_of(element: Attribute, shape: tuple[int, ...]) -> Attribute:
    """The type of a block of this shape; a scalar for the empty shape."""
    return TensorType(element, shape) if shape else element


def _verify_block(name: str, type_: Attribute) -> None:
    shape = shape_of(type_)
    if any(size < 1 or size & (size - 1) for size in shape):
        raise VerifyException(
            f"{name} has shape {list(shape)}: block dimensions must be powers of two"
        )
    if prod(shape) > MAX_BLOCK_ELEMENTS:
        raise VerifyException(
            f"{name} holds {prod(shape)} elements, a block at most {MAX_BLOCK_ELEMENTS}"
        )


def _verify_one_of(what: str, value: StringAttr, allowed: Sequence[str]) -> None:
    if value.data not in allowed:
        raise VerifyException(
            f"unknown {what} '{value.data}'; one of {', '.join(allowed)}"
        )


def _verify_shape(what: str, type_: Attribute, wanted: Sequence[int]) -> None:
    if shape_of(type_) != tuple(wanted):
        raise VerifyException(
            f"{what} has shape {list(shape_of(type_))}, expected {list(wanted)}"
        )


def _verify_element(what: str, type_: Attribute, wanted: Attribute) -> None:
    if element_of(type_) != wanted:
        raise VerifyException(
            f"{what} has elements of type {element_of(type_)}, expected {wanted}"
        )


BLOCK = base(TensorType)
I32 = IntegerAttr.constr(eq(i32))


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel: `grid` programs of `num_warps` warps each.

    ```mlir
    triton.func @k(%x: !triton.ptr<f32>) attributes {grid = array<i64: 4, 1, 1>,
        num_warps = 4 : i32, num_stages = 1 : i32} {
      triton.return
    }
    ```
    """

    name = "triton.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    grid = attr_def(DenseArrayBase.constr(i64))
    num_warps = attr_def(I32)
    num_stages = attr_def(I32)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        inputs: Sequence[Attribute],
        grid: Sequence[int],
        num_warps: int = 4,
        num_stages: int = 1,
        *,
        body: Region,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(inputs, []),
            },
            attributes={
                "grid": DenseArrayBase.from_list(i64, list(grid)),
                "num_warps": IntegerAttr(num_warps, i32),
                "num_stages": IntegerAttr(num_stages, i32),
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        name, inputs, results, region, extra, arg_attrs, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type")
        )
        if results or arg_attrs:
            parser.raise_error("triton.func has no results and no argument attributes")
        op = cls.create(
            properties={
                "sym_name": StringAttr(name),
                "function_type": FunctionType.from_lists(inputs, []),
            },
            attributes={} if extra is None else dict(extra.data),
            regions=[region],
        )
        return op

    def print(self, printer: Printer) -> None:
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            self.attributes,
            arg_attrs=ArrayAttr([DictionaryAttr({})] * len(self.function_type.inputs)),
            res_attrs=None,
            reserved_attr_names=("sym_name", "function_type"),
        )

    @property
    def grid_sizes(self) -> tuple[int, int, int]:
        """Programs along x, y and z."""
        x, y, z = (int(n) for n in self.grid.get_values())
        return (x, y, z)

    def verify_(self) -> None:
        sizes = self.grid.get_values()
        if len(sizes) != 3 or any(size < 1 for size in sizes):
            raise VerifyException(f"grid must be three positive sizes, got {sizes}")
        if sizes[1] > 65535 or sizes[2] > 65535:
            raise VerifyException(
                f"grid {list(sizes)}: CUDA allows 65535 programs along y and z"
            )
        warps = self.num_warps.value.data
        if warps not in (1, 2, 4, 8, 16, 32):
            raise VerifyException(
                f"num_warps must be a power of two to 32, got {warps}"
            )
        if self.body.block.arg_types != self.function_type.inputs.data:
            raise VerifyException("the entry block must have the function's arguments")


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a kernel: `triton.return`."""

    name = "triton.return"

    assembly_format = "attr-dict"

    traits = traits_def(IsTerminator(), HasParent(FuncOp))


@irdl_op_definition
class ProgramIdOp(IRDLOperation):
    """This program's position along a grid axis: `%p = triton.program_id 0 : i32`."""

    name = "triton.program_id"

    axis = prop_def(I32)
    result = result_def(eq(i32))

    assembly_format = "$axis attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if self.axis.value.data not in (0, 1, 2):
            raise VerifyException(f"grid axis must be 0..2, got {self.axis.value.data}")


@irdl_op_definition
class ArangeOp(IRDLOperation):
    """The indices 0..n-1: `%i = triton.arange : tensor<64xi32>`."""

    name = "triton.arange"

    result = result_def(BLOCK)

    assembly_format = "attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_block("result", self.result.type)
        _verify_element("result", self.result.type, i32)
        if len(shape_of(self.result.type)) != 1:
            raise VerifyException("arange gives a block of one dimension")


@irdl_op_definition
class SplatOp(IRDLOperation):
    """A block filled with a scalar: `triton.splat %s : f32 -> tensor<64xf32>`."""

    name = "triton.splat"

    source = operand_def()
    result = result_def(BLOCK)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_block("result", self.result.type)
        _verify_element("result", self.result.type, self.source.type)


@irdl_op_definition
class ExpandDimsOp(IRDLOperation):
    """Insert a dimension of size one before `axis`.

    `triton.expand_dims %x axis 1 : tensor<64xf32> -> tensor<64x1xf32>`
    """

    name = "triton.expand_dims"

    axis = prop_def(I32)
    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = (
        "$source `axis` $axis attr-dict `:` type($source) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        shape = list(shape_of(self.source.type))
        axis = self.axis.value.data
        if not 0 <= axis <= len(shape):
            raise VerifyException(f"axis {axis} is not in 0..{len(shape)}")
        shape.insert(axis, 1)
        _verify_shape("result", self.result.type, shape)
        _verify_element("result", self.result.type, element_of(self.source.type))


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """Repeat dimensions of size one.

    `triton.broadcast %x : tensor<64x1xf32> -> tensor<64x32xf32>`
    """

    name = "triton.broadcast"

    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source, result = shape_of(self.source.type), shape_of(self.result.type)
        _verify_block("result", self.result.type)
        _verify_element("result", self.result.type, element_of(self.source.type))
        if len(source) != len(result) or any(
            a not in (1, b) for a, b in zip(source, result, strict=True)
        ):
            raise VerifyException(
                f"cannot broadcast {list(source)} to {list(result)}: only dimensions"
                " of size 1 grow"
            )


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """The same elements in row-major order as another shape."""

    name = "triton.reshape"

    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source, result = shape_of(self.source.type), shape_of(self.result.type)
        _verify_block("result", self.result.type)
        _verify_element("result", self.result.type, element_of(self.source.type))
        if prod(source) != prod(result):
            raise VerifyException(
                f"cannot reshape {list(source)} to {list(result)}: element counts differ"
            )


@irdl_op_definition
class TransOp(IRDLOperation):
    """Permute dimensions; result dimension i is source dimension `order[i]`.

    `triton.trans %x order [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>`
    """

    name = "triton.trans"

    order = prop_def(DenseArrayBase.constr(i64))
    source = operand_def(BLOCK)
    result = result_def(BLOCK)

    assembly_format = (
        "$source `order` $order attr-dict `:` type($source) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source = shape_of(self.source.type)
        order = [int(d) for d in self.order.get_values()]
        if sorted(order) != list(range(len(source))):
            raise VerifyException(
                f"order {order} is not a permutation of {len(source)}"
            )
        _verify_shape("result", self.result.type, [source[d] for d in order])
        _verify_element("result", self.result.type, element_of(self.source.type))


@irdl_op_definition
class AddPtrOp(IRDLOperation):
    """The pointer(s) `offset` elements behind `base`.

    `triton.addptr %x, %i : !triton.ptr<f32>, tensor<64xi32> -> tensor<64x!triton.ptr<f32>>`
    """

    name = "triton.addptr"

    pointer = operand_def(PtrType)
    offset = operand_def()
    result = result_def()

    assembly_format = (
        "$pointer `,` $offset attr-dict"
        " `:` type($pointer) `,` type($offset) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if element_of(self.offset.type) not in (i32, i64):
            raise VerifyException("offset must be i32 or i64, or a block of them")
        _verify_shape("result", self.result.type, shape_of(self.offset.type))
        _verify_element("result", self.result.type, self.pointer.type)


def _verify_access(pointer: SSAValue, value: SSAValue, mask: SSAValue | None) -> None:
    shape, element = shape_of(pointer.type), element_of(pointer.type)
    if not isinstance(element, PtrType):
        raise VerifyException(f"expected a pointer or a block of them, got {element}")
    _verify_shape("value", value.type, shape)
    _verify_element("value", value.type, element.pointee)
    if mask is not None:
        _verify_shape("mask", mask.type, shape)
        _verify_element("mask", mask.type, i1)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Read through pointers; where `mask` is false, `other` without touching memory.

    `%v = triton.load %p mask %m : tensor<8xi1> other %o : tensor<8x!triton.ptr<f32>> -> tensor<8xf32>`
    """

    name = "triton.load"

    pointer = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def(VarConstraint("T", AnyAttr()))
    result = result_def(VarConstraint("T", AnyAttr()))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "$pointer (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?"
        " attr-dict `:` type($pointer) `->` type($result)"
    )

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        _verify_access(self.pointer, self.result, self.mask)
        if (self.mask is None) != (self.other is None):
            raise VerifyException("a masked load needs `other`, an unmasked has none")


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Write `value` through pointers where `mask` is true.

    `triton.store %p, %v mask %m : tensor<8xi1> : tensor<8x!triton.ptr<f32>>, tensor<8xf32>`
    """

    name = "triton.store"

    pointer = operand_def()
    value = operand_def()
    mask = opt_operand_def()

    assembly_format = (
        "$pointer `,` $value (`mask` $mask^ `:` type($mask))? attr-dict"
        " `:` type($pointer) `,` type($value)"
    )

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        _verify_access(self.pointer, self.value, self.mask)


@irdl_op_definition
class DotOp(IRDLOperation):
    """Block matrix product: `a @ b + acc`.

    `triton.dot %a, %b, %acc "ieee" : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>`
    """

    name = "triton.dot"

    T: ClassVar = VarConstraint("T", BLOCK)

    a = operand_def(BLOCK)
    b = operand_def(BLOCK)
    acc = operand_def(T)
    input_precision = prop_def(StringAttr)
    result = result_def(T)

    assembly_format = (
        "$a `,` $b `,` $acc $input_precision attr-dict"
        " `:` type($a) `,` type($b) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_one_of("input precision", self.input_precision, DOT_PRECISIONS)
        a, b = shape_of(self.a.type), shape_of(self.b.type)
        if len(a) != 2 or len(b) != 2 or a[1] != b[0]:
            raise VerifyException(
                f"dot of shapes {list(a)} and {list(b)}: expected [M, K] and [K, N]"
            )
        if min(*a, *b) < 16:
            raise VerifyException(
                f"dot of shapes {list(a)} and {list(b)}: M, N and K must be at least 16"
            )
        _verify_shape("accumulator", self.acc.type, (a[0], b[1]))
        _verify_element("b", self.b.type, element_of(self.a.type))


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Combine all elements along an axis, which disappears.

    `triton.reduce "max" %x axis 1 : tensor<4x64xf32> -> tensor<4xf32>`
    """

    name = "triton.reduce"

    kind = prop_def(StringAttr)
    axis = prop_def(I32)
    source = operand_def(BLOCK)
    result = result_def()

    assembly_format = (
        "$kind $source `axis` $axis attr-dict `:` type($source) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_one_of("reduction", self.kind, REDUCTIONS)
        shape, axis = list(shape_of(self.source.type)), self.axis.value.data
        if not 0 <= axis < len(shape):
            raise VerifyException(f"axis {axis} is not in 0..{len(shape) - 1}")
        del shape[axis]
        _verify_shape("result", self.result.type, shape)
        _verify_element("result", self.result.type, element_of(self.source.type))


@irdl_op_definition
class WhereOp(IRDLOperation):
    """Elementwise choice: `triton.where %c, %a, %b : tensor<8xi1>, tensor<8xf32>`."""

    name = "triton.where"

    T: ClassVar = VarConstraint("T", AnyAttr())

    condition = operand_def()
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format = (
        "$condition `,` $lhs `,` $rhs attr-dict `:` type($condition) `,` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_shape("condition", self.condition.type, shape_of(self.lhs.type))
        _verify_element("condition", self.condition.type, i1)


@irdl_op_definition
class CompareOp(IRDLOperation):
    """Elementwise comparison by a predicate of arith.cmpi or arith.cmpf.

    `triton.compare "slt" %a, %b : tensor<8xi32> -> tensor<8xi1>`
    """

    name = "triton.compare"

    T: ClassVar = VarConstraint("T", AnyAttr())

    predicate = prop_def(StringAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def()

    assembly_format = (
        "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        integers = isinstance(element_of(self.lhs.type), IntegerType | IndexType)
        names = CMPI_COMPARISON_OPERATIONS if integers else CMPF_COMPARISON_OPERATIONS
        _verify_one_of("predicate", self.predicate, names)
        _verify_shape("result", self.result.type, shape_of(self.lhs.type))
        _verify_element("result", self.result.type, i1)


@irdl_op_definition
class CastOp(IRDLOperation):
    """Elementwise conversion: `triton.cast "sitofp" %x : tensor<8xi32> -> tensor<8xf32>`."""

    name = "triton.cast"

    SCALAR: ClassVar = AnyOf.get(IntegerType, AnyFloatConstr, BLOCK)

    kind = prop_def(StringAttr)
    source = operand_def(SCALAR)
    result = result_def(SCALAR)

    assembly_format = "$kind $source attr-dict `:` type($source) `->` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        _verify_one_of("cast", self.kind, CASTS)
        _verify_shape("result", self.result.type, shape_of(self.source.type))


TRITON = Dialect(
    "triton",
    [
        FuncOp,
        ReturnOp,
        ProgramIdOp,
        ArangeOp,
        SplatOp,
        ExpandDimsOp,
        BroadcastOp,
        ReshapeOp,
        TransOp,
        AddPtrOp,
        LoadOp,
        StoreOp,
        DotOp,
        ReduceOp,
        WhereOp,
        CompareOp,
        CastOp,
    ],
    [PtrType],
)
