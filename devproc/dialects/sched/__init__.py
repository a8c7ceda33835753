"""The `sched` dialect: how each loop nest of a kernel is computed, as attributes.

A schedule is an attribute, `#sched.register_tile<rows = 7, ...>`: its name is that of an
algorithm (`devproc.algorithms`), its fields are all decisions about the loops.
`sched.nest` attaches a schedule, and the reason for it, to the ops of one nest.
"""

from xdsl.ir import Dialect

from devproc.dialects.sched.base import Record, Schedule, record_definition
from devproc.dialects.sched.blocks import (
    BLOCK_SCHEDULES,
    BlockAtomicsSchedule,
    BlockColumnsSchedule,
    BlockMergeSchedule,
    BlockRankSchedule,
    BlockRowsSchedule,
    BlockScanSchedule,
    BlockScatterSchedule,
    BlockSortSchedule,
    BlocksSchedule,
    BlockTileSchedule,
    BlockTransposeSchedule,
    BlockUpdateSchedule,
    BlockVectorSchedule,
    BlockWindowSchedule,
    BoxGemmSchedule,
    FlashSchedule,
    ImplicitGemmSchedule,
    PersistentTileSchedule,
)
from devproc.dialects.sched.contraction import (
    CONTRACTION_SCHEDULES,
    BlockFloatSchedule,
    InnerProductSchedule,
    RegisterTileSchedule,
    StrassenSchedule,
    WeightOnlySchedule,
    WidenedPanelsSchedule,
)
from devproc.dialects.sched.fields import Value
from devproc.dialects.sched.ops import NestOp, ScheduledOp, Variant, VariantsOp
from devproc.dialects.sched.pointwise import (
    POINTWISE_SCHEDULES,
    ChannelsSchedule,
    ElementsSchedule,
    PaddingSchedule,
    RowPartsSchedule,
    VectorsSchedule,
)
from devproc.dialects.sched.prefetch import PrefetchOp, PrefetchResultsOp
from devproc.dialects.sched.reduction import (
    REDUCTION_SCHEDULES,
    AttentionSchedule,
    CachedAttentionSchedule,
    GroupedRowsSchedule,
    ResampleSchedule,
    RowsSchedule,
)
from devproc.dialects.sched.row_pass import PassOp
from devproc.dialects.sched.sequential import (
    SEQUENTIAL_SCHEDULES,
    NmsSchedule,
    ScanSchedule,
    ScatterSchedule,
    SortSchedule,
)
from devproc.dialects.sched.sums import FinishOp, JoinOp, StartOp, TermOp, TwoSumOp
from devproc.dialects.sched.tile import TileOp
from devproc.dialects.sched.window import (
    WINDOW_SCHEDULES,
    BottleneckSchedule,
    PixelTileSchedule,
    WinogradLineSchedule,
    WinogradSchedule,
)

SCHEDULES: dict[str, type[Schedule]] = {
    class_.name.partition(".")[2]: class_
    for class_ in (
        *CONTRACTION_SCHEDULES,
        *WINDOW_SCHEDULES,
        *POINTWISE_SCHEDULES,
        *REDUCTION_SCHEDULES,
        *SEQUENTIAL_SCHEDULES,
        *BLOCK_SCHEDULES,
    )
}
"""Algorithm name -> the class of its schedules."""

SCHED = Dialect(
    "sched",
    [
        *(FinishOp, JoinOp, NestOp, PassOp, PrefetchOp, PrefetchResultsOp, StartOp),
        *(TermOp, TileOp, TwoSumOp, VariantsOp),
    ],
    [*SCHEDULES.values(), Variant],
)

__all__ = [
    "SCHED",
    "SCHEDULES",
    "AttentionSchedule",
    "BlockAtomicsSchedule",
    "BlockColumnsSchedule",
    "BlockFloatSchedule",
    "BlockMergeSchedule",
    "BlockRankSchedule",
    "BlockRowsSchedule",
    "BlockScanSchedule",
    "BlockScatterSchedule",
    "BlockSortSchedule",
    "BlockTileSchedule",
    "BlockTransposeSchedule",
    "BlockUpdateSchedule",
    "BlockVectorSchedule",
    "BlockWindowSchedule",
    "BlocksSchedule",
    "BottleneckSchedule",
    "BoxGemmSchedule",
    "CachedAttentionSchedule",
    "ChannelsSchedule",
    "ElementsSchedule",
    "FinishOp",
    "FlashSchedule",
    "GroupedRowsSchedule",
    "ImplicitGemmSchedule",
    "InnerProductSchedule",
    "JoinOp",
    "NestOp",
    "NmsSchedule",
    "PaddingSchedule",
    "PassOp",
    "PersistentTileSchedule",
    "PixelTileSchedule",
    "PrefetchOp",
    "PrefetchResultsOp",
    "Record",
    "RegisterTileSchedule",
    "ResampleSchedule",
    "RowPartsSchedule",
    "RowsSchedule",
    "ScanSchedule",
    "ScatterSchedule",
    "Schedule",
    "ScheduledOp",
    "SortSchedule",
    "StartOp",
    "StrassenSchedule",
    "TermOp",
    "TileOp",
    "TwoSumOp",
    "Value",
    "Variant",
    "VariantsOp",
    "VectorsSchedule",
    "WeightOnlySchedule",
    "WidenedPanelsSchedule",
    "WinogradLineSchedule",
    "WinogradSchedule",
    "record_definition",
]
