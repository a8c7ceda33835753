"""Contractions on `tl.dot`: matrix products, batched or not, and convolutions.

The loops of the op are sorted by which operands they index: both and the output (batch),
one operand and the output (M or N), both and not the output (K). Each group is walked by
one running index, so a convolution is a matrix product whose left operand is gathered
from the image as it is needed (implicit GEMM): M = (n, h, w), N = out channels,
K = (channels, kernel height, kernel width).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, StringAttr, f32
from xdsl.ir import BlockArgument, Operation, SSAValue

from devproc.dialects import triton
from devproc.dialects.triton import block_of, element_of, shape_of
from devproc.ir.types import is_float, item_size
from devproc.transforms.gpu.to_triton.builder import Value
from devproc.transforms.gpu.to_triton.generic import Generic, memref_of
from devproc.transforms.gpu.to_triton.kernel import NeedsSplit
from devproc.transforms.gpu.to_triton.policy import DotBlocks, ceil_div
from devproc.transforms.gpu.to_triton.schedule import Program
from devproc.transforms.gpu.to_triton.space import Axis, Space

INPUT_PRECISION = {"strict": "ieee", "default": "ieee", "fast": "tf32x3"}
"""How f32 is multiplied. Triton's own default, tf32, has three decimal digits."""


@dataclass(frozen=True)
class Contraction:
    """The operands of a product and the loops by role."""

    a: int
    b: int
    batch: tuple[int, ...]
    m: tuple[int, ...]
    n: tuple[int, ...]
    k: tuple[int, ...]


def match(generic: Generic) -> Contraction:
    """The roles of an op's loops; NeedsSplit where `tl.dot` cannot compute it."""
    a, b = factors(generic)
    elements = {memref_of(generic.inputs[i]).element_type for i in (a, b)}
    element = next(iter(elements))
    if len(elements) > 1 or not is_float(element) or item_size(element) > 4:
        raise NeedsSplit("only products of one float type up to 32 bits")
    dims_a, dims_b = (
        {d for expr in generic.maps[i].results for d in expr.used_dims()}
        for i in (a, b)
    )
    outer, k = generic.parallels, generic.reductions
    m = tuple(d for d in outer if d in dims_a and d not in dims_b)
    n = tuple(d for d in outer if d in dims_b and d not in dims_a)
    batch = tuple(d for d in outer if d not in m and d not in n)
    if any(d not in dims_a or d not in dims_b for d in k):
        raise NeedsSplit("a reduced loop indexes one operand only")
    if min(prod(generic.extents[d] for d in dims) for dims in (m, n)) == 1:
        raise NeedsSplit("a matrix-vector product gains nothing from tl.dot")
    if not all(generic.extents[d] for d in k):
        raise NeedsSplit("there is nothing to multiply")
    return Contraction(a, b, batch, m, n, k)


def factors(generic: Generic) -> tuple[int, int]:
    """The inputs a and b of a body `old + a * b`, where only widening is in between."""
    last = generic.block.last_op
    assert last is not None
    total = last.operands[0].owner
    if len(last.operands) != 1 or not isinstance(total, arith.AddfOp):
        raise NeedsSplit("the body is no sum of products")
    old = generic.block.args[len(generic.inputs)]
    terms = [v for v in total.operands if v is not old]
    product = terms[0].owner if len(terms) == 1 else None
    if not isinstance(product, arith.MulfOp) or old.type != f32:
        raise NeedsSplit("the body is no sum of products in float32")
    sources = [widened(v) for v in product.operands]
    if not all(
        isinstance(v, BlockArgument) and v.index < len(generic.inputs) for v in sources
    ):
        raise NeedsSplit("the factors are computed")
    a, b = (v.index for v in sources if isinstance(v, BlockArgument))
    return a, b


def widened(value: SSAValue) -> SSAValue:
    """The value before conversions to a wider float type."""
    while isinstance(value.owner, Operation) and isinstance(value.owner, arith.ExtFOp):
        value = value.owner.input
    return value


def emit(program: Program) -> None:
    """The whole kernel: the op that reduces on `tl.dot`, the others around it."""
    anchor = next((g for g in program.generics if g.reductions), None)
    if anchor is None:
        raise NeedsSplit("no op reduces")
    roles = match(anchor)
    space, blocks = output_space(program, anchor, roles)
    for number, generic in enumerate(program.generics):
        if generic is anchor:
            site = program.identity_site(generic, space)
            values = [multiply(program, generic, roles, space, blocks)]
        elif generic.reductions:
            raise NeedsSplit("a second op reduces")
        elif program.can_defer(number):
            program.kernel.hold(generic)
            continue
        else:
            site = program.align(generic, anchor, space)
            values = program.kernel.evaluate(generic, site)
        program.finish(number, site, values)


def output_space(
    program: Program, anchor: Generic, roles: Contraction
) -> tuple[Space, DotBlocks]:
    """The tile of the output that one program computes."""
    b = program.builder
    sizes = [
        prod(anchor.extents[d] for d in dims)
        for dims in (roles.m, roles.n, roles.k, roles.batch)
    ]
    m, n, k, batches = sizes
    bits = 8 * item_size(memref_of(anchor.inputs[roles.a]).element_type)
    blocks = program.policy.dot(m, n, k, bits)
    tiles_m, tiles_n = ceil_div(m, blocks.m), ceil_div(n, blocks.n)
    program.num_warps, program.num_stages = blocks.num_warps, blocks.num_stages
    if batches > 65535:
        raise NeedsSplit("too many batches for a grid axis")
    program.grid = (tiles_m * tiles_n, batches, 1)
    tile: Value = b.program_id(0, "tile") if tiles_m * tiles_n > 1 else 0
    axes: list[Axis] = []
    if roles.batch:
        batch: Value = b.program_id(1, "batch") if batches > 1 else 0
        axes.append(program.block_axis(anchor, roles.batch, batch, 1, 0, 0, "batch"))
    starts = (
        b.mul(b.div(tile, tiles_n), blocks.m),
        b.mul(b.rem(tile, tiles_n) if tiles_m > 1 else tile, blocks.n),
    )
    for position, (dims, start, size, hint) in enumerate(
        zip((roles.m, roles.n), starts, (blocks.m, blocks.n), "mn", strict=True)
    ):
        axes.append(program.block_axis(anchor, dims, start, size, position, 2, hint))
    return Space(b, axes), blocks


def multiply(
    program: Program,
    generic: Generic,
    roles: Contraction,
    space: Space,
    blocks: DotBlocks,
) -> SSAValue:
    """The accumulator after the loop over K."""
    b, kernel = program.builder, program.kernel
    batch, (m_axis, n_axis) = space.axes[:-2], space.axes[-2:]
    extent = prod(generic.extents[d] for d in roles.k)
    output = generic.outputs[0]
    old = kernel.read(
        output, generic.output_maps[0], program.identity_site(generic, space)
    )
    old = b.to_shape(old, (blocks.m, blocks.n))

    def operand(
        index: int, axes: Sequence[Axis], k_axis: Axis, shape: tuple[int, int]
    ) -> SSAValue:
        site = program.identity_site(generic, Space(b, [*batch, *axes]))
        value, map_ = generic.inputs[index], generic.maps[index]
        block = b.to_shape(kernel.read(value, map_, site), shape)
        # A K of one padded to a block is read without a mask: all lanes are element 0.
        if k_axis.mask is None or (extent > 1 and is_zero_outside(block)):
            return block
        # A value computed on the way is anything behind the end of K, not zero.
        zero = b.constant(0, element_of(block.type))
        return b.where(k_axis.mask, block, zero)

    def step(k: Value, accumulators: list[SSAValue]) -> list[SSAValue]:
        k_in_a = program.block_axis(generic, roles.k, k, blocks.k, 1, 2, "k")
        k_in_b = program.block_axis(generic, roles.k, k, blocks.k, 0, 2, "k")
        a = operand(roles.a, (m_axis, k_in_a), k_in_a, (blocks.m, blocks.k))
        c = operand(roles.b, (k_in_b, n_axis), k_in_b, (blocks.k, blocks.n))
        return [dot(program, a, c, accumulators[0])]

    if extent <= blocks.k:
        return step(0, [old])[0]
    return b.loop(extent, blocks.k, [old], lambda k, olds: step(k, olds))[0]


def is_zero_outside(block: SSAValue) -> bool:
    """Whether a block comes from memory, with zeros where it was masked off."""
    load = block.owner
    if isinstance(load, triton.BroadcastOp):
        return is_zero_outside(load.source)
    if not isinstance(load, triton.LoadOp) or load.other is None:
        return False
    rest = load.other.owner
    source = rest.source.owner if isinstance(rest, triton.SplatOp) else rest
    return (
        isinstance(source, arith.ConstantOp)
        and isinstance(source.value, FloatAttr)
        and source.value.value.data == 0.0
    )


def dot(program: Program, a: SSAValue, b: SSAValue, old: SSAValue) -> SSAValue:
    """`old + a @ b`."""
    shape = (shape_of(a.type)[0], shape_of(b.type)[1])
    precision = StringAttr(INPUT_PRECISION[program.precision])
    return program.builder.pure(
        triton.DotOp,
        [a, b, old],
        block_of(f32, shape),
        {"input_precision": precision},
        "acc",
    )
