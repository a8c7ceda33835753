"""Tensors that the graph makes from numbers alone: evaluated at import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fft
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import ExpandOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.reference.conversion.tensors import torch_dtype


def evaluated(function: Callable[..., torch.Tensor]) -> ImportRule:
    """A row for an operator without tensor operands, computed here and now."""

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> SSAValue:
        dtype = torch_dtype(b.result.element_type)
        return b.constant(function(*args, dtype=dtype), f"constant.{b.node_name}")

    return ImportRule(build, (ConstantOp, WeightOp))


def filled(number: float) -> ImportRule:
    """A row for an operator whose result is one number everywhere."""

    def build(b: GraphBuilder, *_: Any, **kwargs: Any) -> SSAValue:
        return b.fill(number)

    return ImportRule(build, (ConstantOp, WeightOp))


def _full(b: GraphBuilder, like: Any, number: float, **kwargs: Any) -> SSAValue:
    return b.fill(number)


def _new_full(
    b: GraphBuilder, like: Any, size: Any, number: float, **kwargs: Any
) -> SSAValue:
    return b.fill(number)


def _filled(b: GraphBuilder, like: Any, value: SSAValue | Number) -> SSAValue:
    """`fill`: a number, or a tensor of one element."""
    if not isinstance(value, SSAValue):
        return b.fill(value)
    one = b.reshape(b.cast(value, b.result.element_type), [])
    return b.emit(ExpandOp.to(one, b.result.get_shape()))


_FILL = ImportRule(_filled, (ConstantOp, WeightOp, ExpandOp))
_FULL = ImportRule(_full, (ConstantOp, WeightOp))

IMPORTS: dict[str, ImportRule] = {
    "aten.arange.default": evaluated(torch.arange),
    "aten.arange.start": evaluated(torch.arange),
    "aten.arange.start_step": evaluated(torch.arange),
    "aten.eye.default": evaluated(torch.eye),
    "aten.eye.m": evaluated(torch.eye),
    **{
        f"aten.{name}_window.{overload}": evaluated(getattr(torch, f"{name}_window"))
        for name in ("bartlett", "blackman", "hamming", "hann", "kaiser")
        for overload in ("default", "periodic")
    },
    "aten.hamming_window.periodic_alpha": evaluated(torch.hamming_window),
    "aten.hamming_window.periodic_alpha_beta": evaluated(torch.hamming_window),
    "aten.kaiser_window.beta": evaluated(torch.kaiser_window),
    "aten.fft_fftfreq.default": evaluated(fft.fftfreq),  # pyright: ignore
    "aten.fft_rfftfreq.default": evaluated(fft.rfftfreq),  # pyright: ignore
    "aten.range.default": evaluated(torch.range),
    "aten.range.step": evaluated(torch.range),
    "aten.fill.Scalar": _FILL,
    "aten.fill.Tensor": _FILL,
    "aten.full.default": _FULL,
    "aten.full_like.default": _FULL,
    "aten.empty.memory_format": filled(0),
    "aten.empty_permuted.default": filled(0),
    "aten.empty_strided.default": filled(0),
    "aten.new_empty_strided.default": filled(0),
    "aten.empty_like.default": filled(0),
    "aten.linspace.default": evaluated(torch.linspace),
    **traced(
        "aten.linspace.Scalar_Tensor",
        "aten.linspace.Tensor_Scalar",
        "aten.linspace.Tensor_Tensor",
        "aten.logspace.Scalar_Tensor",
        "aten.logspace.Tensor_Scalar",
        "aten.logspace.Tensor_Tensor",
    ),
    "aten.logspace.default": evaluated(torch.logspace),
    "aten.new_empty.default": filled(0),
    "aten.new_full.default": ImportRule(_new_full, (ConstantOp, WeightOp)),
    "aten.new_ones.default": filled(1),
    "aten.new_zeros.default": filled(0),
    "aten.ones.default": filled(1),
    "aten.ones_like.default": filled(1),
    "aten.scalar_tensor.default": evaluated(torch.scalar_tensor),
    "aten.tril_indices.default": evaluated(torch.tril_indices),
    "aten.triu_indices.default": evaluated(torch.triu_indices),
    "aten.zeros.default": filled(0),
    "aten.zero.default": filled(0),
    "aten.zeros_like.default": filled(0),
}
"""ATen overload -> how to build it. Parameters and buffers become `nn.weight`s."""

NO_IMPORT: dict[type[Operation], str] = {}
"""op class -> why no ATen operator becomes it."""
