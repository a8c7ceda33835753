"""The problems that prevent the import of a program, with their messages.

A rule raises `Refusal`; the importer adds the location, continues, and reports all problems
at the end.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from devproc.errors import Problem
from devproc.ir.dtypes import format_shape
from devproc.ir.types import DTYPES

CONTROL_FLOW = ("cond", "while_loop", "associative_scan", "map_impl", "map")
"""Higher-order operators with branches or loops that are not imported."""


class Refusal(Exception):
    """An operator, with these arguments, cannot be compiled."""

    def __init__(self, why: str, remedy: str, *, in_torch: bool = True):
        super().__init__(f"{why}; {remedy}")
        self.why = why
        self.remedy = remedy
        self.in_torch = in_torch
        """Whether `fallback="torch"` may run the operator."""


UNKNOWN_OPERATOR = Refusal(
    "the operator is not supported",
    "express it through supported operators (docs/operators.md lists them), or compute "
    "it outside of the compiled program",
)

QUANTIZED_OPERATOR = Refusal(
    "quantized operators are not supported",
    "export the model before quantization",
)


COMPLEX_OPERATOR = Refusal(
    "the operator is not supported for complex numbers",
    "compute with the real and the imaginary part (torch.view_as_real)",
)


def training_mode(operator: str) -> Refusal:
    """For batch statistics or random masks of a graph that was exported for training."""
    return Refusal(
        f"{operator} in training mode; only inference is compiled",
        "call model.eval() before torch.export.export",
        in_torch=False,
    )


def unsupported_dtype(what: str, where: str, dtype: torch.dtype) -> Problem:
    """A value of a dtype that the IR does not have."""
    why = f"dtype {dtype_name(dtype)} is not supported"
    remedy = "cast to one of " + ", ".join(DTYPES)
    if dtype in QUANTIZED:
        why = f"quantized tensors ({dtype_name(dtype)}) are not supported"
        remedy = "export the model with floating-point weights"
    elif dtype.is_complex:
        remedy = "use complex64 or complex128"
    return Problem(what, where, why, remedy)


def dtype_name(dtype: torch.dtype | torch.layout) -> str:
    """`torch.float32` -> `float32`."""
    return str(dtype).removeprefix("torch.")


def complex_input(what: str, where: str, dtype: torch.dtype) -> Problem:
    """An input of complex numbers, which exist only within a program."""
    why = f"{dtype_name(dtype)} cannot enter the program"
    remedy = (
        "give it torch.view_as_real(value), and call torch.view_as_complex in the model"
    )
    return Problem(what, where, why, remedy)


def not_a_tensor(what: str, where: str, value: object) -> Problem:
    """A value that is neither a tensor nor a constant."""
    why = f"a value of type {type(value).__name__} is known only at run time"
    return Problem(what, where, why, "export with fixed sizes and numbers")


QUANTIZED = frozenset(
    {torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4}
)


def is_symbol(value: object) -> bool:
    """Whether the exporter recorded a number as a symbol."""
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def is_dynamic(shape: Iterable[object]) -> bool:
    """Whether a shape contains a symbol."""
    return any(not isinstance(size, int) for size in shape)


def dynamic_shape(what: str, where: str, shape: Iterable[object]) -> Problem:
    """A shape that contains a symbol, or that depends on data."""
    sizes = list(shape)
    why = f"shape ({', '.join(map(str, sizes))}) is dynamic"
    remedy = "export without dynamic_shapes, once for each shape that is needed"
    if any(isinstance(s, torch.SymInt) and free_unbacked_symbols(s) for s in sizes):
        why = "the shape of its result depends on the data"
        remedy = (
            "use a form with a fixed size (torch.where with the mask, torch.topk), or "
            "compute it outside of the compiled program"
        )
    return Problem(what, where, f"{why}; only static shapes are supported", remedy)


def foreign_device(what: str, where: str, device: torch.device) -> Problem:
    """A constant that is not in host memory."""
    if device.type == "meta":
        why = "its data is missing (device 'meta')"
        remedy = "load the weights before torch.export.export"
    else:
        why = f"constants must lie in host memory, this one is on '{device}'"
        remedy = "move the model with .to('cpu') before torch.export.export"
    return Problem(what, where, why, remedy)


def sparse_tensor(what: str, where: str, layout: torch.layout) -> Problem:
    """A tensor that is not dense."""
    why = f"sparse tensors ({dtype_name(layout)}) are not supported"
    return Problem(what, where, why, "use .to_dense()")


def mutated_state(name: str, kind: str) -> Problem:
    """A parameter or an input that the program writes to."""
    return Problem(
        f"{kind} '{name}'",
        "graph signature",
        f"the program writes to this {kind}; a compiled program writes only to its"
        " outputs and to buffers",
        "return its new value as an output instead",
    )


def written_constant(
    name: str, value: torch.Tensor, where: str, operator: str, buffer: str | None
) -> Problem:
    """A tensor that the program writes to although no module registers it; `buffer` is
    the registered buffer that it shares memory with, if any.
    """
    if buffer is not None:
        remedy = (
            f"it is the memory of buffer '{buffer}', held by another object: read the "
            "buffer from its module in forward, or export with strict=True, which finds it"
        )
    elif name.startswith("lifted_tensor_"):
        remedy = (
            "register it as a buffer of a module (register_buffer) and read it from that "
            "module; where another object holds it, export with strict=True"
        )
    else:
        remedy = (
            f"register it (self.register_buffer('{name.rpartition('.')[2]}', ...)) and "
            "read it from that module"
        )
    return Problem(
        f"constant '{name}' of {describe_value(value)}",
        where,
        f"{operator} writes to it, and only a registered buffer keeps its value from call "
        "to call",
        remedy,
    )


def describe_value(value: torch.Tensor) -> str:
    """A tensor of the graph in a message: `float32 (2, 3)`."""
    return f"{dtype_name(value.dtype)} {format_shape(value.shape)}"
