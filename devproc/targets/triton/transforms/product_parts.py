"""Builds the two kernels of a product whose sums are split; see `split_products`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import FillOp, YieldOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import (
    KernelAttr,
    OnAttr,
)
from devproc.dialects.plan import ViewOp
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.ir.program.structured import (
    Generic,
    dim,
    is_parallel,
    is_pointwise,
    loop_sizes,
    make_generic,
    maps_of,
)
from devproc.ir.text.location import copy_location
from devproc.ir.types import tensor_of
from devproc.targets.triton import GPU


def product_in(kernel: FuncOp) -> Generic | None:
    """The product of a kernel that multiplies row-major arguments, and whose result only
    one elementwise op, or the caller, reads; None for other kernels."""
    product, *rest = (op for op in kernel.body.block.ops if isinstance(op, Generic))
    if len(rest) > 1 or is_parallel(product).count(False) != 1:
        return None
    if not all(map(is_pointwise, rest)):
        return None
    (filled,) = product.outputs
    (use, *others) = product.results[0].uses
    is_plain = (
        all(map(is_row_major_argument, product.inputs))
        and isinstance(filled.owner, FillOp)
        and isinstance(use.operation, Generic | ReturnOp)
    )
    return product if is_plain and not others else None


def is_row_major_argument(value: SSAValue) -> bool:
    """Whether a value is an argument of its kernel, in no layout of its own."""
    encoding = tensor_of(value).encoding
    shape = tensor_of(value).get_shape()
    return isinstance(value, BlockArgument) and (
        not isinstance(encoding, OnAttr) or encoding.physical_shape(shape) == shape
    )


def partial_kernel(kernel: FuncOp, product: Generic, parts: int) -> FuncOp:
    """The kernel that computes the parts of each sum, as one product for each part."""
    block = Block(arg_types=[value.type for value in product.inputs])
    sizes, kinds = loop_sizes(product), is_parallel(product)
    *maps, result_map = maps_of(product)
    inputs: list[SSAValue] = []
    for argument, value, map_ in zip(block.args, product.inputs, maps, strict=True):
        argument.name_hint = value.name_hint
        axis = map_.results.index(dim(len(sizes) - 1))
        inner = sizes[-1] // parts
        view = ViewOp(argument, reshaped(value, axis, [parts, inner]))
        inputs.append(view.result)
        block.add_op(view)
    (fill,) = (value.owner for value in product.outputs)
    assert isinstance(fill, FillOp)
    assert isinstance(fill.inputs[0].owner, Operation)
    zero = fill.inputs[0].owner.clone()
    empty = tensor.EmptyOp([], reshaped(product.results[0], 0, [parts], insert=True))
    filled = FillOp(zero.results, [empty.tensor], [empty.tensor.type])
    copy = product.clone()
    body = copy.body.detach_block(0)
    copy.drop_all_references()
    sums = make_generic(
        inputs,
        filled.results,
        [
            *(with_part(m, m.results.index(dim(len(sizes) - 1))) for m in maps),
            with_part(result_map, 0),
        ],
        [True, *kinds],
        body,
        [parts, *sizes[:-1], sizes[-1] // parts],
    )
    block.add_ops([zero, empty, filled, sums, ReturnOp(sums.results[0])])
    mark = kernel_mark(kernel)
    assert mark is not None
    types = list(block.arg_types), list(sums.result_types)
    made = FuncOp(f"{kernel.sym_name.data}_parts", types, Region(block), "private")
    sources = [source.data for source in mark.sources][:1]
    made.attributes["dev.kernel"] = KernelAttr.get(GPU, "contraction", sources)
    copy_location(product, made)
    return made


def reshaped(
    value: SSAValue, axis: int, sizes: Sequence[int], insert: bool = False
) -> TensorType[Attribute]:
    """The type of a tensor with other sizes in place of an axis, or before it."""
    type_ = tensor_of(value)
    shape = list(type_.get_shape())
    shape[axis : axis + (not insert)] = sizes
    return TensorType(type_.element_type, shape, type_.encoding)


def with_part(map_: AffineMap, axis: int) -> AffineMap:
    """A map whose loops follow a loop over parts, which indexes a new dimension."""
    loops = [dim(place + 1) for place in range(map_.num_dims)]
    places: list[AffineExpr] = [
        expr.replace_dims_and_symbols(loops, []) for expr in map_.results
    ]
    places.insert(axis, dim(0))
    return AffineMap(map_.num_dims + 1, 0, tuple(places))


def add_parts(kernel: FuncOp, product: Generic, parts: int, sums: Attribute) -> None:
    """Replace the product of a kernel by the sum of its parts, a new first argument; the
    elementwise op that read the product adds them."""
    added = kernel.body.block.insert_arg(sums, 0)
    added.name_hint = "parts"
    reader = elementwise_reader(product)
    place = reader.operands.index(product.results[0])
    body, maps, inputs = reader.body.detach_block(0), maps_of(reader), [*reader.inputs]
    inputs[place : place + 1] = [added] * parts
    maps[place : place + 1] = [
        AffineMap(
            maps[place].num_dims, 0, (AffineConstantExpr(part), *maps[place].results)
        )
        for part in range(parts)
    ]
    total: SSAValue = body.args[place]
    first, uses = body.first_op, list(total.uses)
    assert first is not None
    for part in range(1, parts):
        add = arith.AddfOp(total, body.insert_arg(total.type, place + part))
        body.insert_op_before(add, first)
        total = add.result
    for use in uses:
        use.operation.operands[use.index] = total
    whole = make_generic(
        inputs, reader.outputs, maps, is_parallel(reader), body, loop_sizes(reader)
    )
    copy_location(reader, whole)
    Rewriter.replace_op(reader, whole)


def elementwise_reader(product: Generic) -> Generic:
    """The op that reads a product; made if there is none, to return what it reads."""
    (use,) = product.results[0].uses
    if isinstance(use.operation, Generic):
        return use.operation
    (filled,) = product.outputs
    assert isinstance(filled.owner, FillOp)
    element = tensor_of(filled).element_type
    body = Block(arg_types=[element, element])
    body.add_op(YieldOp(body.args[0]))
    sizes = loop_sizes(product)[:-1]
    identity = AffineMap.identity(len(sizes))
    copy = make_generic(
        product.results,
        filled.owner.outputs,
        [identity, identity],
        [True] * len(sizes),
        body,
        sizes,
    )
    copy_location(product, copy)
    Rewriter.insert_op(copy, InsertPoint.after(product))
    use.operation.operands[use.index] = copy.results[0]
    return copy
