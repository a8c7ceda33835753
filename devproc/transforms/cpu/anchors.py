"""The anchors of a kernel, with their fills and epilogues: by algorithm, or as vectors.

What contractions and windows share until each nest has its schedule in the IR.
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps, Refusal
from devproc.algorithms.vectors.expand import expand as expand_vectors
from devproc.algorithms.vectors.match import reductions
from devproc.algorithms.vectors.plan import schedule_of as plan_vectors
from devproc.dialects.dev import LayoutAttr, TargetAttr
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import structured_ops

ALGORITHMS = (
    *("winograd", "winograd_line", "strassen", "inner_product", "block_float"),
    *("register_tile", "pixel_tile"),
)
"""In the order in which they are asked."""


def schedule_kernel(function: FuncOp, target: TargetAttr, family: str) -> None:
    """Schedule the anchors of a kernel, with their fills and epilogues."""
    emitter = Emitter(function.body.block)
    for name in ALGORITHMS:
        taker = algorithm(name)
        for nest in list(taker.match(KernelOps(structured_ops(function), family))):
            decision = taker.plan(nest, family, target)
            if isinstance(decision, Choice):
                taker.expand(nest, decision.schedule, emitter, target)
                emitter.replace(nest.ops)
            elif name not in ("register_tile", "pixel_tile"):
                raise _unreadable(name, decision)
    for nest in list(reductions(KernelOps(structured_ops(function), family))):
        emitter.location = nest.nest.anchor.location
        expand_vectors(nest, plan_vectors(nest, target), emitter, target)
        emitter.replace(nest.ops)


def _unreadable(name: str, refusal: Refusal) -> PassFailedException:
    """The error where an algorithm refuses a nest whose weight no other reads."""
    hint = f"give the weight a layout #{LayoutAttr.name}"
    return PassFailedException(f"'{name}' does not take it: {refusal.why}; {hint}")
