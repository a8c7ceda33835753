"""The dialects, passes and targets: name -> `module:attribute`, loaded lazily."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from devproc.stages import STAGES

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

UPSTREAM_PASSES = frozenset({"canonicalize", "cse", "dce"})
"""xDSL's own passes among those of the stages."""


def _pass_path(stage: str, name: str) -> str:
    """`tensor`, `fold-batch-norm` -> `...tensor.fold_batch_norm:FoldBatchNormPass`."""
    file, class_ = name.replace("-", "_"), name.title().replace("-", "")
    return f"devproc.transforms.{stage}.{file}:{class_}Pass"


PASSES: dict[str, str] = {
    name: _pass_path(stage.name, name)
    for stage in STAGES
    for name in stage.passes
    if name not in UPSTREAM_PASSES
}
"""The passes of `STAGES`; each is in the folder of its stage, in a file of its name."""

TARGETS: dict[str, str] = {
    "llvm-ir": "devproc.targets.cpu.llvm_ir:LLVMIRTarget",
    "triton-source": "devproc.targets.triton.printer:TritonTarget",
}


def load(path: str) -> Any:
    """The object that a `module:attribute` path of this registry refers to."""
    module, attribute = path.split(":")
    return getattr(import_module(module), attribute)
