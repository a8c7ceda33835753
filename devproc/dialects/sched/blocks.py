"""Schedules of GPU kernels: the block sizes of one program, and its warps.

Block sizes are powers of two, as Triton requires; elements out of bounds are masked.
"""

from __future__ import annotations

from devproc.dialects.sched.base import Schedule, record_definition
from devproc.dialects.sched.fields import count, power, word

SMALLEST_DOT = 16
"""The smallest dimension of a block that `tl.dot` supports."""

WARPS = "Warps, of 32 threads each, that run one program."
STAGES = (
    "Iterations of the loop over K whose loads are in flight (software pipelining)."
)
GROUP = (
    "Tiles of rows that are visited before the next tile of columns, so that"
    " concurrent programs share operands in L2; 1: row-major order."
)
PRECISION = "Products of f32: in full precision, or one or three TF32 products."


@record_definition
class BlockTileSchedule(Schedule):
    """A contraction on `tl.dot`: a tile of m x n results for each program.

    ```mlir
    #sched.block_tile<m = 64, n = 64, k = 32, warps = 4, stages = 2, group = 1,
        precision = ieee>
    ```
    """

    name = "sched.block_tile"

    m: int = power("Rows of a tile.", least=SMALLEST_DOT)
    n: int = power("Columns of a tile.", least=SMALLEST_DOT)
    k: int = power("Terms of one step of the sum.", least=SMALLEST_DOT, digits=True)
    warps: int = power(WARPS, most=32)
    stages: int = count(STAGES, most=8)
    group: int = count(GROUP)
    precision: str = word(PRECISION, "ieee", "tf32", "tf32x3", digits=True)


@record_definition
class PersistentTileSchedule(Schedule):
    """A contraction on `tl.dot`: programs that compute tile after tile, in turns.

    ```mlir
    #sched.persistent_tile<m = 128, n = 256, k = 64, warps = 8, stages = 3, group = 8,
        precision = ieee, programs = 132, loads = descriptors>
    ```
    """

    name = "sched.persistent_tile"

    m: int = power("Rows of a tile.", least=SMALLEST_DOT)
    n: int = power("Columns of a tile.", least=SMALLEST_DOT)
    k: int = power("Terms of one step of the sum.", least=SMALLEST_DOT, digits=True)
    warps: int = power(WARPS, most=32)
    stages: int = count(STAGES, most=8)
    group: int = count(GROUP)
    precision: str = word(PRECISION, "ieee", "tf32", "tf32x3", digits=True)
    programs: int = count(
        "Programs, usually one for each processor; with as many as tiles, or more, each"
        " program computes one tile."
    )
    loads: str = word(
        "How factors are read: through pointers, or by tensor descriptors (TMA) where"
        " they lie in memory as those need.",
        "pointers",
        "descriptors",
    )


@record_definition
class ImplicitGemmSchedule(Schedule):
    """A convolution on `tl.dot`: pixels x channels for each program.

    ```mlir
    #sched.implicit_gemm<m = 128, n = 64, k = 64, warps = 4, stages = 3, group = 1,
        precision = ieee>
    ```
    """

    name = "sched.implicit_gemm"

    m: int = power("Pixels of a tile.", least=SMALLEST_DOT)
    n: int = power("Output channels of a tile.", least=SMALLEST_DOT)
    k: int = power(
        "Channels of one step of the sum, at one place of the window.",
        least=SMALLEST_DOT,
        digits=True,
    )
    warps: int = power(WARPS, most=32)
    stages: int = count(STAGES, most=8)
    group: int = count(
        "Tiles of pixels that are visited before the next tile of channels; 1: row-major"
        " order."
    )
    precision: str = word(PRECISION, "ieee", "tf32", "tf32x3", digits=True)


@record_definition
class BoxGemmSchedule(Schedule):
    """A convolution on `tl.dot`: a rectangle of pixels x channels for each program.

    ```mlir
    #sched.box_gemm<rows = 8, columns = 16, n = 128, k = 64, warps = 8, stages = 3,
        precision = ieee>
    ```
    """

    name = "sched.box_gemm"

    rows: int = power("Rows of the rectangle.")
    columns: int = power("Columns of the rectangle.")
    n: int = power("Output channels of a tile.", least=SMALLEST_DOT)
    k: int = power(
        "Channels of one step of the sum, at one place of the window.",
        least=SMALLEST_DOT,
        digits=True,
    )
    warps: int = power(WARPS, most=32)
    stages: int = count(STAGES, most=8)
    precision: str = word(PRECISION, "ieee", "tf32", "tf32x3", digits=True)

    def conflict(self) -> str | None:
        if self.rows * self.columns < SMALLEST_DOT:
            return f"a rectangle has at least {SMALLEST_DOT} pixels"
        return None


@record_definition
class BlockWindowSchedule(Schedule):
    """A window of each pixel and channel: pixels x channels for each program.

    ```mlir
    #sched.block_window<pixels = 16, channels = 64, warps = 4>
    ```
    """

    name = "sched.block_window"

    pixels: int = power("Pixels of a program.")
    channels: int = power("Channels of a program.")
    warps: int = power(WARPS, most=32)


@record_definition
class BlockVectorSchedule(Schedule):
    """A product of a matrix and a vector: some results for each program.

    ```mlir
    #sched.block_vector<rows = 4, step = 2048, warps = 4>
    ```
    """

    name = "sched.block_vector"

    rows: int = power("Results of one program.")
    step: int = power("Terms of each sum that are added at a time.", digits=True)
    warps: int = power(WARPS, most=32, digits=True)


@record_definition
class FlashSchedule(Schedule):
    """Attention with an online softmax: a block of queries for each program.

    ```mlir
    #sched.flash<queries = 128, keys = 64, warps = 4, stages = 2, mask = skip,
        precision = ieee>
    ```
    """

    name = "sched.flash"

    queries: int = power("Queries of one program.", least=SMALLEST_DOT)
    keys: int = power("Keys of one step.", least=SMALLEST_DOT, digits=True)
    warps: int = power(WARPS, most=32)
    stages: int = count(STAGES.replace("over K", "over keys"), most=8)
    mask: str = word(
        "Whether to skip blocks of keys that a causal mask hides, and to compute those that"
        " all queries see without it, or to apply it to all; of a cache, only the rows in"
        " use are read.",
        "skip",
        "apply",
        digits=True,
    )
    precision: str = word(PRECISION, "ieee", "tf32", "tf32x3", digits=True)


@record_definition
class BlockRowsSchedule(Schedule):
    """A chain of row reductions: rows in the registers of one program, or read in steps.

    ```mlir
    #sched.block_rows<rows = 8, width = 128, warps = 4>
    ```
    """

    name = "sched.block_rows"

    rows: int = power("Rows of one program.")
    width: int = power(
        "Columns of its block. A longer row is read in steps of this many, once for each"
        " pass.",
        digits=True,
    )
    warps: int = power(WARPS, most=32, digits=True)


@record_definition
class BlockColumnsSchedule(Schedule):
    """A chain of reductions over columns, of which adjacent ones are contiguous.

    ```mlir
    #sched.block_columns<columns = 64, height = 32, warps = 4>
    ```
    """

    name = "sched.block_columns"

    columns: int = power("Columns of one program.")
    height: int = power(
        "Elements of each column in a block. A longer column is read in steps of this many,"
        " once for each pass.",
        digits=True,
    )
    warps: int = power(WARPS, most=32, digits=True)


@record_definition
class BlocksSchedule(Schedule):
    """A pointwise kernel, or the fallback: blocks of consecutive output elements.

    ```mlir
    #sched.blocks<size = 1024, warps = 4>
    ```
    """

    name = "sched.blocks"

    size: int = power("Output elements of one program.")
    warps: int = power(WARPS, most=32)


@record_definition
class BlockTransposeSchedule(Schedule):
    """A pointwise kernel that reads along one dimension and writes along another.

    ```mlir
    #sched.block_transpose<read = 64, written = 32, warps = 4>
    ```
    """

    name = "sched.block_transpose"

    read: int = power(
        "Size of a block in the dimension that is contiguous in an input."
    )
    written: int = power(
        "Size of a block in the dimension that is contiguous in the result."
    )
    warps: int = power(WARPS, most=32)


@record_definition
class BlockScanSchedule(Schedule):
    """A scan along rows: a block of rows at a time, with carries between blocks.

    ```mlir
    #sched.block_scan<rows = 32, width = 32, warps = 4>
    ```
    """

    name = "sched.block_scan"

    rows: int = power("Rows of one program.")
    width: int = power("Elements of each row in a block.", digits=True)
    warps: int = power(WARPS, most=32, digits=True)


@record_definition
class BlockSortSchedule(Schedule):
    """A sort of rows by a network, with whole rows in the registers of one program.

    ```mlir
    #sched.block_sort<rows = 4, width = 128, warps = 4>
    ```
    """

    name = "sched.block_sort"

    rows: int = power("Rows of one program.")
    width: int = power("Columns of its block, no less than a row has.")
    warps: int = power(WARPS, most=32)


@record_definition
class BlockRankSchedule(Schedule):
    """A sort of runs by counting: each element is compared with all of its run.

    ```mlir
    #sched.block_rank<width = 256, step = 16, warps = 4>
    ```
    """

    name = "sched.block_rank"

    width: int = power("Elements of one program, no fewer than a run has.")
    step: int = power("Elements that all of a program are compared with at a time.")
    warps: int = power(WARPS, most=32)


@record_definition
class BlockMergeSchedule(Schedule):
    """A merge of sorted runs: each element searches its place in the other runs.

    ```mlir
    #sched.block_merge<size = 256, warps = 4>
    ```
    """

    name = "sched.block_merge"

    size: int = power("Elements of one program.")
    warps: int = power(WARPS, most=32)


@record_definition
class BlockScatterSchedule(Schedule):
    """A scatter of sorted updates: a block of the result for each program.

    ```mlir
    #sched.block_scatter<places = 4, columns = 128, warps = 4>
    ```
    """

    name = "sched.block_scatter"

    places: int = power("Positions of one program that have updates of their own.")
    columns: int = power("Elements at each of them, which have the same updates.")
    warps: int = power(WARPS, most=32)


@record_definition
class BlockAtomicsSchedule(Schedule):
    """A scatter by atomics: a block of the updates for each program.

    ```mlir
    #sched.block_atomics<size = 512, warps = 4>
    ```
    """

    name = "sched.block_atomics"

    size: int = power("Updates of one program.")
    warps: int = power(WARPS, most=32)


@record_definition
class BlockUpdateSchedule(Schedule):
    """A scatter of few updates, which writes only the elements that have any.

    ```mlir
    #sched.block_update<columns = 512, warps = 4>
    ```
    """

    name = "sched.block_update"

    columns: int = power("Elements of one program, all at one index.")
    warps: int = power(WARPS, most=32)


BLOCK_SCHEDULES: list[type[Schedule]] = [
    BlockAtomicsSchedule,
    BlockUpdateSchedule,
    BlockTileSchedule,
    PersistentTileSchedule,
    ImplicitGemmSchedule,
    BoxGemmSchedule,
    BlockWindowSchedule,
    BlockVectorSchedule,
    FlashSchedule,
    BlockRowsSchedule,
    BlockColumnsSchedule,
    BlocksSchedule,
    BlockTransposeSchedule,
    BlockScanSchedule,
    BlockSortSchedule,
    BlockRankSchedule,
    BlockMergeSchedule,
    BlockScatterSchedule,
]
