"""The machine code of the GPU kernels of the benchmark models and of the zoo.

    python -m tests.machine_code [--only REGEX] [--zoo [TURN ...]] [--processes 2]

renews `tests/triton/machine_code.json` and prints what is wrong. It holds the single
kernels of `benchmarks/gpu/forms.py` (`form/gemm_4096`) in three dtypes for two
architectures, and its models (`model/resnet50`) in two dtypes for one. For each kernel the
file holds the registers, the shared bytes and the problems of `quality.py`. A kernel is
known by a digest of its source, so only new ones are compiled; no GPU is needed. Tests
compare the digests, and compile some kernels again.

With `--zoo` it goes through all other cases of models and those of the programs of
`benchmarks/zoo_models.py` (`zoo/bert`), which may take hours, in six turns: in each of them
every program has another case. `tests/triton/machine_code_zoo.json` keeps what is done
after each case. A run that was interrupted goes on, unless the compiler has changed: then
all cases are lowered again, and only kernels that are new are compiled. The file may be
older than the compiler; a test lowers one of its cases again.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache, partial
from itertools import chain
from pathlib import Path

import torch

from devproc import settings
from devproc.ir.object_cache import ObjectCache
from devproc.ir.source_digest import content_key, digest_of_sources
from devproc.options import set_options, target_options
from devproc.runtime.cache.cache_key import compiler_version
from devproc.source import read_source
from devproc.targets.triton import GPU
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
ZOO_FILE = FILE.with_name("machine_code_zoo.json")

DTYPES = ("bfloat16", "float16", "float32")
ARCHS = ("sm_80", "sm_90")
TURNS = len(DTYPES) * len(ARCHS)
COMMON = ("bfloat16-sm_90", "float32-sm_90")
"""The cases of models."""

NOT_EXPORTED = {
    "zoo/bart@float16": (
        "torch.export refuses it: only in float16, layers branch on whether all values are"
        " finite"
    ),
}
"""A program in a dtype -> why there are no cases of it."""

Figures = dict[str, str]
"""Digest of a kernel -> "registers shared_bytes problems"."""

Stored = dict[str, Figures]
"""Case -> its kernels; a case is `zoo/bert@float16-sm_80`."""


KNOWN: dict[str, str] = {
    "zoo/unet@*: no 128-bit loads": (
        "images of 63 and 95 channels, and of 79 columns: their rows are not aligned"
    ),
    "zoo/unet@*16-sm_*: 2-byte loads": (
        "convolutions of 63 and 95 channels; channels are padded for inputs alone"
    ),
    "zoo/tagger@*: no 128-bit loads": "the softmax of 5 classes: rows are not aligned",
    "zoo/mobilenet_v3@*16-sm_*: no 128-bit loads": (
        "the first convolution: a pixel of 4 channels has 8 bytes, and its weight of 16"
        " channels is smaller than a vector for each thread"
    ),
    "zoo/wav2vec2@*: no 128-bit loads": (
        "a norm of each channel over time, which transposes channels last to 3199 positions,"
        " and the transpose of these unaligned rows back"
    ),
}
"""Pattern of cases and problem -> why it stays; nothing else may be wrong, and what is
mended has to go."""


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


def all_cases(program: str) -> list[str]:
    """The cases of a program: three dtypes for two architectures."""
    dtypes = [dtype for dtype in DTYPES if f"{program}@{dtype}" not in NOT_EXPORTED]
    return [f"{program}@{dtype}-{arch}" for dtype in dtypes for arch in ARCHS]


def cases(program: str) -> list[str]:
    """The cases of a program that are kept in step with the compiler."""
    if program.startswith("model/"):
        return [case for case in all_cases(program) if case.endswith(COMMON)]
    return all_cases(program) if program.startswith("form/") else []


def zoo_cases(turn: int) -> list[str]:
    """The cases of a turn: of each program one, without those of `cases`."""
    every = [all_cases(program) for program in programs()]
    found = [each[(n + turn) % len(each)] for n, each in enumerate(every)]
    return [case for case in found if case not in cases(case.rpartition("@")[0])]


def missing(stored: Stored) -> list[str]:
    """The cases of all turns that were never compiled."""
    every = {case for turn in range(TURNS) for case in zoo_cases(turn)}
    return sorted(every - stored.keys())


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
    module, inputs = programs()[program]()
    with torch.no_grad():
        if program.startswith("zoo/"):
            # As in the zoo's tests: some models resolve a kernel at their first call.
            module(*inputs)
        return torch.export.export(*in_dtype((module, inputs), dtype))


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


def read(path: Path = FILE) -> Stored:
    """What a file holds; nothing if there is none."""
    return json.loads(path.read_text())["kernels"] if path.exists() else {}


def write(stored: Stored, path: Path = FILE) -> None:
    """A line for each case, in order."""
    import triton

    lines = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(stored.items())]
    text = ",\n".join(lines)
    version = json.dumps(triton.__version__)
    path.write_text(f'{{"triton": {version}, "kernels": {{\n{text}\n}}}}\n')


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


def renew(case: str, path: Path, processes: int | None) -> None:
    """Renews a case of a file, unless that is done, and prints what is new and wrong."""
    done, key = ObjectCache(settings.cache_dir()), run_key(case)
    stored, start = read(path), time.perf_counter()
    if case in stored and done.get(key) is not None:
        print(f"{case}: done before", flush=True)
        return
    arch = case.rpartition("-")[2]
    kernels, known = kernels_of(case), right_on(arch)
    lowered = time.perf_counter()
    new = {name: kernel for name, kernel in kernels.items() if name not in known}
    found = known | compiled(new, arch, processes)
    stored[case] = {name: found[name] for name in sorted(kernels)}
    write({name: stored[name] for name in stored if is_possible(name)}, path)
    done.put(key, b"")
    print(
        f"{case}: lowered in {lowered - start:.0f} s, {len(new)} of {len(kernels)} kernels"
        f" compiled in {time.perf_counter() - lowered:.0f} s",
        *(
            f"    {kernel.kernel.name} ({name}): {found[name]}; {kernel.schedule}"
            for name, kernel in kernels.items()
            if told(found[name])
        ),
        sep="\n",
        flush=True,
    )


def right_on(arch: str) -> Figures:
    """The figures of all kernels of an architecture without problems: what is wrong may
    have been mended in the options of the compiler."""
    return {
        name: figures
        for stored in (read(), read(ZOO_FILE))
        for case, kernels in stored.items()
        if case.endswith(arch)
        for name, figures in kernels.items()
        if not told(figures)
    }


def run_key(case: str) -> str:
    """A hash of the case and of everything that its kernels depend on."""
    programs = digest_of_sources(zoo_models.__file__)
    return content_key((case, programs, *chain.from_iterable(compiler_version(GPU))))


def is_possible(case: str) -> bool:
    """Whether a program is there still; models of `shared` may be there elsewhere."""
    program = case.rpartition("@")[0]
    return program.startswith("model/") or program in programs()


def problems_in(stored: Stored) -> set[str]:
    """Each case with a problem of one of its kernels."""
    return {
        f"{case}: {problem}"
        for case, kernels in stored.items()
        for figures in kernels.values()
        for problem in told(figures)
    }


def unknown(found: Iterable[str]) -> list[str]:
    """The problems that `KNOWN` does not explain."""
    return sorted(p for p in found if not any(fnmatchcase(p, known) for known in KNOWN))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression on cases")
    parser.add_argument("--processes", type=int)
    parser.add_argument(
        "--zoo",
        type=int,
        nargs="*",
        metavar="TURN",
        help="turns of the zoo; all if none",
    )
    given = parser.parse_args()
    torch.set_num_threads(1)
    path, chosen = FILE, [case for program in programs() for case in cases(program)]
    if given.zoo is not None:
        path = ZOO_FILE
        chosen = [
            case for turn in given.zoo or range(TURNS) for case in zoo_cases(turn)
        ]
    chosen = [case for case in chosen if re.search(given.only, case)]
    for case in chosen:
        renew(case, path, given.processes)
    stored = read(path)
    found = unknown(problems_in({case: stored[case] for case in chosen}))
    if given.zoo is not None:
        print("Cases that were never compiled:", *missing(stored) or ["none"])
    if found:
        sys.exit("\n".join(("Problems that are not known:", *found)))


if __name__ == "__main__":
    main()
