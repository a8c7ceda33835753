"""The builder of loops over tensors that the lowerings of all families use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.algorithms import algorithm
from devproc.backend.installed import backend
from devproc.dialects import plan
from devproc.dialects.dev import device_of, target_of
from devproc.dialects.linalg_ext.order import OrderOp
from devproc.dialects.linalg_ext.scan import AnyScanOp
from devproc.dialects.linalg_ext.sequential import NmsOp, ScatterOp, ScatterSortedOp
from devproc.dialects.nn.constant import ConstantOp
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    SOURCES,
    broadcast_map,
    make_generic,
    sources_attribute,
)
from devproc.ir.text.linalg_stand_ins import PlainFillOp
from devproc.ir.types import AnyTensor, signless, tensor_of, with_unsigned
from devproc.ir.types import tensor as tensor_type
from devproc.transforms.kernels.nn_to_linalg.common.scalars import (
    Scalars,
    constant_attribute,
)

BodyFn: TypeAlias = Callable[[Scalars, list[SSAValue]], Sequence[SSAValue]]
"""Builds the body of a generic from its block arguments; returns the yielded values."""

Mapped: TypeAlias = tuple[SSAValue, AffineMap]
"""An operand and its indexing map."""


def splat_value(value: SSAValue) -> float | None:
    """The value of a constant whose elements are all equal, else None."""
    owner = value.owner
    if not isinstance(owner, ConstantOp):
        return None
    data = owner.value
    count = tensor_of(value).element_count()
    if count == 0 or (count > 1 and not data.is_splat()):
        return None
    return cast(float, data.get_values()[0])


class Lowering:
    """The ops that replace one `nn` op, collected in order.

    `unsigned` are the values of dtype uint8 or uint16. Their types are already signless
    (i8 or i16), so that only this set records it.
    """

    def __init__(self, op: Operation, unsigned: Collection[SSAValue]):
        self.op = op
        self.ops: list[Operation] = []
        self._unsigned = unsigned

    def dtype(self, value: SSAValue) -> Attribute:
        """The element type of a value at the `nn` level, with its signedness."""
        element = tensor_of(value).element_type
        return with_unsigned(element) if value in self._unsigned else element

    @property
    def on_host(self) -> bool:
        """Whether the op runs on the CPU (or is not placed): loops may be ordered."""
        return device_of(self.result_type) in (HOST, None)

    @property
    def updates_in_place(self) -> bool:
        """Whether the device writes some elements of a value in place."""
        device = device_of(self.result_type)
        return device is not None and backend(device).updates_in_place

    @property
    def parts_of_sums(self) -> int:
        """Into how many parts the device splits the sums of the op, or its scan."""
        device = device_of(self.result_type)
        module = self.op.get_toplevel_object()
        if device is None or not isinstance(module, ModuleOp):
            return 1
        takers = map(algorithm, backend(device).algorithms)
        parts = [a.parts(self.op, target_of(module)) for a in takers if a.parts]
        return max(parts, default=1)

    @property
    def result_type(self) -> AnyTensor:
        """The type of the op's first result (signless)."""
        return tensor_of(self.op.results[0])

    def type(self, shape: Sequence[int], element: Attribute) -> AnyTensor:
        """A tensor type on the device of the op."""
        return tensor_type(signless(element), shape, self.result_type.encoding)

    def append(self, op: Operation) -> SSAValue:
        """Add an op; returns its first result."""
        self.ops.append(op)
        return op.results[0]

    def empty(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        """An uninitialized tensor to write to."""
        return self.append(tensor.EmptyOp([], self.type(shape, element)))

    def fill(self, value: float, shape: Sequence[int], element: Attribute) -> SSAValue:
        """A tensor filled with one value, such as the start of an accumulation."""
        number = self.append(
            arith.ConstantOp(constant_attribute(value, signless(element)))
        )
        target = self.empty(shape, element)
        return self.append(PlainFillOp([number], [target], [target.type]))

    def view(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The same elements in another shape."""
        type_ = tensor_of(value)
        if type_.get_shape() == tuple(shape):
            return value
        wanted = tensor_type(type_.element_type, shape, type_.encoding)
        return self.append(plan.ViewOp(value, wanted))

    def pad(
        self, source: SSAValue, low: Sequence[int], high: Sequence[int], value: float
    ) -> SSAValue:
        """`source` padded with one value; `source` itself if no padding is needed."""
        if not any(low) and not any(high):
            return source
        type_ = tensor_of(source)
        sizes = [
            a + size + b
            for a, size, b in zip(low, type_.get_shape(), high, strict=True)
        ]
        block = Block(arg_types=[IndexType()] * len(sizes))
        fill_value = Scalars(block).constant(value, type_.element_type)
        block.add_op(tensor.YieldOp(fill_value))
        return self.append(
            tensor.PadOp(
                source,
                [],
                [],
                Region(block),
                list(low),
                list(high),
                self.type(sizes, type_.element_type),
            )
        )

    def generic(
        self,
        inputs: Sequence[Mapped],
        outputs: Sequence[Mapped],
        parallel: Sequence[bool],
        body: BodyFn,
        sizes: Sequence[int] | None = None,
    ) -> Sequence[SSAValue]:
        """Structured loops over these operands, with explicit sizes if an operand may
        be longer; returns the results."""
        operands = [*inputs, *outputs]
        block = Block(arg_types=[tensor_of(v).element_type for v, _ in operands])
        yielded = body(Scalars(block), list(block.args))
        block.add_op(YieldOp(*yielded))
        op = make_generic(
            [v for v, _ in inputs],
            [v for v, _ in outputs],
            [m for _, m in operands],
            parallel,
            block,
            sizes,
        )
        self.append(op)
        return op.results

    def pointwise(
        self,
        operands: Sequence[SSAValue],
        result: AnyTensor,
        body: BodyFn,
        maps: Sequence[AffineMap] | None = None,
    ) -> SSAValue:
        """Parallel loops over `result`; operands broadcast, splats are inlined."""
        shape = result.get_shape()
        if maps is None:
            maps = [broadcast_map(tensor_of(v).get_shape(), shape) for v in operands]
        splats = [splat_value(value) for value in operands]

        def with_splats(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
            rest = iter(args)
            values = [
                next(rest)
                if splat is None
                else s.constant(splat, tensor_of(value).element_type)
                for value, splat in zip(operands, splats, strict=True)
            ]
            return body(s, values)

        read = zip(operands, maps, splats, strict=True)
        target = self.append(tensor.EmptyOp([], result))
        return self.generic(
            [(value, map_) for value, map_, splat in read if splat is None],
            [(target, AffineMap.identity(len(shape)))],
            [True] * len(shape),
            with_splats,
            shape,
        )[0]

    def epilogue(
        self,
        accumulator: SSAValue,
        bias: SSAValue | None = None,
        bias_map: AffineMap | None = None,
    ) -> SSAValue:
        """The accumulator plus a bias, rounded to the dtype of the op's result."""
        type_, element = tensor_of(accumulator), self.result_type.element_type
        if bias is None and type_.element_type == element:
            return accumulator
        shape = type_.get_shape()
        operands, maps = [accumulator], [AffineMap.identity(len(shape))]
        if bias is not None and bias_map is not None:
            operands.append(bias)
            maps.append(bias_map)

        def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
            value = args[0]
            for addend in args[1:]:
                value = s.add(value, s.widen(addend, type_.element_type))
            return [s.narrow(value, element)]

        return self.pointwise(operands, self.type(shape, element), body, maps)

    def unique_name(self, stem: str) -> str:
        """A name that is unique in the block."""
        block = self.op.parent
        assert block is not None
        return f"{stem}_{block.get_operation_index(self.op)}"

    def finish(self) -> None:
        """Give the new ops the name of the `nn` op."""
        names = sources_attribute([self.op.name])
        sourced = (
            GenericOp
            | FillOp
            | NmsOp
            | OrderOp
            | AnyScanOp
            | ScatterOp
            | ScatterSortedOp
            | tensor.PadOp
        )
        for op in self.ops:
            if isinstance(op, sourced):
                op.attributes[SOURCES] = names
