"""Schedules that are shipped: the modelled choice for kernels of the benchmark models.

They stand in `shipped.json`, by a hash of the kernel's text without its schedules, the
precision and the architecture, so that they outlive a version of DevProc; a kernel whose
text has changed is not found. `benchmarks/gpu_tuned.py` writes them. Nothing in them is
measured: on a machine with a GPU its times are taken instead (`tuner.py`).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlocksSchedule, NestOp, Variant
from devproc.dialects.sched.parsing import parse_schedule
from devproc.driver import module_text
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.ir.source_digest import content_key
from devproc.targets.triton.dialect.options import gpu_options
from devproc.tuning import is_legal

FILE = Path(__file__).with_name("shipped.json")

UNPLANNED = BlocksSchedule(size=1, warps=1)
"""In the place of each nest's schedule, which is no part of what a kernel computes."""

KEY_LENGTH = 16

Entries = dict[str, tuple[str, float]]
"""The key of a nest -> its best schedule, and its modelled microseconds."""


@cache
def entries() -> Entries:
    """What is shipped."""
    found: dict[str, tuple[str, float]] = json.loads(FILE.read_text())
    return found


def shipped_choice(kernel: FuncOp, nest: NestOp, target: TargetAttr) -> Variant | None:
    """The shipped schedule of a nest, if there is one that is legal still."""
    found, mark = entries().get(key_of(kernel, nest, target)), kernel_mark(kernel)
    if found is None or mark is None:
        return None
    text, time = found
    schedule = parse_schedule(text)
    if not is_legal(schedule, nest, mark, target):
        return None
    return Variant(schedule=schedule, time=time, by="modelled")


def key_of(kernel: FuncOp, nest: NestOp, target: TargetAttr) -> str:
    """A hash of what a nest of a kernel computes, how exactly, and on which GPU."""
    bare = kernel.clone()
    bare.sym_name = StringAttr("kernel")
    forget_names(bare)
    for op in bare.walk():
        if isinstance(op, NestOp):
            op.properties["schedule"] = UNPLANNED
            op.properties["why"] = StringAttr("")
    text = module_text(ModuleOp([bare]), False)
    arch = gpu_options(target).arch.data
    parts = (text, nest.nest_name or "", arch, target.precision.data)
    return content_key(parts)[:KEY_LENGTH]


def forget_names(kernel: FuncOp) -> None:
    """Lets a kernel's values be numbered: their names are those of a model's values."""
    for op in kernel.walk():
        values = [
            *op.results,
            *(a for r in op.regions for b in r.blocks for a in b.args),
        ]
        for value in values:
            value.name_hint = None
