"""Ranks candidate schedules of GPU kernels by the estimated times of their machine code.

On a machine with a GPU the best of them are measured. At most `MOST_CANDIDATES` are
compiled for each nest, all nests of a program in one pool of processes. Times are kept in
DevProc's cache folder, under everything that they depend on: the text of the kernel (its
family, shapes and dtypes), the candidates, the architecture, the GPU, and the versions of
DevProc and Triton.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from devproc import settings
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.driver import make_pass, module_text
from devproc.ir.object_cache import ObjectCache
from devproc.ir.source_digest import content_key
from devproc.runtime.cache.cache_key import compiler_version
from devproc.targets.triton import GPU
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.cost.assess import machine_codes
from devproc.targets.triton.cost.estimate import estimate
from devproc.targets.triton.cost.measuring import card_name, kernel_seconds
from devproc.targets.triton.cost.program_kernels import kernel_nests, memref_bytes
from devproc.targets.triton.cost.quality import problems
from devproc.targets.triton.cost.work import Work, work_of
from devproc.targets.triton.dialect.options import gpu_options
from devproc.targets.triton.kernel import TritonKernel, kernel_of
from devproc.targets.triton.machine_code import MachineCode
from devproc.tuning import candidates

MOST_CANDIDATES = 12
"""Schedules of a nest that are compiled, the planned one among them."""

SHORT_LIST = 4
"""Candidates that are measured where there is a GPU, the best by the model."""

UNFIT = ("too many registers", "too much shared memory")
"""Problems with which a kernel cannot be launched."""


@dataclass(frozen=True)
class Score:
    """What is known of a schedule."""

    schedule: str
    microseconds: float | None
    """None if it cannot run."""
    why: str
    """What the time is spent on, or why the schedule cannot run."""
    by: str = "modelled"
    """Where the time is from; "measured" on a GPU."""


@dataclass(frozen=True)
class RankedNest:
    """A nest of a kernel with its candidates, the planned one first."""

    kernel: FuncOp
    nest: NestOp
    schedules: Sequence[Schedule]
    arch: str

    @property
    def programs(self) -> Iterator[triton.FuncOp]:
        """The program of each candidate."""
        return (program_of(self.kernel, self.nest, each) for each in self.schedules)

    @property
    def argument_bytes(self) -> list[int]:
        """The sizes of the kernel's arguments."""
        return [memref_bytes(argument.type) for argument in self.kernel.body.block.args]

    @property
    def key(self) -> str:
        """A hash of everything that the scores depend on."""
        kernel = self.kernel.clone()
        kernel.sym_name = StringAttr("kernel")
        text = module_text(ModuleOp([kernel], _attributes(self.kernel)), False)
        schedules = "\n".join(map(str, self.schedules))
        name = self.nest.nest_name or ""
        parts = (text, name, schedules, self.arch, card_name(), *_versions())
        return content_key(parts)


def _versions() -> Iterator[str]:
    for pair in compiler_version(GPU):
        yield from pair


def ranked_nests(
    kernels: Sequence[FuncOp], target: TargetAttr
) -> list[tuple[RankedNest, list[Score]]]:
    """The nests of kernels with the scores of their candidates."""
    found = [nest for kernel in kernels for nest in nests_of(kernel, target)]
    return list(zip(found, scores_of(found), strict=True))


def nests_of(kernel: FuncOp, target: TargetAttr) -> list[RankedNest]:
    """The nests of a kernel at stage `schedules`."""
    offered, arch = candidates(kernel, target), gpu_options(target).arch.data
    return [
        RankedNest(kernel, op, offered[op.nest_name or ""][:MOST_CANDIDATES], arch)
        for op in kernel.body.block.ops
        if isinstance(op, NestOp) and op.nest_name in offered
    ]


def scores_of(nests: Sequence[RankedNest]) -> list[list[Score]]:
    """The scores of the candidates of each nest, from the cache or the model."""
    cache = ObjectCache(settings.cache_dir())
    keys = [nest.key for nest in nests]
    known = {key: scores for key in keys if (scores := _read(cache.get(key)))}
    missing = {k: n for k, n in zip(keys, nests, strict=True) if k not in known}
    for key, scores in zip(missing, _compared(list(missing.values())), strict=True):
        known[key] = scores
        cache.put(key, json.dumps([asdict(score) for score in scores]).encode())
    return [known[key] for key in keys]


def _read(data: bytes | None) -> list[Score] | None:
    """The scores of an entry of the cache."""
    return None if data is None else [Score(**entry) for entry in json.loads(data)]


def _compared(nests: Sequence[RankedNest]) -> list[list[Score]]:
    """The scores by the model and the GPU; all candidates are compiled at once."""
    if not nests:
        return []
    made = [[(kernel_of(f), work_of(f)) for f in nest.programs] for nest in nests]
    flat: list[TritonKernel] = [kernel for pairs in made for kernel, _ in pairs]
    codes = iter(machine_codes(flat, nests[0].arch))
    found: list[list[Score]] = []
    for nest, pairs in zip(nests, made, strict=True):
        scores = [
            score(nest, schedule, next(codes), work)
            for schedule, (_, work) in zip(nest.schedules, pairs, strict=True)
        ]
        kernels = [kernel for kernel, _ in pairs]
        found.append(measured(nest, kernels, scores) if card_name() else scores)
    return found


def measured(
    nest: RankedNest, kernels: Sequence[TritonKernel], scores: Sequence[Score]
) -> list[Score]:
    """The scores of a nest's candidates; the best are measured on the GPU."""
    runnable = [n for n, s in enumerate(scores) if s.microseconds is not None]
    best = sorted(runnable, key=lambda n: scores[n].microseconds or 0)[:SHORT_LIST]
    found = list(scores)
    for number in best:
        time = kernel_seconds(kernels[number], nest.argument_bytes) * 1e6
        why = f"{scores[number].why}, modelled {scores[number].microseconds} us"
        found[number] = replace(
            scores[number], microseconds=time, why=why, by="measured"
        )
    return found


def score(
    nest: RankedNest, schedule: Schedule, code: MachineCode | str, work: Work
) -> Score:
    """The score of a candidate by its machine code, or by why it has none."""
    if isinstance(code, str):
        return Score(str(schedule), None, code)
    gpu = find_arch(nest.arch)
    wrong = list(problems(code, work, gpu))
    unfit = [problem for problem in wrong if problem in UNFIT]
    if unfit:
        return Score(str(schedule), None, ", ".join(unfit))
    time = estimate(code, work, nest.argument_bytes, gpu)
    why = ", ".join(
        (
            f"bound by {time.bound}",
            f"{time.occupancy} programs on a multiprocessor",
            f"{code.registers} registers",
            f"{code.shared_bytes} bytes shared",
            *wrong,
        )
    )
    return Score(str(schedule), round(time.seconds * 1e6, 3), why)


def program_of(kernel: FuncOp, nest: NestOp, schedule: Schedule) -> triton.FuncOp:
    """The program of a nest of a kernel with another schedule."""
    place = kernel_nests(kernel).index(nest)
    copy = kernel.clone()
    kernel_nests(copy)[place].properties["schedule"] = schedule
    module = ModuleOp([copy], _attributes(kernel))
    make_pass("convert-linalg-to-triton").apply(Context(), module)
    return [op for op in module.ops if isinstance(op, triton.FuncOp)][place]


def _attributes(kernel: FuncOp) -> dict[str, Attribute]:
    """Those of the module of a kernel that its code depends on."""
    module = kernel.parent_op()
    assert module is not None
    name = "devproc.target"
    return {name: module.attributes[name]} if name in module.attributes else {}
