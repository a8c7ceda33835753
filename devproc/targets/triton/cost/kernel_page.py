"""What `devproc inspect --kernel` prints of a GPU kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import TargetAttr
from devproc.targets.triton.cost.assess import machine_codes
from devproc.targets.triton.cost.estimate import KernelTime, estimate
from devproc.targets.triton.cost.gpus import GPU, gpu_of
from devproc.targets.triton.cost.quality import problems
from devproc.targets.triton.cost.ranking import RankedNest, Score, ranked_nests
from devproc.targets.triton.cost.work import work_of
from devproc.targets.triton.kernel import kernel_of
from devproc.targets.triton.machine_code import MachineCode, mix

MOST_KINDS = 12
"""Kinds of instructions that are listed."""


def kernel_page(kernel: FuncOp, target: TargetAttr) -> str:
    """Source, schedule, machine code, time and candidates of each nest of a kernel at
    stage `schedules`; compiles the candidates."""
    lines = [f"kernel {kernel.sym_name.data}"]
    for nest, scores in ranked_nests([kernel], target):
        lines += ["", *nest_lines(nest, scores)]
    return "\n".join(lines)


def nest_lines(nest: RankedNest, scores: list[Score]) -> Iterator[str]:
    """The lines about one nest."""
    func = next(iter(nest.programs))
    made = kernel_of(func)
    yield made.source.rstrip()
    yield ""
    yield f"schedule    {nest.schedules[0]}"
    yield f"because     {nest.nest.why.data}"
    (code,) = machine_codes([made], nest.arch)
    if isinstance(code, str):
        yield f"no code     {code}"
    else:
        work, gpu = work_of(func), gpu_of(nest.arch)
        time = estimate(code, work, nest.argument_bytes, gpu)
        yield from code_lines(code, time, gpu)
        yield f"problems    {', '.join(problems(code, work, gpu)) or 'none'}"
    yield from candidate_lines(scores)


def code_lines(code: MachineCode, time: KernelTime, gpu: GPU) -> Iterator[str]:
    """The lines about machine code and the time that it is estimated to take."""
    yield (
        f"resources   {code.registers} registers, {code.spilled_bytes} bytes spilled, "
        f"{code.shared_bytes} bytes shared, {code.warps} warps; "
        f"{time.occupancy} programs on a multiprocessor"
    )
    yield f"code        {_mixed(code.mix)}"
    yield f"hot loop    {_mixed(mix(code.hot_loop))}"
    yield (
        f"time        {time.seconds * 1e6:.2f} us on an {gpu.name} by the model, bound by "
        f"{time.bound}"
    )
    yield (
        f"roofline    {time.roofline_seconds * 1e6:.2f} us for {time.moved_bytes:,} bytes "
        f"and {time.flops:,.0f} operations: {time.roofline_share:.0%}"
    )


def _mixed(kinds: Mapping[str, int]) -> str:
    listed = [f"{kind} {count}" for kind, count in kinds.items()]
    more = ["..."] if len(listed) > MOST_KINDS else []
    total = sum(kinds.values())
    return f"{total} instructions: {', '.join(listed[:MOST_KINDS] + more)}"


def candidate_lines(scores: list[Score]) -> Iterator[str]:
    """The candidates, the fastest first."""
    yield f"candidates  {len(scores)}"
    for score in sorted(scores, key=lambda s: s.microseconds or float("inf")):
        time = f"{score.microseconds:9.2f} us" if score.microseconds else "  cannot run"
        yield f"{time}  {score.schedule}"
        yield f"{'':14}{score.by}: {score.why}"
