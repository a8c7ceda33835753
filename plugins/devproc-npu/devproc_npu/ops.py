"""What the ops of the `npu` dialect share: schedules, types, their base."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from devproc.dialects.nn.base import NNOp, int_of, require
from devproc.dialects.sched.base import Record, record_definition
from devproc.dialects.sched.fields import count, counts, word
from devproc.ir.types import DTYPES, AnyTensor, item_size, tensor_of
from devproc_npu.isa import Type
from devproc_npu.shapes import Tiling

I8, I32, BF16 = DTYPES["int8"], DTYPES["int32"], DTYPES["bfloat16"]
ONE = (1 << 30, 30)
"""The multiplier and shift of a scale of 1."""
MULTIPLIED = {I8: Type.INT8, BF16: Type.BF16}
"""Element type -> the type of a program of the machine."""


@record_definition
class TilesAttr(Record):
    """The tiles of a product: sizes of a part of the results and of the sum.

    ```mlir
    #npu.tiles<lines = 8, width = 56, columns = 64, channels = 64, keeps = right, short = last>
    ```
    """

    name = "npu.tiles"

    lines: int = count("Lines of pixels of a tile.")
    width: int = count("Pixels of a line of a tile.")
    columns: int = count("Results of each pixel.")
    channels: int = count("Channels of a part of the sum.")
    keeps: str = word(
        "The operand of which all parts of a sum stay in the scratchpad.",
        *("none", "left", "right"),
    )
    short: str = word("Which tile of the pixels is shorter.", "first", "last")

    @property
    def tiling(self) -> Tiling:
        """The same as the emitter reads it."""
        return Tiling(*self.data)  # type: ignore[arg-type]


@record_definition
class BlockAttr(Record):
    """The part of a result that one vector instruction, or a few, compute.

    ```mlir
    #npu.block<sizes = [1, 8, 56, 64]>
    ```
    """

    name = "npu.block"

    sizes: Sequence[int] = counts("Sizes along the dimensions of the result.")


class NpuOp(NNOp):
    """An op of the machine: its operands are of one type that it computes in."""

    @property
    def type(self) -> Type:
        """The type of the program that computes it."""
        return MULTIPLIED[tensor_of(self.operands[0]).element_type]

    @property
    def bounds(self) -> tuple[int, int]:
        """The words that results are clamped to, where an op has them."""
        return int_of(self.properties["low"]), int_of(self.properties["high"])

    @property
    def out(self) -> AnyTensor:
        """The type of the result."""
        return tensor_of(self.results[0])


def require_type(name: str, operands: Sequence[AnyTensor]) -> None:
    elements = {operand.element_type for operand in operands}
    require(
        len(elements) == 1 and elements <= MULTIPLIED.keys(),
        f"{name} takes int8 or bfloat16 operands of one type",
    )
    is_empty = any(0 in operand.get_shape() for operand in operands)
    require(not is_empty, f"{name} takes no empty operands")


def byte_count(type_: AnyTensor) -> int:
    """Bytes of a tensor."""
    return prod(type_.get_shape()) * item_size(type_.element_type)
