"""Tensors that the graph computes from numbers alone: evaluated at import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fft
from xdsl.ir import SSAValue

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import ExpandOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    overloads,
    rows_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.reference.conversion.tensors import torch_dtype

_CONSTANT = (ConstantOp, WeightOp)


def evaluated(function: Callable[..., torch.Tensor]) -> ImportRule:
    """The rule of an operator without tensor operands, which is evaluated at import."""

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> SSAValue:
        dtype = torch_dtype(b.result.element_type)
        return b.constant(function(*args, dtype=dtype), f"constant.{b.node_name}")

    return ImportRule(build, _CONSTANT)


def filled(number: float) -> ImportRule:
    """The rule of an operator whose result is filled with one number."""

    def build(b: GraphBuilder, *_: Any, **kwargs: Any) -> SSAValue:
        return b.fill(number)

    return ImportRule(build, _CONSTANT)


def _full(b: GraphBuilder, *args: Any, **kwargs: Any) -> SSAValue:
    """`full`, `full_like`, `new_full`: the number is the last positional argument."""
    return b.fill(args[-1])


def _filled(b: GraphBuilder, like: Any, value: SSAValue | Number) -> SSAValue:
    """`fill`, with a number or a tensor of one element."""
    if not isinstance(value, SSAValue):
        return b.fill(value)
    one = b.reshape(b.cast(value, b.result.element_type), [])
    return b.emit(ExpandOp.to(one, b.result.get_shape()))


_FUNCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    "arange arange.start arange.start_step": torch.arange,
    "eye eye.m": torch.eye,
    "bartlett_window bartlett_window.periodic": torch.bartlett_window,
    "blackman_window blackman_window.periodic": torch.blackman_window,
    "hamming_window hamming_window.periodic hamming_window.periodic_alpha "
    "hamming_window.periodic_alpha_beta": torch.hamming_window,
    "hann_window hann_window.periodic": torch.hann_window,
    "kaiser_window kaiser_window.periodic kaiser_window.beta": torch.kaiser_window,
    "fft_fftfreq": fft.fftfreq,  # pyright: ignore
    "fft_rfftfreq": fft.rfftfreq,  # pyright: ignore
    "range range.step": torch.range,
    "linspace": torch.linspace,
    "logspace": torch.logspace,
    "scalar_tensor": torch.scalar_tensor,
    "tril_indices": torch.tril_indices,
    "triu_indices": torch.triu_indices,
}
"""ATen overloads -> the function that computes them."""

IMPORTS: dict[str, ImportRule] = {
    **{
        name: evaluated(function)
        for names, function in _FUNCTIONS.items()
        for name in overloads(names)
    },
    **rows_of(ImportRule(_filled, (*_CONSTANT, ExpandOp)), "fill.Scalar fill.Tensor"),
    **rows_of(ImportRule(_full, _CONSTANT), "full full_like new_full"),
    **rows_of(
        filled(0),
        "empty.memory_format empty_like empty_permuted empty_strided new_empty "
        "new_empty_strided new_zeros zero zeros zeros_like",
    ),
    **rows_of(filled(1), "new_ones ones ones_like"),
    **traced(
        "linspace.Scalar_Tensor linspace.Tensor_Scalar linspace.Tensor_Tensor "
        "logspace.Scalar_Tensor logspace.Tensor_Scalar logspace.Tensor_Tensor"
    ),
}
"""ATen overload -> import rule. Parameters and buffers become `nn.weight`s."""
