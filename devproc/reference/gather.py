"""Reference of gather and scatter."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.gather import GatherOp, ScatterOp
from devproc.ir.types import tensor_of


def _gather(op: GatherOp, operand: Tensor, *indices: Tensor) -> tuple[Tensor, ...]:
    shape, axes = tensor_of(op.result).get_shape(), ints(op.axes)
    places: list[Tensor] = []
    for d, size in enumerate(operand.shape):
        if d in axes:
            index = indices[axes.index(d)].long()
            index = torch.where(index < 0, index + size, index)
            places.append(index.clamp(0, max(size - 1, 0)))
        else:
            line = torch.arange(shape[d]) if size > 1 else torch.zeros(1).long()
            places.append(
                line.reshape([-1 if i == d else 1 for i in range(len(shape))])
            )
    if 0 in shape:
        return (operand.new_empty(shape),)
    return (operand[tuple(places)].expand(shape).contiguous(),)


_COMBINE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "set": lambda old, new: new,
    "add": torch.add,
    "mul": torch.mul,
    "max": torch.maximum,
    "min": torch.minimum,
}


def _scatter(
    op: ScatterOp, updates: Tensor, operand: Tensor, index: Tensor
) -> tuple[Tensor, ...]:
    axis, combine = int_of(op.axis), _COMBINE[op.mode.data]
    place = torch.arange(operand.shape[axis])
    place = place.reshape([-1 if d == axis else 1 for d in range(operand.dim())])
    result = operand
    for k in range(index.shape[axis]):
        here = index.narrow(axis, k, 1) == place
        update = updates.narrow(axis, k, 1)
        result = torch.where(here, combine(result, update), result)
    return (result.contiguous(),)


REFERENCE = {GatherOp: _gather, ScatterOp: _scatter}
"""op class -> function of the op and its operands."""
