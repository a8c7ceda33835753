"""The whole compiler on one page: its stages, in order, as data.

The driver loops over `STAGES`; the docs, `devproc-opt --list-stages` and the
notebooks print it. Every target takes the same road: a pass that finds no work for its
device changes nothing. What only one device needs are stages of its backend
(`devproc/targets/<device>/backend.py`), which name the stage that they follow. Options
travel on the module (`devproc.target`), so the text of any stage is enough to go on from
there.
"""

from __future__ import annotations

from devproc.backend.stage import Stage, with_devices
from devproc.targets import device_stages

TENSORS = frozenset({"func", "nn", "dev.host_call"})
KERNELS = frozenset({"func", "linalg", "linalg_ext", "arith", "math", "dev", "plan"})
BUFFERS = KERNELS | {"memref", "scf"}
SCHEDULES = BUFFERS | {"sched"}
HOST_PROGRAM = BUFFERS - {"linalg", "linalg_ext"}

COMMON: tuple[Stage, ...] = (
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
            "raise-updates",
            "raise-attention",
            "raise-cached-attention",
            "fold-batch-norm",
            "decompose-nn",
            "bubble-up-slices",
            "convert-to-nhwc",
            "merge-products",
            "merge-sliced-ops",
            "guard-updates",
            "canonicalize",
            "simplify-attention",
            "cse",
            "dce",
            "hoist-constants",
            "quantize-weights",
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
            "place-states",
            "place-weights",
            "insert-syncs",
            "drop-syncs",
            "fuse-dequantization",
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
            "outline-regions",
            "convert-nn-to-linalg",
            "fuse-pointwise",
            "outline-kernels",
            "pack-weights",
            "pad-rows",
            "merge-kernels",
            "outline-loops",
            "update-in-place",
        ),
        KERNELS | {"tensor", "nn"},
    ),
    Stage(
        "buffers",
        "the memory plan: one arena per device, every buffer's place and life",
        ("bufferize", "stage-copies", "assign-streams", "plan-memory"),
        BUFFERS,
        normal_forms=True,
    ),
    Stage(
        "schedules",
        "how each kernel is computed: an algorithm, its numbers, and why",
        ("mark-scratch", "choose-schedules", "prune-variants"),
        BUFFERS,
        by_kernel=True,
        legal_in_kernels=SCHEDULES,
    ),
    Stage(
        "host",
        "the host program: native segments, launches, copies and syncs in order",
        ("outline-segments", "repeat-segments"),
        HOST_PROGRAM,
    ),
)

STAGES = with_devices(COMMON, device_stages())
"""The stages of all devices that come with DevProc."""
