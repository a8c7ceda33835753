"""Chooses the schedule of each op of the NPU."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc_npu.dialect import BlockAttr, ProductOp, TilesAttr, VectorOp
from devproc_npu.lowering.moves import block_of
from devproc_npu.machine import MACHINE
from devproc_npu.tiling import best_tiling
from devproc_npu.transforms import functions_of_npu


def choose_tiles(function: FuncOp) -> None:
    """Give each op that has no schedule the best. Raises ValueError where none fits."""
    for op in function.body.block.ops:
        if isinstance(op, ProductOp) and op.tiles is None:
            op.tiles = TilesAttr(**asdict(best_tiling(op.shape, MACHINE, op.type)))
        elif isinstance(op, VectorOp) and op.block is None:
            op.block = BlockAttr(sizes=_block(op))


def _block(op: VectorOp) -> tuple[int, ...]:
    """The largest block that fits: whole lines of pixels where windows overlap."""
    shape = op.out.get_shape()
    for count in (1 << n for n in range(17, -1, -1)):
        sizes = tuple(block_of(shape, count))
        if op.fits(sizes):
            return sizes
    raise ValueError(f"no block of {op.name} fits the scratchpad")


@dataclass(frozen=True)
class NpuChooseTilesPass(ModulePass):
    """Choose tiles of products by the estimate of their cycles, and the largest blocks of
    other ops that fit the scratchpad. A schedule that an op has already is kept.

    Before:

    ```mlir
    !x = tensor<128x768xi8, #dev.on<"npu">>
    !w = tensor<768x768xi8, #dev.on<"npu">>
    !y = tensor<128x768xi32, #dev.on<"npu">>
    func.func private @npu_0(%x: !x) -> !y
        attributes {dev.kernel = #dev.kernel<"npu", "region", ["nn.linear"]>} {
      %w = nn.weight @w hash "1f" : !w
      %y = npu.convolution %x, %w stride 1 clamp -128 127 : !x, !w -> !y
      func.return %y : !y
    }
    ```

    After:

    ```mlir
    !x = tensor<128x768xi8, #dev.on<"npu">>
    !w = tensor<768x768xi8, #dev.on<"npu">>
    !y = tensor<128x768xi32, #dev.on<"npu">>
    func.func private @npu_0(%x: !x) -> !y
        attributes {dev.kernel = #dev.kernel<"npu", "region", ["nn.linear"]>} {
      %w = nn.weight @w hash "1f" : !w
      %y = npu.convolution %x, %w stride 1 clamp -128 127
        tiles <lines = 1, width = 64, columns = 32, channels = 128, keeps = left, short = last>
        : !x, !w -> !y
      func.return %y : !y
    }
    ```
    """

    name = "npu-choose-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of_npu(op):
            choose_tiles(function)
