"""Writes the schedules that DevProc ships for kernels of the benchmark models.

    python benchmarks/gpu_tuned.py [resnet50@32 gemm_4096 ...] [--dtypes bfloat16]
        [--archs sm_90] [--processes 2] [--prune]

Compares the candidates of each kernel that `shipped.json` lacks by the model of a GPU
(`devproc/targets/triton/cost/ranking.py`) and adds the best; a run that is cut goes on where
it stopped. Without names, all models are taken. `--prune` drops what none of those that are
taken has any more.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial

from gpu.forms import FORMS, MODELS, ONE_TOKEN, export
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.sched import NestOp
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.cost import ranking
from devproc.targets.triton.cost.assess import machine_codes
from devproc.targets.triton.cost.ranking import ranked_nests
from devproc.targets.triton.cost.shipped import FILE, Entries, key_of
from devproc.tools.commands.common.modules import scheduled_kernels


def nests(kernel: FuncOp) -> list[NestOp]:
    """Those of a kernel at stage `schedules`."""
    return [op for op in kernel.body.block.ops if isinstance(op, NestOp)]


def add(known: Entries, kernels: list[FuncOp], target: TargetAttr) -> set[str]:
    """Compares the kernels that are not known, and adds their best schedules; all keys."""
    keys = {id(n): key_of(k, n, target) for k in kernels for n in nests(k)}
    missing = [k for k in kernels if any(keys[id(n)] not in known for n in nests(k))]
    for ranked, scores in ranked_nests(missing, target):
        runnable = [
            (s.microseconds, s.schedule) for s in scores if s.microseconds is not None
        ]
        if runnable:
            microseconds, schedule = min(runnable, key=lambda pair: pair[0])
            known[keys[id(ranked.nest)]] = schedule, microseconds
    return set(keys.values())


def write(known: Entries) -> None:
    """A line for each nest."""
    lines = (
        f"{json.dumps(k)}: {json.dumps(entry)}" for k, entry in sorted(known.items())
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    """Compare, and write after each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--dtypes", nargs="+", default=["bfloat16"])
    parser.add_argument("--archs", nargs="+", default=["sm_90"])
    parser.add_argument("--processes", type=int)
    parser.add_argument("--prune", action="store_true")
    args = parser.parse_args()
    ranking.machine_codes = partial(machine_codes, processes=args.processes)
    known: Entries = json.loads(FILE.read_text()) if FILE.exists() else {}
    used = set[str]()
    for name in args.models or (*FORMS, *MODELS, ONE_TOKEN):
        for dtype in args.dtypes:
            for arch in args.archs:
                started, before = time.perf_counter(), len(known)
                module = read_source(export(name, dtype)).module
                set_options(module, target_options("cuda", arch=arch), None)
                kernels = list(scheduled_kernels(module)["cuda"])
                used |= add(known, kernels, target_of(module))
                write(known)
                took = time.perf_counter() - started
                new = len(known) - before
                print(f"{name} {dtype} {arch}: {new} new ({took:.0f} s)", flush=True)
    if args.prune:
        write({key: entry for key, entry in known.items() if key in used})


if __name__ == "__main__":
    main()
