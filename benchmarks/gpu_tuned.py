"""Writes the schedules that DevProc ships for kernels of the benchmark models.

    python benchmarks/gpu_tuned.py [resnet50@32 gemm_4096 ...] [--dtypes bfloat16]
        [--archs sm_90] [--prune]

Compares the candidates of each kernel that `shipped.json` lacks by the model of a GPU
(`devproc/targets/triton/cost/ranking.py`) and adds the best; a run that is cut goes on where
it stopped. Without names, all models are taken. `--prune` drops what none of those that are
taken has any more.
"""

from __future__ import annotations

import argparse
import json
import time

from gpu.forms import FORMS, MODELS, ONE_TOKEN, export
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import TargetAttr, target_of
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.cost.measuring import card_name
from devproc.targets.triton.cost.program_kernels import kernel_nests
from devproc.targets.triton.cost.shipped import FILE, Entries, key_of
from devproc.targets.triton.cost.tuner import TUNER
from devproc.tools.commands.common.modules import scheduled_kernels


def add(known: Entries, kernels: list[FuncOp], target: TargetAttr) -> set[str]:
    """Compares the kernels that are not known, and adds their best schedules; all keys."""
    keys: dict[tuple[str, str], str] = {}
    missing: list[FuncOp] = []
    for kernel in kernels:
        nests = kernel_nests(kernel)
        found = {n.nest_name or "": key_of(kernel, n, target) for n in nests}
        keys |= {(kernel.sym_name.data, name): key for name, key in found.items()}
        if not known.keys() >= {*found.values()}:
            missing.append(kernel)
    for tuned in TUNER.tune(missing, target):
        key = keys[tuned.kernel, tuned.nest]
        known[key] = tuned.best, tuned.best_microseconds
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
    parser.add_argument("--prune", action="store_true")
    args = parser.parse_args()
    if card_name():
        parser.error(
            "the times of this machine's GPU would be shipped as modelled ones"
        )
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
