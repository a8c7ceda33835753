"""Where each dialect, pass and target lives: name -> `module:attribute`, loaded lazily."""

from __future__ import annotations

from importlib import import_module
from typing import Any

DIALECTS: dict[str, str] = {
    "bounds": "devproc.dialects.bounds:BOUNDS",
    "dev": "devproc.dialects.dev:DEV",
    "linalg_ext": "devproc.dialects.linalg_ext:LINALG_EXT",
    "llvm_ext": "devproc.dialects.llvm_ext:LLVM_EXT",
    "nn": "devproc.dialects.nn:NN",
    "pipe": "devproc.dialects.pipe:PIPE",
    "plan": "devproc.dialects.plan:PLAN",
    "sched": "devproc.dialects.sched:SCHED",
    "simd": "devproc.dialects.simd:SIMD",
    "triton": "devproc.dialects.triton:TRITON",
}

_TRANSFORMS = "devproc.transforms"

PASSES: dict[str, str] = {
    "inline-models": f"{_TRANSFORMS}.tensor.inline_models:InlineModelsPass",
    "lower-value-checks": (
        f"{_TRANSFORMS}.tensor.lower_value_checks:LowerValueChecksPass"
    ),
    "lower-pipe": f"{_TRANSFORMS}.tensor.lower_pipe:LowerPipePass",
    "raise-attention": f"{_TRANSFORMS}.tensor.raise_attention:RaiseAttentionPass",
    "fold-batch-norm": f"{_TRANSFORMS}.tensor.fold_batch_norm:FoldBatchNormPass",
    "decompose-nn": f"{_TRANSFORMS}.tensor.decompose_nn:DecomposeNnPass",
    "bubble-up-slices": f"{_TRANSFORMS}.tensor.bubble_up_slices:BubbleUpSlicesPass",
    "convert-to-nhwc": f"{_TRANSFORMS}.tensor.convert_to_nhwc:ConvertToNhwcPass",
    "hoist-constants": f"{_TRANSFORMS}.tensor.hoist_constants:HoistConstantsPass",
    "split-batch": f"{_TRANSFORMS}.placed.split_batch:SplitBatchPass",
    "place-ops": f"{_TRANSFORMS}.placed.place_ops:PlaceOpsPass",
    "form-islands": f"{_TRANSFORMS}.placed.form_islands:FormIslandsPass",
    "name-constants": f"{_TRANSFORMS}.placed.name_constants:NameConstantsPass",
    "insert-copies": f"{_TRANSFORMS}.placed.insert_copies:InsertCopiesPass",
    "drop-copies": f"{_TRANSFORMS}.placed.drop_copies:DropCopiesPass",
    "place-weights": f"{_TRANSFORMS}.placed.place_weights:PlaceWeightsPass",
    "insert-syncs": f"{_TRANSFORMS}.placed.insert_syncs:InsertSyncsPass",
    "drop-syncs": f"{_TRANSFORMS}.placed.drop_syncs:DropSyncsPass",
    "wrap-in-regions": f"{_TRANSFORMS}.placed.wrap_in_regions:WrapInRegionsPass",
    "merge-regions": f"{_TRANSFORMS}.placed.merge_regions:MergeRegionsPass",
    "sink-constants": f"{_TRANSFORMS}.placed.sink_constants:SinkConstantsPass",
    "outline-host-regions": (
        f"{_TRANSFORMS}.kernels.outline_host_regions:OutlineHostRegionsPass"
    ),
    "convert-nn-to-linalg": (
        f"{_TRANSFORMS}.kernels.convert_nn_to_linalg:ConvertNnToLinalgPass"
    ),
    "fuse-pointwise": f"{_TRANSFORMS}.kernels.fuse_pointwise:FusePointwisePass",
    "outline-kernels": f"{_TRANSFORMS}.kernels.outline_kernels:OutlineKernelsPass",
    "pack-weights": f"{_TRANSFORMS}.kernels.pack_weights:PackWeightsPass",
    "pad-rows": f"{_TRANSFORMS}.kernels.pad_rows:PadRowsPass",
    "merge-kernels": f"{_TRANSFORMS}.kernels.merge_kernels:MergeKernelsPass",
    "outline-loops": f"{_TRANSFORMS}.kernels.outline_loops:OutlineLoopsPass",
    "bufferize": f"{_TRANSFORMS}.buffers.bufferize:BufferizePass",
    "plan-memory": f"{_TRANSFORMS}.buffers.plan_memory:PlanMemoryPass",
    "split-choices": f"{_TRANSFORMS}.schedules.split_choices:SplitChoicesPass",
    "choose-schedules": f"{_TRANSFORMS}.schedules.choose_schedules:ChooseSchedulesPass",
    "prune-variants": f"{_TRANSFORMS}.schedules.prune_variants:PruneVariantsPass",
    "tile-nests": f"{_TRANSFORMS}.cpu.tile_nests:TileNestsPass",
    "open-tiles": f"{_TRANSFORMS}.cpu.open_tiles:OpenTilesPass",
    "split-long-sums": f"{_TRANSFORMS}.cpu.split_long_sums:SplitLongSumsPass",
    "interleave-sums": f"{_TRANSFORMS}.cpu.interleave_sums:InterleaveSumsPass",
    "sink-prefetches": f"{_TRANSFORMS}.cpu.sink_prefetches:SinkPrefetchesPass",
    "unroll-tiles": f"{_TRANSFORMS}.cpu.unroll_tiles:UnrollTilesPass",
    "expand-schedules": f"{_TRANSFORMS}.cpu.expand_schedules:ExpandSchedulesPass",
    "expand-math": f"{_TRANSFORMS}.cpu.expand_math:ExpandMathPass",
    "insert-bounds-checks": (
        f"{_TRANSFORMS}.cpu.insert_bounds_checks:InsertBoundsChecksPass"
    ),
    "convert-linalg-to-triton": (
        f"{_TRANSFORMS}.gpu.convert_linalg_to_triton:ConvertLinalgToTritonPass"
    ),
    "outline-segments": f"{_TRANSFORMS}.host.outline_segments:OutlineSegmentsPass",
    "convert-to-llvm": f"{_TRANSFORMS}.llvm.convert_to_llvm:ConvertToLlvmPass",
}

TARGETS: dict[str, str] = {
    "llvm-ir": "devproc.targets.cpu.llvm_ir:LLVMIRTarget",
    "triton-source": "devproc.targets.triton.printer:TritonTarget",
}


def load(path: str) -> Any:
    """The object behind a `module:attribute` path of this registry."""
    module, attribute = path.split(":")
    return getattr(import_module(module), attribute)
