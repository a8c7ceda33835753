"""How a value lies in memory: the layout attributes of the `dev` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.ir.layouts.block_float import QUARTERS, block_words
from devproc.ir.layouts.inner_product import PARTS, column_rows, matrix_sizes
from devproc.ir.layouts.strassen import PRODUCTS, SIDE
from devproc.ir.layouts.winograd import LINE_TILE, TAPS, TILES, line_taps, points_of


@irdl_attr_definition
class LayoutAttr(ParametrizedAttribute):
    """How a tensor lies in memory: the order of its dimensions and their tiles.

    `#dev.layout<[0, 2, 3, 1], [1, 16, 1, 1]>`: dimensions outermost first, then the
    tile of each logical dimension (1 = untiled); tiles lie innermost, in the same order.
    A size that a tile does not divide is padded with zeros.
    """

    name = "dev.layout"

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
        """The row-major shape in memory of a tensor of this logical shape."""
        tiles = self.tile_sizes
        outer = [-(-shape[d] // tiles[d]) for d in self.order_of_dims]
        inner = [tiles[d] for d in self.order_of_dims if tiles[d] > 1]
        return (*outer, *inner)

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


class NumberedLayout(ParametrizedAttribute):
    """A layout that a few numbers describe: `<4, 32>`."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        numbers = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, parser.parse_integer
        )
        wanted = len(cls.get_irdl_definition().parameters)
        if len(numbers) != wanted:
            parser.raise_error(f"#{cls.name} takes {wanted} numbers")
        return [IntAttr(number) for number in numbers]

    def print_parameters(self, printer: Printer) -> None:
        numbers = [str(cast(IntAttr, number).data) for number in self.parameters]
        printer.print_string(f"<{', '.join(numbers)}>")


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
        """The row-major shape in memory of filters of this logical shape."""
        *_, channels, outputs = shape
        return (outputs // self.width.data, channels, TAPS**2, self.width.data)

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
    """Filters (H, W, I, O) as what Winograd's algorithm makes of their lines.

    `#dev.winograd_line<2, 32>`: for a stride of 2 along a line and panels of 32 output
    channels. Taps that a stride apart are those of one phase, and phases are like channels:
    in the shape (O / 32, points, H, I * 2, 32); see `ir/layouts/winograd.py`. 32 divides O.
    """

    name = "dev.winograd_line"

    stride: IntAttr = param_def()
    width: IntAttr = param_def()

    @staticmethod
    def get(stride: int, width: int) -> WinogradLineAttr:
        """The layout for this stride along a line and width of a panel."""
        return WinogradLineAttr(IntAttr(stride), IntAttr(width))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory of filters of this logical shape."""
        lines, taps, channels, outputs = shape
        stride, width = self.stride.data, self.width.data
        points = points_of(LINE_TILE, line_taps(taps, stride))
        return (outputs // width, points, lines, channels * stride, width)

    def verify(self) -> None:
        if self.stride.data < 1 or self.width.data < 1:
            raise VerifyException(
                "the stride and the panels of #dev.winograd_line must be positive"
            )


@irdl_attr_definition
class StrassenAttr(NumberedLayout):
    """A weight (N, K) that lies in memory as the sums of blocks of Strassen's products.

    `#dev.strassen<48>`: its transpose, of 2 x 2 blocks, as the right matrix, in panels of
    48 columns of a block: in the shape (N / 2 / 48, 7, K / 2, 48); see `ir/layouts/strassen.py`.
    Whole panels make up N.
    """

    name = "dev.strassen"

    width: IntAttr = param_def()

    @staticmethod
    def get(width: int) -> StrassenAttr:
        """The layout for this width of a panel."""
        return StrassenAttr(IntAttr(width))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory of a weight of this logical shape."""
        outputs, inputs = shape
        width = self.width.data
        return (outputs // SIDE // width, PRODUCTS, inputs // SIDE, width)

    def verify(self) -> None:
        if self.width.data < 1:
            raise VerifyException("the panels of #dev.strassen must be positive")


@irdl_attr_definition
class InnerProductAttr(NumberedLayout):
    """A weight (N, K), or filters (H, W, I, N), as Winograd's inner product reads it.

    `#dev.inner_product<16, 96>`: in panels of 16 outputs, the last one filled up with
    zeros, of blocks of 96 terms, in the shape (N / 16, numbers of a column, 16); see
    `ir/layouts/inner_product.py`. K, which is H * W * I of filters, has 96 terms or more.
    """

    name = "dev.inner_product"

    width: IntAttr = param_def()
    terms: IntAttr = param_def()

    @staticmethod
    def get(width: int, terms: int) -> InnerProductAttr:
        """The layout for this width of a panel and these terms of a block."""
        return InnerProductAttr(IntAttr(width), IntAttr(terms))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory of a weight of this logical shape."""
        outputs, inputs = matrix_sizes(shape)
        width, terms = self.width.data, self.terms.data
        return (-(-outputs // width), column_rows(inputs, terms), width)

    def verify(self) -> None:
        if self.width.data < 1 or self.terms.data < 1 or self.terms.data % PARTS:
            raise VerifyException(
                "#dev.inner_product needs outputs in a panel, and terms in three parts"
            )


@irdl_attr_definition
class BlockFloatAttr(NumberedLayout):
    """A weight (N, K) in block floating point: three bytes for each number.

    `#dev.block_float<64, 56>`: in panels of 64 outputs, the last one filled up with zeros,
    of blocks of 56 terms, in the shape (N / 64, K / 56, words of a block); a block holds
    56 rows of 48 words, which are 64 numbers, then 64 scales; see `ir/layouts/block_float.py`. 56
    divides K.
    """

    name = "dev.block_float"

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

    def verify(self) -> None:
        if self.width.data < 1 or self.width.data % QUARTERS or self.terms.data < 1:
            raise VerifyException(
                "#dev.block_float needs panels of a multiple of 4 outputs, and terms"
            )


Layout: TypeAlias = (
    LayoutAttr
    | WinogradAttr
    | WinogradLineAttr
    | StrassenAttr
    | InnerProductAttr
    | BlockFloatAttr
)
"""How a value lies in memory where it is not row-major."""
