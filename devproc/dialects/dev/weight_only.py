"""The layout of weights that are stored in fewer bits than float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr, f32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev.layouts import Layout, is_float32
from devproc.ir.layouts.weight_only import block_words
from devproc.ir.types import AnyTensor, dtype_name, tensor
from devproc.ir.weight_format import BITS, WeightFormat


@irdl_attr_definition
class WeightOnlyAttr(Layout):
    """A float32 weight (N, K) that is stored in fewer bits.

    `#dev.weight_only<int8, 32, 16>`: as int8, in blocks of 32 terms, in panels of 16
    outputs, the last one padded with zeros, in the shape (N / 16, K / 32, words of a
    block); see `ir/layouts/weight_only.py`. 32 divides K.
    """

    name = "dev.weight_only"
    HAS_ELEMENTS: ClassVar[bool] = True

    dtype: StringAttr = param_def()
    terms: IntAttr = param_def()
    width: IntAttr = param_def()

    @staticmethod
    def get(dtype: str, terms: int, width: int) -> WeightOnlyAttr:
        """The layout for numbers of this dtype in blocks of `terms` x `width`."""
        return WeightOnlyAttr(StringAttr(dtype), IntAttr(terms), IntAttr(width))

    @property
    def stored(self) -> WeightFormat:
        """The format of the numbers."""
        dtype = self.dtype.data
        plain = WeightFormat(dtype, 1)
        return WeightFormat(dtype, self.terms.data) if plain.is_integer else plain

    def logical(self, sources: Sequence[AnyTensor]) -> AnyTensor:
        """The weight as float32, from integers, their scales and zero points, or from
        floats."""
        numbers, *groups = sources
        shape, stored = numbers.get_shape(), self.stored
        wanted = self.dtype.data
        if stored.is_integer:
            wanted = "uint8" if stored.has_zeros else "int8"
        if dtype_name(numbers.element_type) != wanted:
            raise VerifyException(
                f"'{self}' packs {wanted}, not {numbers.element_type}"
            )
        if len(groups) != stored.is_integer + stored.has_zeros:
            raise VerifyException(
                f"'{self}': integers have scales, unsigned ones zero points too, floats"
                " have neither"
            )
        if not groups:
            return tensor(f32, shape)
        if len(shape) != 3 or any(g.get_shape() != (*shape[:2], 1) for g in groups):
            raise VerifyException(
                f"'{self}' packs numbers (N, groups, terms) with scales and zero points"
                " (N, groups, 1)"
            )
        return tensor(f32, (shape[0], shape[1] * shape[2]))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory, in float32 words, of a weight of this shape."""
        outputs, inputs = shape
        width, terms = self.width.data, self.terms.data
        words = block_words(self.stored, terms, width)
        return (-(-outputs // width), inputs // terms, words)

    def misfit(self, type_: AnyTensor) -> str | None:
        shape, terms = type_.get_shape(), self.terms.data
        if len(shape) != 2 or shape[1] % terms:
            return f"is not an (N, K) with K in blocks of {terms}"
        return None if is_float32(type_) else "does not stand for float32"

    def verify(self) -> None:
        if self.dtype.data not in BITS:
            raise VerifyException(
                f"#dev.weight_only stores {', '.join(BITS)}, not '{self.dtype.data}'"
            )
        terms, multiple = self.terms.data, 8 if self.stored.is_integer else 2
        width, outputs = self.width.data, 4 if self.stored.has_zeros else 2
        if terms < 1 or terms % multiple or width < outputs or width % outputs:
            raise VerifyException(
                "#dev.weight_only needs terms in pairs, of integers in eights, and panels"
                " of pairs of outputs, with zero points of fours"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            dtype = StringAttr(parser.parse_identifier())
            numbers: list[Attribute] = []
            for _ in range(2):
                parser.parse_punctuation(",")
                numbers.append(IntAttr(parser.parse_integer()))
        return [dtype, *numbers]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            numbers = f"{self.terms.data}, {self.width.data}"
            printer.print_string(f"{self.dtype.data}, {numbers}")
