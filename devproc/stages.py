"""The whole compiler on one page: its stages, in order, as data.

The driver loops over `STAGES`; the README, the docs, `devproc-opt --list-stages` and the
notebooks print it. Every target takes the same road: a pass that finds no work for its
device changes nothing. Options travel on the module (`devproc.target`), so the text of
any stage is enough to go on from there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """One level of the compiler: the passes that lead to it and what may remain."""

    name: str
    why: str
    passes: tuple[str, ...]
    legal_after: frozenset[str]
    device: str | None = None
    """The device it is for: for a target without it, its passes find no work."""
    by_kernel: bool = False
    """Whether its passes look at one kernel of the CPU at a time: a compilation lets LLVM
    work on one while it lowers the next."""


TENSORS = frozenset({"func", "nn", "dev.host_call"})
KERNELS = frozenset({"func", "linalg", "arith", "math", "dev", "plan"})
LOOPS = frozenset(
    {"func", "scf", "vector", "simd", "memref", "arith", "math", "dev", "plan"}
    | {"bounds"}
)

STAGES: tuple[Stage, ...] = (
    Stage(
        "program",
        "what the user wrote: steps that name their reference, and the exported model",
        (),
        TENSORS | {"pipe"},
    ),
    Stage(
        "tensor",
        "one SSA graph of pre-processing, model and post-processing, simplified",
        (
            "inline-models",
            "lower-value-checks",
            "lower-pipe",
            "raise-attention",
            "fold-batch-norm",
            "decompose-nn",
            "bubble-up-slices",
            "convert-to-nhwc",
            "canonicalize",
            "cse",
            "dce",
            "hoist-constants",
        ),
        TENSORS,
    ),
    Stage(
        "placed",
        "each op on a device with a reason; copies and syncs explicit",
        ("split-batch", "place-ops", "partition-by-device"),
        TENSORS | {"dev"},
    ),
    Stage(
        "kernels",
        "structured loops on tensors; fusion decides what is one kernel",
        (
            "outline-host-regions",
            "convert-nn-to-linalg",
            "fuse-pointwise",
            "outline-kernels",
            "pack-weights",
            "pad-rows",
            "merge-kernels",
            "outline-loops",
        ),
        KERNELS | {"tensor", "nn"},
    ),
    Stage(
        "buffers",
        "the memory plan: one arena per device, every buffer's place and life",
        ("bufferize", "plan-memory"),
        KERNELS | {"memref", "scf"},
    ),
    Stage(
        "cpu",
        "CPU kernels as loops and vectors, by the schedule of their family",
        (
            "schedule-attention",
            "schedule-bottleneck",
            "schedule-contraction",
            "schedule-window",
            "split-choices",
            "schedule-resample",
            "schedule-reduction",
            "schedule-pointwise",
            "lower-nms",
            "lower-scan",
            "lower-scatter",
            "lower-sort",
            "lower-linalg-to-loops",
            "expand-math",
            "insert-bounds-checks",
        ),
        LOOPS | {"linalg"},
        by_kernel=True,
    ),
    Stage(
        "gpu",
        "GPU kernels as block programs in our dialect of the Triton language",
        ("convert-linalg-to-triton",),
        LOOPS | {"triton"},
        "cuda",
    ),
    Stage(
        "host",
        "the host program: native segments, launches, copies and syncs in order",
        ("outline-segments",),
        LOOPS | {"triton"},
    ),
    Stage(
        "llvm",
        "CPU code in the llvm dialect, one entry for each native segment",
        ("convert-to-llvm",),
        frozenset({"func", "llvm", "triton", "scf", "arith", "math", "dev", "plan"}),
        by_kernel=True,
    ),
)
