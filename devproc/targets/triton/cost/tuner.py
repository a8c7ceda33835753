"""The GPU's tuner: ranks schedules where `tune` asks for it, and describes kernels."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.rewriter import Rewriter

from devproc.backend import Tuned, Tuner
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp, Variant, VariantsOp
from devproc.targets.triton.cost.kernel_page import kernel_page
from devproc.targets.triton.cost.measuring import card_name
from devproc.targets.triton.cost.program_kernels import kernel_nests
from devproc.targets.triton.cost.ranking import ranked_nests
from devproc.targets.triton.cost.shipped import shipped_choice
from devproc.targets.triton.dialect.options import gpu_options


class TritonTuner(Tuner):
    """Compares at most a dozen schedules of each nest; see `ranking.py`."""

    def rank(self, kernels: Sequence[FuncOp], target: TargetAttr) -> None:
        """With `tune`, on machine code; the interpreter runs what is planned."""
        options = gpu_options(target)
        if not options.tune.data or options.interpret.data:
            return
        if not card_name():
            take_shipped(kernels, target)
        for ranked, scores in ranked_nests(kernels, target):
            timed = [
                Variant(schedule=schedule, time=score.microseconds, by=score.by)
                for schedule, score in zip(ranked.schedules, scores, strict=True)
                if score.microseconds is not None
            ]
            if timed:
                replace_nest(ranked.nest, timed)

    def tune(self, kernels: Sequence[FuncOp], target: TargetAttr) -> Sequence[Tuned]:
        """On the GPU where there is one, else by the model; nests that can run."""
        found: list[Tuned] = []
        for ranked, scores in ranked_nests(kernels, target):
            runnable = [
                (s.microseconds, s) for s in scores if s.microseconds is not None
            ]
            if not runnable:
                continue
            # A measured time says more than any modelled one.
            time, best = min(runnable, key=lambda pair: (pair[1].by, pair[0]))
            name, nest = ranked.kernel.sym_name.data, ranked.nest.nest_name or ""
            planned, count = scores[0], len(scores)
            found.append(
                Tuned(
                    *(name, nest, planned.schedule, best.schedule),
                    *(planned.microseconds, time, best.by, count),
                )
            )
        return found

    def pages(self, kernels: Sequence[FuncOp], target: TargetAttr) -> Sequence[str]:
        """Source, schedule, candidates, machine code and estimated time."""
        return [kernel_page(kernel, target) for kernel in kernels]


def take_shipped(kernels: Sequence[FuncOp], target: TargetAttr) -> None:
    """Gives kernels whose nests are all known to DevProc the schedules shipped for them."""
    for kernel in kernels:
        nests = kernel_nests(kernel)
        found = [shipped_choice(kernel, nest, target) for nest in nests]
        for nest, choice in zip(nests, found, strict=True):
            if choice is not None and None not in found:
                replace_nest(nest, [choice])


def replace_nest(nest: NestOp, variants: Sequence[Variant]) -> None:
    """Replaces a nest by its candidates with their times; the planned one is taken."""
    schedules = [variant.schedule for variant in variants]
    taken = schedules.index(nest.schedule) if nest.schedule in schedules else 0
    body = nest.detach_region(nest.body)
    op = VariantsOp(variants, taken, nest.why.data, body, nest.nest_name)
    op.location = nest.location
    Rewriter.replace_op(nest, op)


TUNER = TritonTuner()
