"""The whole compiler on one page: its stages, in order, as data.

The driver loops over `STAGES`; the README, the docs, `devproc-opt --list-stages` and the
notebooks print it. Every target takes the same road: a pass that finds no work for its
device changes nothing. Options travel on the module (`devproc.target`), so the text of
any stage is enough to go on from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
    normal_forms: bool = False
    """Whether each kernel is in its normal form then; see `ir/verification`."""
    legal_in_kernels: Mapping[str, frozenset[str]] = field(
        default_factory=dict[str, frozenset[str]], hash=False
    )
    """Device -> what may remain in its kernels, where that is not `legal_after`."""

    @property
    def legal_anywhere(self) -> frozenset[str]:
        """What may remain in any part of the module."""
        return self.legal_after.union(*self.legal_in_kernels.values())


TENSORS = frozenset({"func", "nn", "dev.host_call"})
KERNELS = frozenset({"func", "linalg", "linalg_ext", "arith", "math", "dev", "plan"})
BUFFERS = KERNELS | {"memref", "scf"}
SCHEDULES = BUFFERS | {"sched"}
LOOPS = BUFFERS - {"linalg", "linalg_ext"} | {"vector", "simd", "bounds"}
BLOCKS = frozenset({"triton", "scf", "arith", "math"})

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
        (
            "split-batch",
            "place-ops",
            "form-islands",
            "name-constants",
            "insert-copies",
            "drop-copies",
            "place-weights",
            "insert-syncs",
            "drop-syncs",
            "wrap-in-regions",
            "merge-regions",
            "sink-constants",
        ),
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
        BUFFERS,
        normal_forms=True,
    ),
    Stage(
        "schedules",
        "how each kernel is computed: an algorithm, its numbers, and why",
        ("split-choices", "mark-scratch", "choose-schedules", "prune-variants"),
        BUFFERS,
        by_kernel=True,
        legal_in_kernels={"cpu": SCHEDULES, "cuda": SCHEDULES},
    ),
    Stage(
        "cpu",
        "CPU kernels as loops and vectors, as their schedules say",
        (
            "tile-nests",
            "open-tiles",
            "split-long-sums",
            "interleave-sums",
            "sink-prefetches",
            "unroll-tiles",
            "expand-schedules",
            "expand-math",
            "insert-bounds-checks",
        ),
        LOOPS,
        by_kernel=True,
        legal_in_kernels={"cuda": SCHEDULES},
    ),
    Stage(
        "gpu",
        "GPU kernels as block programs in our dialect of Triton, as their schedules say",
        ("convert-linalg-to-triton",),
        LOOPS,
        "cuda",
        legal_in_kernels={"cuda": BLOCKS},
    ),
    Stage(
        "host",
        "the host program: native segments, launches, copies and syncs in order",
        ("outline-segments",),
        LOOPS,
        legal_in_kernels={"cuda": BLOCKS},
    ),
    Stage(
        "llvm",
        "CPU code in the llvm dialect, one entry for each native segment",
        ("convert-to-llvm",),
        # A table that only kernels read stays beside them, as it is.
        frozenset({"func", "scf", "arith", "dev", "plan", "memref.global"}),
        by_kernel=True,
        legal_in_kernels={"cpu": frozenset({"llvm", "llvm_ext"}), "cuda": BLOCKS},
    ),
)
