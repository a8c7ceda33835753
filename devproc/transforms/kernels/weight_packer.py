"""Packs the weights of a module in `@prepare`, each once for a layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import (
    BlockFloatAttr,
    LaunchOp,
    Layout,
    OnAttr,
    device_of,
    target_of,
)
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.shape import PackOp, ReshapeOp
from devproc.dialects.plan import ViewOp
from devproc.ir.devices import HOST
from devproc.ir.program.weight_values import weight_behind
from devproc.ir.types import AnyTensor, tensor_of, with_encoding
from devproc.ir.weights.prepare import append_to_prepare

Prepared: TypeAlias = tuple[str, tuple[int, ...], Layout]
"""A packed weight: its source, shape and layout."""


@dataclass
class Packer:
    """Packs the weights of one module, once per layout."""

    module: ModuleOp
    prepared: dict[Prepared, tuple[str, str]] = field(
        default_factory=dict[Prepared, tuple[str, str]]
    )

    def pack(self, launch: LaunchOp, index: int, layout: Layout) -> None:
        """Replace a weight of a launch with its packed form."""
        value = launch.inputs[index]
        weight = weight_behind(value)
        assert weight is not None
        type_ = tensor_of(value)
        key = (weight.weight_name, type_.get_shape(), layout)
        if key not in self.prepared:
            self.prepared[key] = self.prepare(weight, type_.get_shape(), layout)
        packed = WeightOp(*self.prepared[key], packed_type(type_, layout))
        packed.location = weight.location
        packed.result.name_hint = weight.result.name_hint
        Rewriter.insert_op(packed, InsertPoint.before(launch))
        launch.operands[index] = packed.result
        erase_unused(value)

    def layouts(self, value: SSAValue) -> list[Layout]:
        """The layouts in which a weight is packed and of which elements can be read: its
        numbers as they are, or in 24 bits if the option `weights` says so."""
        weight, shape = weight_behind(value), tensor_of(value).get_shape()
        rounds = target_of(self.module).shares_exponents
        return [
            layout
            for name, packed_shape, layout in self.prepared
            if weight is not None
            and (name, packed_shape) == (weight.weight_name, shape)
            and layout.HAS_ELEMENTS
            and (rounds or not isinstance(layout, BlockFloatAttr))
        ]

    def prepare(
        self, weight: WeightOp, shape: Sequence[int], layout: Layout
    ) -> tuple[str, str]:
        """Pack in `@prepare`; returns the key and hash of the result."""
        plain = with_encoding(tensor_of(weight.result), None)
        source = WeightOp(weight.weight_name, weight.hash.data, plain)
        ops: list[Operation] = [source]
        if plain.get_shape() != tuple(shape):
            ops.append(ReshapeOp.to(source.result, shape))
        last = ops[-1].results[0]
        ops.append(PackOp.into(last, layout))
        for op in ops:
            op.location = weight.location
        return append_to_prepare(self.module, ops, ops[-1].results[0])


def erase_unused(value: SSAValue) -> None:
    """Erase a weight and its views if they have no uses."""
    owner = value.owner
    if isinstance(owner, WeightOp | ViewOp) and not value.uses.get_length():
        operands = list(owner.operands)
        Rewriter.erase_op(owner)
        for operand in operands:
            erase_unused(operand)


def packed_type(type_: AnyTensor, layout: Layout) -> AnyTensor:
    """The type of a weight with a layout, on the same device."""
    return with_encoding(type_, OnAttr.get(device_of(type_) or HOST, layout))
