"""Complex tensors as pairs of real ones, for the import rules of complex numbers."""

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from xdsl.dialects.builtin import ComplexType
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.frontends.torch_export.elementwise.formula import Formula, common_type
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    ImportRule,
    shape_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.places.pieces import expanded
from devproc.ir.types import AnyTensor, tensor, tensor_of


def is_complex(type_: AnyTensor) -> bool:
    """Whether a recorded type is that of a complex tensor."""
    return isinstance(type_.element_type, ComplexType)


def part_type(type_: AnyTensor) -> AnyTensor:
    """The type of each part of a complex tensor; a real type is returned as it is."""
    element = type_.element_type
    if isinstance(element, ComplexType):
        element = cast(Attribute, element.element_type)
    return tensor(element, type_.get_shape())


def as_complex(b: GraphBuilder, value: Any) -> Any:
    """A tensor, number or list of them as `Complex`. A real one gets an imaginary part of
    zeros, as in PyTorch's conversion, by which infinity times 0 can then give NaN.
    """
    if isinstance(value, list):
        return [as_complex(b, item) for item in value]
    if isinstance(value, SSAValue):
        zero = b.scalar(0, tensor_of(value).element_type)
        return Complex(value, expanded(b, zero, shape_of(value)))
    if isinstance(value, complex):
        return Complex(value.real, value.imag)
    return Complex(value, 0) if isinstance(value, int | float) else value


def complex_constant(b: GraphBuilder, value: torch.Tensor, name: str) -> Complex:
    """A complex tensor known at import, as two constants or weights with own memory."""
    parts = torch.view_as_real(value.detach().resolve_conj()).unbind(-1)
    copies = Complex(*[p.clone(memory_format=torch.contiguous_format) for p in parts])
    return Complex(*[b.constant(part, each) for part, each in parts_of(copies, name)])


def parts_of(value: Any, name: str) -> list[tuple[Any, str]]:
    """The parts of a complex value with their names; a real value as it is."""
    if not isinstance(value, Complex):
        return [(value, name)]
    return [(value.real, f"{name}.real"), (value.imaginary, f"{name}.imaginary")]


class ComplexFormula(Formula):
    """Emits ops on the parts of complex operands, in their common dtype."""

    def __init__(self, b: GraphBuilder, operands: list[Complex]):
        super().__init__(b, common_type([operand.real for operand in operands]))

    def complex(self, value: Complex) -> Complex:
        """Both parts as tensors of the formula's dtype."""
        return Complex(self.value(value.real), self.value(value.imaginary))


def formula(rule: Callable[..., Any], *makes: type[Operation]) -> ImportRule:
    """The rule of an operator that is a formula of the parts of its operands."""

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> Any:
        refuse_complex_keywords(kwargs)
        operands = [as_complex(b, argument) for argument in args]
        return rule(ComplexFormula(b, operands), *operands)

    return ImportRule(build, makes)


def by_parts(rule: ImportRule, *numbers: int) -> ImportRule:
    """The rule of an operator that treats both parts alike.

    `numbers` are the positions of the arguments that have parts; others, such as indices
    and masks, apply to both parts.
    """

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> Any:
        refuse_complex_keywords(kwargs)
        given = [as_complex(b, a) if i in numbers else a for i, a in enumerate(args)]
        real_arguments = [_part(a, "real") for a in given]
        if not is_complex(b.result):
            # The result may have a real dtype, as a sum with `dtype` has.
            return rule.build(b, *real_arguments, **kwargs)
        b.results = tuple(part_type(type_) for type_ in b.results)
        real = rule.build(b, *real_arguments, **kwargs)
        imaginary = rule.build(b, *[_part(a, "imaginary") for a in given], **kwargs)
        if not isinstance(real, tuple):
            return Complex(real, imaginary)
        return tuple(map(Complex, real, imaginary))

    return ImportRule(build, rule.makes)


def _part(argument: Any, name: str) -> Any:
    if isinstance(argument, list):
        return [_part(item, name) for item in argument]
    return getattr(argument, name) if isinstance(argument, Complex) else argument


def refuse_complex_keywords(kwargs: dict[str, Any]) -> None:
    """Raises Refusal for a complex `alpha`, `beta` or `value`."""
    for name, value in kwargs.items():
        if isinstance(value, complex):
            raise Refusal(f"{name} is a complex number", "multiply before")
