"""Devices, placements, kernels: attributes of the `dev` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import (
    Attribute,
    ParametrizedAttribute,
    SSAValue,
)
from xdsl.irdl import (
    irdl_attr_definition,
    param_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.backend.installed import device_names
from devproc.dialects.dev.layouts import (
    Layout,
)
from devproc.errors import did_you_mean
from devproc.ir.types import item_size

LayoutT = TypeVar("LayoutT", bound=Layout)


def verify_device(device: StringAttr, what: str) -> None:
    """Verify that a device is installed; `what` has it."""
    known = device_names()
    if device.data not in known:
        raise VerifyException(
            f"unknown device '{device.data}' of {what}; one of {', '.join(known)}"
            f"{did_you_mean(device.data, known)}"
        )


@irdl_attr_definition
class OnAttr(ParametrizedAttribute):
    """The device and layout of a value: `#dev.on<"cuda">`, `#dev.on<"cpu", #dev.layout<..>>`.

    The encoding of tensors and the memory space of memrefs. Without a layout the value
    is dense and row-major.
    """

    name = "dev.on"

    device: StringAttr = param_def()
    layout: Layout | NoneAttr = param_def()

    @staticmethod
    @cache
    def get(device: str, layout: Layout | None = None) -> OnAttr:
        """The attribute for this device and, where not row-major, this layout."""
        return OnAttr(StringAttr(device), layout or NoneAttr())

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory of a value of this logical shape."""
        if isinstance(self.layout, Layout):
            return self.layout.physical_shape(shape)
        return tuple(shape)

    def verify(self) -> None:
        verify_device(self.device, "a value")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = StringAttr(parser.parse_str_literal())
            layout: Attribute = NoneAttr()
            if parser.parse_optional_punctuation(",") is not None:
                layout = parser.parse_attribute()
        return (device, layout)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.device.data)
            if isinstance(self.layout, Layout):
                printer.print_string(", ")
                printer.print_attribute(self.layout)


@irdl_attr_definition
class PlaceAttr(ParametrizedAttribute):
    """Where an op was placed and why: `#dev.place<"cuda", "12 MFLOP ...">`."""

    name = "dev.place"

    device: StringAttr = param_def()
    why: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            why = StringAttr(parser.parse_str_literal())
        return (device, why)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.device.data)
            printer.print_string(", ")
            printer.print_string_literal(self.why.data)


@irdl_attr_definition
class KernelAttr(ParametrizedAttribute):
    """Marks a function as a kernel: its device, family, and the ops it came from.

    `#dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>`
    """

    name = "dev.kernel"

    REGION: ClassVar = "region"
    """The family of the function of a whole region."""

    FAMILIES: ClassVar = (
        *("pointwise", "reduction", "contraction", "vector_product", "attention"),
        "window",
        *("bottleneck", "gather", "scan", "scatter", "sort", "nms", "loop", REGION),
    )

    device: StringAttr = param_def()
    family: StringAttr = param_def()
    sources: ArrayAttr[StringAttr] = param_def()

    @staticmethod
    def get(device: str, family: str, sources: Sequence[str]) -> KernelAttr:
        """The attribute for a kernel of this device and family."""
        return KernelAttr(
            StringAttr(device),
            StringAttr(family),
            ArrayAttr([StringAttr(s) for s in sources]),
        )

    def verify(self) -> None:
        verify_device(self.device, "a kernel")
        if self.family.data not in self.FAMILIES:
            raise VerifyException(
                f"unknown kernel family '{self.family.data}'; one of "
                + ", ".join(self.FAMILIES)
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            family = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            sources = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_str_literal
            )
        return (device, family, ArrayAttr([StringAttr(s) for s in sources]))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.device.data)
            printer.print_string(", ")
            printer.print_string_literal(self.family.data)
            printer.print_string(", [")
            printer.print_list(
                self.sources, lambda s: printer.print_string_literal(s.data)
            )
            printer.print_string("]")


def device_of(type_: Attribute) -> str | None:
    """The device in a tensor's encoding or a memref's memory space; None if unplaced."""
    encoding = (
        type_.encoding
        if isinstance(type_, TensorType)
        else getattr(type_, "memory_space", None)
    )
    return encoding.device.data if isinstance(encoding, OnAttr) else None


def stored_as(value: SSAValue, kind: type[LayoutT]) -> LayoutT | None:
    """The layout of a memref if it is of this class, else None."""
    space = getattr(value.type, "memory_space", None)
    if isinstance(space, OnAttr) and isinstance(space.layout, kind):
        return space.layout
    return None


def byte_size(type_: Attribute) -> int:
    """Bytes of a tensor or memref in memory, in its physical layout."""
    shaped = cast(TensorType[Attribute], type_)
    encoding = getattr(shaped, "encoding", None) or getattr(
        shaped, "memory_space", None
    )
    shape: Sequence[int] = shaped.get_shape()
    if isinstance(encoding, OnAttr):
        shape = encoding.physical_shape(shape)
    return prod(shape) * item_size(shaped.element_type)
