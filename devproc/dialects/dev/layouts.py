"""Memory layouts of values: the layout attributes of the `dev` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.ir.layouts.block_float import QUARTERS, block_words
from devproc.ir.layouts.inner_product import PARTS, column_rows, matrix_sizes
from devproc.ir.layouts.strassen import PRODUCTS, SIDE
from devproc.ir.layouts.winograd import (
    LINE_TAPS,
    LINE_TILE,
    TAPS,
    TILES,
    line_taps,
    points_of,
)
from devproc.ir.types import AnyTensor, dtype_name, is_float


class Layout(ParametrizedAttribute):
    """Base class of memory layouts other than row-major."""

    HAS_ELEMENTS: ClassVar[bool] = False
    """Whether a kernel can read single elements, such as a row of an embedding."""

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory of a tensor of this logical shape."""
        raise NotImplementedError

    def misfit(self, type_: AnyTensor) -> str | None:
        """Why a tensor cannot have this layout, as a predicate; None if it can."""
        raise NotImplementedError

    def logical(self, sources: Sequence[AnyTensor]) -> AnyTensor:
        """The tensor that these are packed for; raises VerifyException for others."""
        if len(sources) != 1:
            raise VerifyException(f"'{self}' packs one tensor, not {len(sources)}")
        return sources[0]


def is_float32(type_: AnyTensor) -> bool:
    """Whether a tensor holds float32."""
    return dtype_name(type_.element_type) == "float32"


@irdl_attr_definition
class LayoutAttr(Layout):
    """A tiled memory layout: the order of the dimensions and their tile sizes.

    `#dev.layout<[0, 2, 3, 1], [1, 16, 1, 1]>`: dimensions outermost first, then the
    tile of each logical dimension (1 = untiled); tiles are innermost, in the same
    order. A size that is not a multiple of its tile is padded with zeros.
    """

    name = "dev.layout"
    HAS_ELEMENTS: ClassVar[bool] = True

    order: ArrayAttr[IntAttr] = param_def()
    tiles: ArrayAttr[IntAttr] = param_def()

    @staticmethod
    def get(order: Sequence[int], tiles: Sequence[int] | None = None) -> LayoutAttr:
        """The layout with this dimension order and these tiles (none by default)."""
        tiles = [1] * len(order) if tiles is None else tiles
        return LayoutAttr(
            ArrayAttr([IntAttr(d) for d in order]),
            ArrayAttr([IntAttr(t) for t in tiles]),
        )

    @property
    def order_of_dims(self) -> tuple[int, ...]:
        """Logical dimensions, outermost first."""
        return tuple(d.data for d in self.order)

    @property
    def tile_sizes(self) -> tuple[int, ...]:
        """Tile of each logical dimension; 1 where it is not tiled."""
        return tuple(t.data for t in self.tiles)

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        tiles = self.tile_sizes
        outer = [-(-shape[d] // tiles[d]) for d in self.order_of_dims]
        inner = [tiles[d] for d in self.order_of_dims if tiles[d] > 1]
        return (*outer, *inner)

    def misfit(self, type_: AnyTensor) -> str | None:
        if len(self.order) != type_.get_num_dims():
            return f"does not have the {len(self.order)} dimensions of the layout"
        return None

    def verify(self) -> None:
        if sorted(self.order_of_dims) != list(range(len(self.order))):
            raise VerifyException(
                f"layout order {list(self.order_of_dims)} is not a permutation"
            )
        if len(self.tiles) != len(self.order):
            raise VerifyException("layout needs one tile per dimension")
        if any(t < 1 for t in self.tile_sizes):
            raise VerifyException("layout tiles must be positive")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            order = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )
            parser.parse_punctuation(",")
            tiles = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )
        return (
            ArrayAttr([IntAttr(d) for d in order]),
            ArrayAttr([IntAttr(t) for t in tiles]),
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{list(self.order_of_dims)}, ")
            printer.print_string(str(list(self.tile_sizes)))


class NumberedLayout(Layout):
    """A layout whose parameters are a few integers: `<4, 32>`.

    The last ones are left out of the text if they are those of `DEFAULTS`.
    """

    DEFAULTS: ClassVar[tuple[int, ...]] = ()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        numbers = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, parser.parse_integer
        )
        most = len(cls.get_irdl_definition().parameters)
        least = most - len(cls.DEFAULTS)
        if not least <= len(numbers) <= most:
            wanted = most if least == most else f"{least} to {most}"
            parser.raise_error(f"#{cls.name} takes {wanted} numbers")
        numbers += cls.DEFAULTS[len(cls.DEFAULTS) - (most - len(numbers)) :]
        return [IntAttr(number) for number in numbers]

    def print_parameters(self, printer: Printer) -> None:
        numbers = [cast(IntAttr, number).data for number in self.parameters]
        if self.DEFAULTS and tuple(numbers[-len(self.DEFAULTS) :]) == self.DEFAULTS:
            numbers = numbers[: -len(self.DEFAULTS)]
        printer.print_string(f"<{', '.join(map(str, numbers))}>")


@irdl_attr_definition
class WinogradAttr(NumberedLayout):
    """Filters (3, 3, I, O) in the order in which Winograd's algorithm reads them.

    `#dev.winograd<4, 32>`: for output tiles of 4 x 4 pixels and panels of 32 output
    channels, in the shape (O / 32, I, 3 * 3, 32); see `ir/layouts/winograd.py`. 32 divides O.
    """

    name = "dev.winograd"

    tile: IntAttr = param_def()
    width: IntAttr = param_def()

    @staticmethod
    def get(tile: int, width: int) -> WinogradAttr:
        """The layout for this output tile and width of a panel."""
        return WinogradAttr(IntAttr(tile), IntAttr(width))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        *_, channels, outputs = shape
        return (outputs // self.width.data, channels, TAPS**2, self.width.data)

    def misfit(self, type_: AnyTensor) -> str | None:
        shape, width = type_.get_shape(), self.width.data
        if len(shape) != 4 or shape[:2] != (TAPS, TAPS) or shape[3] % width:
            return f"is not a (3, 3, I, O) of whole panels of {width}"
        return None if is_float(type_.element_type) else "does not hold floats"

    def verify(self) -> None:
        if self.tile.data not in TILES:
            raise VerifyException(
                f"no Winograd transform for tiles of {self.tile.data}; there are"
                f" {list(TILES)}"
            )
        if self.width.data < 1:
            raise VerifyException("the panels of #dev.winograd must be positive")


@irdl_attr_definition
class WinogradLineAttr(NumberedLayout):
    """Filters (H, W, I, O), their lines transformed by Winograd's algorithm.

    `#dev.winograd_line<2, 32>`: for a stride of 2 along a line and panels of 32 output
    channels. Taps one stride apart form a phase; phases are treated as channels, in the
    shape (O / 32, points, H, I * 2, 32); see `ir/layouts/winograd.py`. 32 divides O.
    """

    name = "dev.winograd_line"

    stride: IntAttr = param_def()
    width: IntAttr = param_def()

    @staticmethod
    def get(stride: int, width: int) -> WinogradLineAttr:
        """The layout for this stride along a line and width of a panel."""
        return WinogradLineAttr(IntAttr(stride), IntAttr(width))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        lines, taps, channels, outputs = shape
        stride, width = self.stride.data, self.width.data
        points = points_of(LINE_TILE, line_taps(taps, stride))
        return (outputs // width, points, lines, channels * stride, width)

    def misfit(self, type_: AnyTensor) -> str | None:
        shape, width, stride = type_.get_shape(), self.width.data, self.stride.data
        if len(shape) != 4 or shape[3] % width:
            return f"is not a (H, W, I, O) of whole panels of {width}"
        if line_taps(shape[1], stride) not in LINE_TAPS:
            return f"has lines without a Winograd transform for a stride of {stride}"
        return None if is_float(type_.element_type) else "does not hold floats"

    def verify(self) -> None:
        if self.stride.data < 1 or self.width.data < 1:
            raise VerifyException(
                "the stride and the panels of #dev.winograd_line must be positive"
            )


@irdl_attr_definition
class StrassenAttr(NumberedLayout):
    """A weight (N, K), stored as the sums of blocks that Strassen's products read.

    `#dev.strassen<48>`: its transpose is the right matrix, of 2 x 2 blocks in panels of
    48 columns: in the shape (N / 2 / 48, 7, K / 2, 48); see `ir/layouts/strassen.py`. N
    is a multiple of 2 * 48.
    """

    name = "dev.strassen"

    width: IntAttr = param_def()

    @staticmethod
    def get(width: int) -> StrassenAttr:
        """The layout for this width of a panel."""
        return StrassenAttr(IntAttr(width))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        outputs, inputs = shape
        width = self.width.data
        return (outputs // SIDE // width, PRODUCTS, inputs // SIDE, width)

    def misfit(self, type_: AnyTensor) -> str | None:
        shape, width = type_.get_shape(), self.width.data
        if len(shape) != 2 or shape[0] % (SIDE * width) or shape[1] % SIDE:
            return f"is not an (N, K) of {SIDE} x {SIDE} blocks of panels of {width}"
        return None if is_float(type_.element_type) else "does not hold floats"

    def verify(self) -> None:
        if self.width.data < 1:
            raise VerifyException("the panels of #dev.strassen must be positive")


@irdl_attr_definition
class InnerProductAttr(NumberedLayout):
    """A weight (N, K), or filters (H, W, I, N), for Winograd's inner product.

    `#dev.inner_product<16, 96>`: in panels of 16 outputs, the last one padded with
    zeros, of blocks of 96 terms, in the shape (N / 16, numbers of a column, 16); see
    `ir/layouts/inner_product.py`. K, which is H * W * I for filters, is at least 96.

    `<16, 96, 4>`: K is cut into four equal slices, each at least 96, which are stored one
    after the other: the shape is (4 * N / 16, numbers of a column of K / 4 terms, 16).
    """

    name = "dev.inner_product"
    DEFAULTS: ClassVar[tuple[int, ...]] = (1,)

    width: IntAttr = param_def()
    terms: IntAttr = param_def()
    slices: IntAttr = param_def()

    @staticmethod
    def get(width: int, terms: int, slices: int = 1) -> InnerProductAttr:
        """The layout for this width of a panel, these terms of a block, and slices."""
        return InnerProductAttr(IntAttr(width), IntAttr(terms), IntAttr(slices))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        outputs, inputs = matrix_sizes(shape)
        width, terms, slices = self.width.data, self.terms.data, self.slices.data
        panels = slices * -(-outputs // width)
        return (panels, column_rows(inputs // slices, terms), width)

    def misfit(self, type_: AnyTensor) -> str | None:
        shape, terms, slices = type_.get_shape(), self.terms.data, self.slices.data
        if len(shape) not in (2, 4) or matrix_sizes(shape)[1] < slices * terms:
            return (
                "is not an (N, K), nor an (H, W, I, N), with a block of"
                f" {terms} terms for each N{' and slice' * (slices > 1)}"
            )
        if matrix_sizes(shape)[1] % slices:
            return f"does not have {slices} equal slices of terms"
        return None if is_float32(type_) else "does not hold float32"

    def verify(self) -> None:
        numbers = (self.width.data, self.terms.data, self.slices.data)
        if min(numbers) < 1 or self.terms.data % PARTS:
            raise VerifyException(
                "#dev.inner_product needs outputs in a panel, terms in three parts, and"
                " slices"
            )


@irdl_attr_definition
class BlockFloatAttr(NumberedLayout):
    """A weight (N, K) in block floating point: three bytes for each number.

    `#dev.block_float<64, 56>`: in panels of 64 outputs, the last one padded with zeros,
    of blocks of 56 terms, in the shape (N / 64, K / 56, words of a block). A block
    holds 56 rows of 48 words, each row 64 numbers, then 64 scales; see
    `ir/layouts/block_float.py`. 56 divides K.
    """

    name = "dev.block_float"
    HAS_ELEMENTS: ClassVar[bool] = True

    width: IntAttr = param_def()
    terms: IntAttr = param_def()

    @staticmethod
    def get(width: int, terms: int) -> BlockFloatAttr:
        """The layout for this width of a panel and these terms of a block."""
        return BlockFloatAttr(IntAttr(width), IntAttr(terms))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory, in float32 words, of a weight of this shape."""
        outputs, inputs = shape
        width, terms = self.width.data, self.terms.data
        return (-(-outputs // width), inputs // terms, block_words(terms, width))

    def misfit(self, type_: AnyTensor) -> str | None:
        shape, terms = type_.get_shape(), self.terms.data
        if len(shape) != 2 or shape[1] % terms:
            return f"is not an (N, K) with K in blocks of {terms}"
        return None if is_float32(type_) else "does not hold float32"

    def verify(self) -> None:
        if self.width.data < 1 or self.width.data % QUARTERS or self.terms.data < 1:
            raise VerifyException(
                "#dev.block_float needs panels of a multiple of 4 outputs, and terms"
            )
