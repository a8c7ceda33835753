"""The machine code of the GPU kernels of the benchmark models and of the zoo.

    python -m tests.machine_code [--only REGEX] [--all] [--processes 2]

renews `tests/triton/machine_code.json` and prints what is wrong. It holds the single
kernels of `benchmarks/gpu/forms.py` (`form/gemm_4096`) in three dtypes for two
architectures, and its models (`model/resnet50`) in two dtypes for one. With `--all` the
models have all six cases too, and so has each program of `benchmarks/zoo_models.py`
(`zoo/bert`): that takes an hour, and the file does not keep it. For each kernel the file
holds the registers, the shared bytes and the problems of `quality.py`. A kernel is known by
a digest of its source, so only new ones are compiled; no GPU is needed. Tests compare the
digests, and compile some kernels again.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial

import torch

from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.cost.assess import machine_codes
from devproc.targets.triton.cost.program_kernels import ProgramKernel, program_kernels
from devproc.targets.triton.cost.quality import problems
from devproc.targets.triton.kernel import TritonKernel
from devproc.targets.triton.machine_code import MachineCode
from tests.repository import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import zoo_models
from gpu.forms import FORMS, MODELS, Model, in_dtype
from model_variants import SHARED, build

FILE = ROOT / "tests" / "triton" / "machine_code.json"

DTYPES = ("bfloat16", "float16", "float32")
ARCHS = ("sm_80", "sm_90")
COMMON = ("bfloat16-sm_90", "float32-sm_90")
"""The cases of models."""

Figures = dict[str, str]
"""Digest of a kernel -> "registers shared_bytes problems"."""

Stored = dict[str, Figures]
"""Case -> its kernels; a case is `zoo/bert@float16-sm_80`."""


KNOWN: dict[str, str] = {
    "model/gpt2@bfloat16-sm_90: spills registers": (
        "the product with the vocabulary: two values of a tile of 32 x 256, in a kernel at"
        " 95 % of the bandwidth"
    ),
}
"""Case and problem -> why it stays; nothing else may be wrong, and what is mended has to
go."""


@cache
def programs() -> dict[str, Callable[[], Model]]:
    """Every program by name; the models of `shared` only where it is."""
    found: dict[str, Callable[[], Model]] = {}
    for name in zoo_models.MODELS:
        found[f"zoo/{name}"] = partial(zoo_models.build, name)
    for name, make in FORMS.items():
        found[f"form/{name}"] = make
    for name in MODELS if SHARED.exists() else ():
        found[f"model/{name}"] = partial(build, name)
    return found


def cases(program: str, everything: bool = False) -> list[str]:
    """The cases of a program: those that the file holds, or all six."""
    every = [f"{program}@{dtype}-{arch}" for dtype in DTYPES for arch in ARCHS]
    if everything or program.startswith("form/"):
        return every
    return [c for c in every if program.startswith("model/") and c.endswith(COMMON)]


def kernels_of(case: str) -> dict[str, ProgramKernel]:
    """The kernels of a case by digest, not compiled."""
    program, _, variant = case.rpartition("@")
    dtype, arch = variant.split("-")
    source = read_source(exported(program, dtype))
    set_options(source.module, target_options("cuda", arch=arch), None)
    return {digest(each.kernel): each for each in program_kernels(source.module)}


@lru_cache(1)
def exported(program: str, dtype: str) -> torch.export.ExportedProgram:
    """A program in a dtype; the last one is kept for its other architecture."""
    torch.manual_seed(0)
    module, inputs = in_dtype(programs()[program](), dtype)
    with torch.no_grad():
        # As in the zoo's tests: some models resolve a kernel at their first call.
        module(*inputs)
        return torch.export.export(module, inputs)


def digest(kernel: TritonKernel) -> str:
    """Of all that the machine code depends on but the architecture and Triton: equal for
    kernels that differ in name and docstring alone."""
    module = ast.parse(kernel.source)
    function = module.body[-1]
    assert isinstance(function, ast.FunctionDef)
    function.name, function.body = "kernel", function.body[1:]
    parts = (ast.unparse(module), kernel.arg_types, kernel.num_warps, kernel.num_stages)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:10]


def figures(kernel: ProgramKernel, code: MachineCode | str, arch: str) -> str:
    """What the file holds of a kernel."""
    if isinstance(code, str):
        return f"0 0 {code}"
    found = ", ".join(problems(code, kernel.work, find_arch(arch)))
    return f"{code.registers} {code.shared_bytes} {found}".rstrip()


def compiled(
    kernels: Mapping[str, ProgramKernel], arch: str, processes: int | None = None
) -> Figures:
    """The figures of kernels, by digest."""
    codes = machine_codes([k.kernel for k in kernels.values()], arch, processes)
    return {
        name: figures(kernel, code, arch)
        for (name, kernel), code in zip(kernels.items(), codes, strict=True)
    }


def read() -> Stored:
    """What the file holds; raises FileNotFoundError without it."""
    return json.loads(FILE.read_text())["kernels"]


def write(stored: Stored) -> None:
    """A line for each case, in order."""
    import triton

    lines = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(stored.items())]
    text = ",\n".join(lines)
    version = json.dumps(triton.__version__)
    FILE.write_text(f'{{"triton": {version}, "kernels": {{\n{text}\n}}}}\n')


def told(figures: str) -> list[str]:
    """The problems of a kernel, by its figures."""
    found = figures.split(" ", 2)[2:]
    return found[0].split(", ") if found else []


def stale(case: str, kernels: Mapping[str, ProgramKernel], stored: Stored) -> list[str]:
    """What the file does not know of a case that has these kernels."""
    known = stored.get(case, {})
    remedy = "run python -m tests.machine_code"
    new = [
        f"{case}: {kernel.kernel.name} ({name}) is new; {remedy}"
        for name, kernel in kernels.items()
        if name not in known
    ]
    return new or [
        f"{case}: {name} is no longer made; {remedy}"
        for name in known
        if name not in kernels
    ]


def renew(case: str, stored: Stored, processes: int | None) -> int:
    """Renews a case; returns the number of kernels that were compiled."""
    arch = case.rpartition("-")[2]
    known: Figures = {}
    for other, found in stored.items():
        known |= found if other.endswith(arch) else {}
    # What is wrong may have been mended in the options of the compiler.
    known = {name: figures for name, figures in known.items() if not told(figures)}
    kernels = kernels_of(case)
    new = {name: kernel for name, kernel in kernels.items() if name not in known}
    known |= compiled(new, arch, processes)
    stored[case] = {name: known[name] for name in sorted(kernels)}
    return len(new)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression on cases")
    parser.add_argument(
        "--all", action="store_true", help="all cases of models and the zoo"
    )
    parser.add_argument("--processes", type=int)
    given = parser.parse_args()
    torch.set_num_threads(1)
    kept = [case for program in programs() for case in cases(program)]
    stored = read() if FILE.exists() else {}
    wrong = 0
    for case in [c for p in programs() for c in cases(p, given.all)]:
        if re.search(given.only, case):
            count = renew(case, stored, given.processes)
            write({name: stored[name] for name in kept if name in stored})
            print(f"{case}: {count} of {len(stored[case])} compiled", flush=True)
            for name, figures in stored[case].items():
                for problem in told(figures):
                    known = KNOWN.get(f"{case}: {problem}")
                    print(f"    {name}: {figures}; {known or 'not known'}", flush=True)
                    wrong += known is None
    if wrong:
        sys.exit(f"{wrong} kernels have problems")


if __name__ == "__main__":
    main()
