"""Builds a product of a matrix and one vector that also makes the vector; see
`fuse_vector_producers`."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import KernelAttr
from devproc.dialects.plan import ViewOp
from devproc.ir.program.kernel_modules import kernel_mark, returned_by
from devproc.ir.program.state import is_in_place
from devproc.ir.program.structured import Generic, is_parallel, is_pointwise
from devproc.ir.program.updates import updates_of
from devproc.ir.text.location import fuse_locations
from devproc.targets.triton import GPU
from devproc.targets.triton.algorithms.block_tile.plan import is_row_sum
from devproc.targets.triton.algorithms.block_tile.roles import roles_of
from devproc.targets.triton.transforms.product_parts import is_row_major_argument
from devproc.targets.triton.transforms.row_launches import readers, viewed
from devproc.targets.triton.transforms.to_triton.generic import generic_of


def generics_in(kernel: FuncOp) -> list[Generic]:
    """The structured ops of a kernel."""
    return [op for op in kernel.body.block.ops if isinstance(op, Generic)]


def vector_number(kernel: FuncOp) -> int | None:
    """The number of the argument of a kernel that is one row, which a matrix is multiplied
    by; None for other kernels."""
    reductions = [op for op in generics_in(kernel) if not all(is_parallel(op))]
    vectors: set[SSAValue] = set()
    for op in reductions:
        roles = roles_of(generic_of(op))
        if isinstance(roles, Refusal):
            return None
        m, _, _, batch = roles.sizes
        vectors.add(op.inputs[roles.a])
        if m * batch > 1 or len(roles.k) > 1:
            return None
    if len(vectors) != 1:
        return None
    (vector,) = vectors
    used = {use.operation for use in vector.uses}
    is_plain = is_row_major_argument(vector) and used == set(reductions)
    return list[SSAValue](kernel.body.block.args).index(vector) if is_plain else None


def makes_row(kernel: FuncOp, product: Generic) -> bool:
    """Whether a kernel computes one row, by sums over it and elementwise."""
    if len(returned_by(kernel)) != 1:
        return False
    anchor = generic_of(product)
    return all(
        is_pointwise(op) or is_row_sum(generic_of(op), anchor)
        for op in generics_in(kernel)
    ) and all(map(is_row_major_argument, kernel.body.block.args))


def is_updated(value: SSAValue) -> bool:
    """Whether a launch overwrites a value in place, which would have to be read before."""
    root = viewed(value)
    main = root.owner.parent_op() if isinstance(root, BlockArgument) else None
    if isinstance(root, BlockArgument) and isinstance(main, FuncOp):
        rows = main.arg_attrs
        if rows is not None and is_in_place(rows.data[root.index]):
            return True
    return any(
        index in updates_of(op).values()
        for op in readers(root)
        for index, operand in enumerate(op.operands)
        if viewed(operand) is root
    )


def fused_kernel(rows: FuncOp, product: FuncOp, number: int, name: str) -> FuncOp:
    """The ops of the row, then those of the product, whose argument `number` it is.

    It takes the arguments of the row kernel, then the others of the product.
    """
    block, local = Block(), dict[SSAValue, SSAValue]()

    def take(argument: SSAValue) -> None:
        local[argument] = block.insert_arg(argument.type, len(block.args))
        local[argument].name_hint = argument.name_hint

    for argument in rows.body.block.args:
        take(argument)
    *ops, _ = rows.body.block.ops
    block.add_ops([op.clone(local) for op in ops])
    vector = local[returned_by(rows)[0]]
    for place, argument in enumerate(product.body.block.args):
        if place != number:
            take(argument)
            continue
        if vector.type != argument.type:
            view = ViewOp(vector, argument.type)
            block.add_op(view)
            vector = view.result
        local[argument] = vector
    *ops, _ = product.body.block.ops
    block.add_ops([op.clone(local) for op in ops])
    results = [local[value] for value in returned_by(product)]
    block.add_op(ReturnOp(*results))
    types = list(block.arg_types), [value.type for value in results]
    kernel = FuncOp(name, types, Region(block), "private")
    marks = [kernel_mark(rows), kernel_mark(product)]
    sources = [source.data for mark in marks if mark for source in mark.sources]
    kernel.attributes["dev.kernel"] = KernelAttr.get(
        GPU, "vector_product", list(dict.fromkeys(sources))
    )
    kernel.location = fuse_locations([rows.location, product.location])
    return kernel
