"""Hashes of generated code: whether a change of the compiler changes what it makes.

    python -m tests.generated_code --write before.json      # in one tree
    python -m tests.generated_code --compare before.json    # in the other

Programs are those of `tests/golden`, those of `tests/kernel_programs.py`, the models of
`tests/zoo`, and the same in real widths. Each is lowered as a compilation does, kernel by
kernel; LLVM does not run, and no weight is packed. A name says the program, its target,
its threads and its precision: `zoo/bert@avx2-2-default`. Targets are made up, so that the
machine plays no part. `--all` takes every target for every program, not one of them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import runpy
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

import torch
from xdsl.dialects.builtin import ModuleOp, UnknownLoc

from devproc.dialects.dev import TargetAttr
from devproc.driver import (
    StageRun,
    parse_module,
    stages_between,
)
from devproc.ir.program.kernel_modules import algorithm_of, host_kernels, kernel_mark
from devproc.options import set_options
from devproc.source import read_source
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.straight_code import StraightKernels
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.printer import print_kernel
from tests.kernel_programs import ALGORITHMS, PROGRAMS, Program
from tests.repository import ROOT
from tests.targets import target_attr
from tests.zoo.build import Factory
from tests.zoo.models import MODELS

Hashes: TypeAlias = dict[str, dict[str, str]]
"""Name -> (kernel -> the hash of its text, its family, its algorithm)."""

TARGETS: dict[str, Callable[[int, str], TargetAttr]] = {
    "avx512": lambda threads, precision: target_attr(
        cpu="x86-64-v4", threads=threads, precision=precision
    ),
    "adders": lambda threads, precision: target_attr(
        cpu="x86-64-v4", separate_adders=True, prefetch_level=2,
        extensions=("avx512bf16",), threads=threads, precision=precision,
    ),
    "avx2": lambda threads, precision: target_attr(
        cpu="x86-64-v3", threads=threads, precision=precision
    ),
    "neon": lambda threads, precision: target_attr(
        cpu="aarch64", threads=threads, precision=precision
    ),
    "cuda": lambda threads, precision: target_attr(
        "cuda", cpu="x86-64-v3", threads=threads, precision=precision
    ),
}  # fmt: skip
"""`adders`: AVX-512 that adds beside its multiply-adds, fetches to the second cache, and
multiplies pairs of bf16."""

CPUS = ("avx512", "adders", "avx2", "neon")
GOLDEN = ("LINEAR_RELU", "CONV_POOL", "SOFTMAX_ARGMAX", "IMAGE", "ATTENTION")
ON_THE_GPU = ("vit", "resnet", "bert", "llama", "mamba", "detr", "unet")
"""Models that have a GPU's code without `--all`."""

NOT_ON_THE_GPU = ("median_of_many",)
"""Its sort of long rows takes minutes to write out."""

IN_TESTS = (
    "golden/conv_pool@avx512-2-default",
    "kernels/linear@avx2-2-default",
    "kernels/strassen@avx512-2-fast",
    "kernels/inner_product@adders-1-default",
    "kernels/linear_bfloat16@adders-2-default",
    "kernels/block_float@avx512-1-default",
    "kernels/winograd@neon-1-default",
    "kernels/winograd_line@avx512-2-default",
    "kernels/inverted_bottleneck@avx2-1-default",
    "kernels/depthwise@avx512-1-default",
    "kernels/max_pool@avx2-2-default",
    "kernels/attention_causal@avx2-1-default",
    "kernels/softmax@neon-2-default",
    "kernels/sum_columns@avx512-2-default",
    "kernels/transpose@avx2-1-default",
    "kernels/pad@neon-1-default",
    "kernels/sort@avx512-1-default",
    "kernels/sort_radix@avx2-1-default",
    "kernels/top@neon-1-default",
    "kernels/scan@avx2-2-default",
    "kernels/scatter_add@avx512-2-default",
    "kernels/detection@avx2-1-default",
    "kernels/photograph_bilinear@avx512-1-default",
    "kernels/grid_sample@neon-1-default",
    "kernels/linear@cuda-1-default",
    "kernels/attention_causal@cuda-1-default",
    "kernels/softmax@cuda-1-default",
)
"""What `tests/golden/generated_code.json` holds."""

COMMON = ("bottleneck", "register_tile", None)
"""Algorithms that go without saying."""


@dataclass
class Recorded:
    """Takes what would be compiled: the text of each kernel, and of the rest."""

    texts: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, module: ModuleOp, exported: Collection[str], passes: bool) -> None:
        """The same as that of `ObjectCode`, for which it stands."""
        name = next(iter(exported), "segments")
        text = f"; passes: {passes}\n{print_module(module, exported)}"
        self.texts[name] = text


def kinds_of(module: ModuleOp) -> dict[str, str]:
    """The CPU kernels of a module by name, and what they are."""
    found: dict[str, str] = {}
    for kernel in host_kernels(module):
        mark = kernel_mark(kernel)
        assert mark is not None
        owner = algorithm_of(kernel)
        kind = mark.family.data if owner in COMMON else f"{mark.family.data} {owner}"
        found[kernel.sym_name.data] = kind
    return found


@dataclass(frozen=True)
class Code:
    """What a compilation makes: texts and kinds of kernels, by name."""

    texts: Mapping[str, str]
    kinds: Mapping[str, str]

    def hashes(self) -> dict[str, str]:
        """Of each text, with the kind of the kernel; "program" is that of all."""
        found = {"program": digest("".join(f"{k}\n{t}" for k, t in self.texts.items()))}
        for name, text in self.texts.items():
            found[name] = f"{digest(text)} {self.kinds.get(name, '')}".rstrip()
        return found


def generated(module: ModuleOp) -> Code:
    """The code of `module`, which has its options at its first stage, and is used up."""
    straight, recorded = StraightKernels(), Recorded()
    run = StageRun(module, unverified=["llvm"], before=straight.before)
    run.run(stages_between(None, "buffers"))
    kinds = kinds_of(module)
    run.run(stages_between("buffers", None))
    on_the_gpu = [op for op in module.ops if isinstance(op, triton.FuncOp)]
    sources = {op.sym_name.data: print_kernel(op) for op in on_the_gpu}
    for kernel in run.kernels():
        recorded.add(kernel.module, {kernel.name}, kernel.name not in straight.names)
    recorded.add(module, (), True)
    return Code(recorded.texts | sources, kinds | dict.fromkeys(sources, "triton"))


def forget_locations(module: ModuleOp) -> ModuleOp:
    """The same program wherever it was written."""
    for op in module.walk():
        op.location = UnknownLoc()
    return module


def from_text(name: str) -> ModuleOp:
    """One of the golden programs."""
    from tests.e2e import test_golden

    return parse_module(f"module {{{getattr(test_golden, name)}}}")


def from_source(make: Callable[[], Program]) -> ModuleOp:
    """A program of `tests/kernel_programs.py`."""
    return read_source(make()).module


def from_model(make: Factory) -> ModuleOp:
    """A model with the weights of a seed."""
    torch.manual_seed(0)
    with torch.no_grad():
        module, inputs = make()
        # As in test_zoo.py: some resolve a kernel at their first call.
        module(*inputs)
        return read_source(torch.export.export(module.eval(), inputs)).module


@cache
def programs() -> dict[str, Callable[[], ModuleOp]]:
    """Every program at its first stage, by name."""
    wide = runpy.run_path(str(ROOT / "benchmarks" / "zoo_models.py"))["MODELS"]
    found: dict[str, Callable[[], ModuleOp]] = {}
    for name in GOLDEN:
        found[f"golden/{name.lower()}"] = lambda name=name: from_text(name)
    for name, make in PROGRAMS.items():
        found[f"kernels/{name}"] = lambda make=make: from_source(make)
    for folder, models in {"zoo": MODELS, "wide": wide}.items():
        for name, factory in models.items():
            found[f"{folder}/{name}"] = lambda make=factory: from_model(make)
    return found


def variants(program: str, everything: bool = False) -> list[str]:
    """The targets, threads and precisions of a program.

    Without `everything` a model has one of them, a small program one for each processor;
    its name says which.
    """
    folder, name = program.split("/")
    is_small = folder in ("golden", "kernels")
    every = [f"{cpu}-{threads}-default" for cpu in CPUS for threads in (1, 2)]
    number = int(digest(program), 16)
    chosen = every if everything else [every[number % len(every)]]
    if is_small and not everything:
        chosen = [every[2 * i + (number >> i) % 2] for i in range(len(CPUS))]
    chosen = [*chosen]
    if is_small and name in ALGORITHMS:
        others = ("strict", "fast")
        chosen += [v.replace("default", other) for v in chosen for other in others]
    if folder == "wide" and everything:
        chosen += ["adders-2-strict", "adders-2-fast", "avx512-2-fast"]
    if name in NOT_ON_THE_GPU:
        return chosen
    if everything or is_small or (folder == "zoo" and name in ON_THE_GPU):
        chosen.append("cuda-1-default")
    if folder == "golden":
        chosen.append("cuda-1-strict")
    return chosen


def code_of(program: str, chosen: Iterable[str]) -> dict[str, Code]:
    """The code of some variants of a program, by name."""
    module = forget_locations(programs()[program]())
    found: dict[str, Code] = {}
    for variant in chosen:
        name = f"{program}@{variant}"
        target, threads, precision = variant.split("-")
        fresh = module.clone()
        set_options(fresh, TARGETS[target](int(threads), precision), {})
        try:
            found[name] = generated(fresh)
        # One that fails must not hide what became of the others.
        except Exception as error:
            found[name] = Code({"refused": type(error).__name__}, {})
            print(f"{name}: {error}", file=sys.stderr)
    return found


def hashes_of(program: str, chosen: Iterable[str]) -> Hashes:
    """The same as hashes."""
    torch.set_num_threads(1)
    return {name: code.hashes() for name, code in code_of(program, chosen).items()}


def digest(text: str) -> str:
    """Enough of a SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def all_hashes(names: Iterable[str], jobs: int = 1) -> Hashes:
    """Those of names such as `zoo/bert@avx2-2-default`; a program is read once."""
    chosen: dict[str, list[str]] = {}
    for name in names:
        program, _, variant = name.partition("@")
        chosen.setdefault(program, []).append(variant)
    found: Hashes = {}
    if jobs == 1:
        for program, wanted in chosen.items():
            found |= hashes_of(program, wanted)
        return found
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for part in pool.map(hashes_of, chosen, chosen.values()):
            found |= part
    return found


def as_json(hashes: Hashes) -> str:
    """A file that one can read the differences of."""
    return json.dumps(hashes, indent=1) + "\n"


def differences(before: Hashes, after: Hashes) -> list[str]:
    """A line for each program, and below for each kernel, that differs."""
    lines: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, {}), after.get(name, {})
        changed = [k for k in old | new if digest_in(old, k) != digest_in(new, k)]
        if changed:
            lines.append(f"{name}: {change('program', old, new)}")
            changed.remove("program")
            lines += [f"    {kernel}: {change(kernel, old, new)}" for kernel in changed]
    return lines


def digest_in(hashes: Mapping[str, str], kernel: str) -> str:
    """The hash alone."""
    return hashes.get(kernel, "").partition(" ")[0]


def change(kernel: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """What became of a kernel, and its kind."""
    word = "changed" if kernel in old and kernel in new else "new"
    word = word if kernel in new else "gone"
    return f"{word} {(new.get(kernel) or old[kernel]).partition(' ')[2]}".rstrip()


def write_texts(names: Iterable[str], folder: Path) -> None:
    """A file for each kernel of some programs, in a folder for each."""
    for name in names:
        program, _, variant = name.partition("@")
        for code in code_of(program, [variant]).values():
            place = folder / name.replace("/", "_")
            place.mkdir(parents=True, exist_ok=True)
            for kernel, text in code.texts.items():
                suffix = "py" if code.kinds.get(kernel) == "triton" else "ll"
                (place / f"{kernel}.{suffix}").write_text(text)
            print(place)


def main() -> int:
    """Command line; the exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--all", action="store_true", help="every target of each program"
    )
    parser.add_argument("--only", default="", help="a regular expression on names")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, help="a file for the hashes")
    parser.add_argument(
        "--compare", type=Path, help="a file with hashes, and its names"
    )
    parser.add_argument("--show", type=Path, help="a folder for the texts")
    given = parser.parse_args()
    before: Hashes = json.loads(given.compare.read_text()) if given.compare else {}
    names = [f"{p}@{v}" for p in programs() for v in variants(p, given.all)]
    if given.compare:
        names = [name for name in before if name.partition("@")[0] in programs()]
    names = [name for name in names if re.search(given.only, name)]
    before = {name: h for name, h in before.items() if re.search(given.only, name)}
    if given.show:
        write_texts(names, given.show)
        return 0
    after = all_hashes(names, given.jobs)
    print(f"{len(after)} programs, {sum(len(h) - 1 for h in after.values())} kernels")
    if given.write:
        given.write.write_text(as_json(after))
    lines = differences(before, after) if given.compare else []
    print(*lines, sep="\n", end="\n" if lines else "")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
