"""Block programs: what is planned, what is refused, and values under other schedules.

Printed programs run under Triton's interpreter beside PyTorch in float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps, Refusal
from devproc.algorithms.choosing import ChosenNest, choose
from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.dialects.sched import NestOp, Schedule
from devproc.dialects.sched.ops import is_structured
from devproc.driver import make_pass
from devproc.targets.triton import interpret
from devproc.targets.triton.backend import ALGORITHMS
from devproc.targets.triton.kernel import TritonKernel, kernels_of
from tests.targets import target_attr
from tests.triton import programs
from tests.triton.support import guarded, is_untouched, kernels, parse

GPU = target_attr("cuda")
STRICT = target_attr("cuda", precision="strict")
TURING = target_attr("cuda", arch="sm_75")

LINEAR = programs.linear(100, 70, 75)
SOFTMAX = programs.softmax((30, 77), 1)
MATVEC = programs.linear(40, 1, 70)
TRANSPOSE = programs.transpose((3, 100, 70), (0, 2, 1))
ADD = programs.elementwise("%r = arith.addf %a, %b : f32", "f32", (7, 43), "f32", "f32")
SCAN = programs.scan(
    (5, 83), 1, "f32", ["f32"], ["0.0"], "%r = arith.addf %a0, %b0 : f32"
)
SORT = programs.sort((3, 5, 83), 83)
MERGE = programs.merge((3, 83), 10, 4, 40)
SORT_LONG, SORT_WIDE = programs.sort((3, 83), 9, "i64"), programs.sort((2, 5000), 9)


def kernel_ops(text: str) -> KernelOps:
    """The ops of the one kernel of a module."""
    module = parse(text)
    (kernel,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    mark = kernel.attributes["dev.kernel"]
    assert isinstance(mark, KernelAttr)
    ops = list(filter(is_structured, kernel.body.block.ops))
    return KernelOps(ops, mark.family.data)


def planned(text: str, target: TargetAttr = GPU) -> list[ChosenNest]:
    """The nests of a kernel, each with its schedule."""
    return choose(kernel_ops(text), target, map(algorithm, ALGORITHMS))


def scheduled(text: str) -> tuple[ModuleOp, list[NestOp]]:
    """A module after `choose-schedules`, and its nests."""
    module = parse(text)
    make_pass("choose-schedules").apply(Context(), module)
    return module, [op for op in module.walk() if isinstance(op, NestOp)]


def program_of(text: str, schedule: Schedule) -> TritonKernel:
    """The program of a kernel by a given schedule, which has to be legal."""
    module, (nest,) = scheduled(text)
    nest.properties["schedule"] = schedule
    make_pass("convert-linalg-to-triton").apply(Context(), module)
    module.verify()
    (kernel,) = kernels_of(module).values()
    return kernel


@pytest.mark.parametrize(
    ("text", "schedule", "why"),
    [
        (
            LINEAR,
            "#sched.block_tile<m = 32, n = 32, k = 32, warps = 4, stages = 3, group = 8,"
            " precision = tf32x3>",
            "100 x 70 results of 75 terms: 12 programs, 0.09 for each of 132 processors",
        ),
        (
            SOFTMAX,
            "#sched.block_rows<rows = 1, width = 128, warps = 1>",
            "30 rows of 77 elements, 1 for each program",
        ),
        (
            MATVEC,
            "#sched.block_vector<rows = 1, step = 128, warps = 4>",
            "40 results of 70 terms: 40 programs read 1 x 128 elements at a time",
        ),
        (
            ADD,
            "#sched.blocks<size = 128, warps = 4>",
            "301 elements, 128 for each program",
        ),
        (
            TRANSPOSE,
            "#sched.block_transpose<read = 64, written = 32, warps = 4>",
            "reads lines of 70, writes lines of 100 elements",
        ),
        (
            SCAN,
            "#sched.block_scan<rows = 8, width = 128, warps = 4>",
            "5 rows of 83 elements, 8 x 128 at a time",
        ),
        (
            SORT,
            "#sched.block_sort<rows = 4, width = 128, warps = 4>",
            "15 rows of 83 elements, the first 83 in order",
        ),
        (
            SORT_LONG,
            "#sched.block_rank<width = 128, step = 32, warps = 4>",
            "3 x 1 runs of 83 elements, compared in pairs",
        ),
        (
            MERGE,
            "#sched.block_merge<size = 256, warps = 4>",
            "3 rows of 83 elements in runs of 10 become 3, 256 elements for each program",
        ),
    ],
    ids=[
        "linear",
        "softmax",
        "matvec",
        "add",
        "transpose",
        "scan",
        "sort",
        "rank",
        "merge",
    ],
)
def test_planned(text: str, schedule: str, why: str) -> None:
    (chosen,) = planned(text)
    assert (str(chosen.choice.schedule), chosen.choice.why) == (schedule, why)
    problem = chosen.algorithm.problem(chosen.nest, chosen.choice.schedule, GPU)
    assert problem is None


@pytest.mark.parametrize(
    "text",
    [LINEAR, SOFTMAX, MATVEC, ADD, TRANSPOSE, SCAN, SORT, SORT_LONG, MERGE],
    ids=[
        *("linear", "softmax", "matvec", "add", "transpose", "scan", "sort", "rank"),
        "merge",
    ],
)
def test_the_interpreter_runs_the_same_source(text: str) -> None:
    assert kernels(text, interpret=True) == kernels(text, interpret=False)


def test_ops_that_share_no_program() -> None:
    """A reduction of a reduction over other rows: a program for each op."""
    text = programs.function(
        "sums",
        "reduction",
        ["nn.sum"],
        f"%x: {programs.memref((9, 20))}, %r: {programs.memref((9,))},"
        f" %out: {programs.memref((20,))}",
        "\n".join(
            programs.generic(
                "pr",
                maps,
                [("%x", programs.memref((9, 20)))],
                [out],
                "    %r0 = arith.addf %a, %o0 : f32\n    linalg.yield %r0 : f32",
            )
            for maps, out in [
                (["d0, d1", "d0"], ("%r", programs.memref((9,)))),
                (["d1, d0", "d0"], ("%out", programs.memref((20,)))),
            ]
        ),
    )
    _, nests = scheduled(text)
    assert [nest.schedule.algorithm for nest in nests] == [
        "block_rows",
        "block_columns",
    ]


@pytest.mark.parametrize(
    ("text", "changes", "target", "problem"),
    [
        (
            LINEAR,
            {"precision": "tf32"},
            GPU,
            "'precision' may be tf32 only where the target's is fast",
        ),
        (LINEAR, {}, TURING, "sm_75 has no products of tf32x3"),
        (
            MATVEC,
            {"rows": 2048, "step": 1024},
            GPU,
            "a block of 2048 x 1024 has more than Triton's 1048576 elements",
        ),
        (
            LINEAR,
            {"precision": "tf32"},
            STRICT,
            "'precision' must be ieee where the target's is strict",
        ),
        (
            LINEAR,
            {"m": 2048, "n": 1024},
            GPU,
            "a block of 2048 x 1024 has more than Triton's 1048576 elements",
        ),
        (
            SOFTMAX,
            {"rows": 16384},
            GPU,
            "a block of 16384 x 128 has more than Triton's 1048576 elements",
        ),
        (
            ADD,
            {"size": 2097152},
            GPU,
            "a block of 2097152 has more than Triton's 1048576 elements",
        ),
        (
            TRANSPOSE,
            {"read": 2048, "written": 2048},
            GPU,
            "a block of 2048 x 2048 has more than Triton's 1048576 elements",
        ),
        (
            SCAN,
            {"rows": 16384},
            GPU,
            "a block of 16384 x 128 has more than Triton's 1048576 elements",
        ),
        (SORT, {"width": 64}, GPU, "'width' must be at least the 83 elements of a run"),
        (SORT, {"width": 8192}, GPU, "a run of 83 elements does not fit one program"),
    ],
)
def test_illegal(
    text: str, changes: dict[str, int], target: TargetAttr, problem: str
) -> None:
    (chosen,) = planned(text)
    schedule = chosen.choice.schedule.replace(**changes)
    assert chosen.algorithm.problem(chosen.nest, schedule, target) == problem


def test_a_vector_of_a_longer_buffer_streams_its_matrix() -> None:
    """Such a kernel is a window, as of one token of a sequence."""
    assert '"contraction"' in MATVEC
    (chosen,) = planned(MATVEC.replace('"contraction"', '"window"'))
    assert chosen.algorithm.name == "block_vector"


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        (ADD, "block_tile", "no op reduces"),
        (SOFTMAX, "block_tile", "the body is no sum of products"),
        (SOFTMAX, "block_vector", "the body is no sum of products"),
        (LINEAR, "block_vector", "it multiplies matrices"),
        (ADD, "block_rows", "no op reduces"),
        (SOFTMAX, "block_transpose", "an op reduces"),
        (
            ADD,
            "block_transpose",
            "it reads along the dimension that it writes along",
        ),
    ],
)
def test_schedules_of_other_kernels(text: str, name: str, problem: str) -> None:
    taker = algorithm(name)
    nest = taker.nest_of(kernel_ops(text))
    assert nest is not None
    (like,) = (
        c.choice.schedule
        for other in (LINEAR, MATVEC, SOFTMAX, TRANSPOSE)
        for c in planned(other)
        if c.algorithm.name == name
    )
    assert taker.problem(nest, like, GPU) == problem


def test_unwritten_places() -> None:
    """Scans are no elements, and elements no scans."""
    assert algorithm("blocks").nest_of(kernel_ops(SCAN)) is None
    assert algorithm("block_scan").nest_of(kernel_ops(ADD)) is None
    decision = algorithm("blocks").plan(planned(ADD)[0].nest, "scan", GPU)
    assert decision == Refusal(
        "the ops of family 'scan' do not compute elements on their own"
    )


def launch(kernel: TritonKernel, tensors: Sequence[torch.Tensor], count: int) -> None:
    """Run a program on copies inside larger buffers; copy `count` results back."""
    copies = [guarded(tensor) for tensor in tensors]
    interpret.launch(kernel, *(inner for inner, _ in copies))
    assert all(is_untouched(buffer) for _, buffer in copies)
    for tensor, (inner, _) in zip(tensors[-count:], copies[-count:], strict=True):
        tensor.copy_(inner)


TILE = planned(LINEAR)[0].choice.schedule


@pytest.mark.parametrize(
    "changes",
    [
        {"m": 16, "n": 128, "k": 16, "precision": "ieee"},
        {"m": 16, "n": 16, "group": 7},
        {"m": 16, "n": 16, "group": 3},
        {"m": 32, "n": 32, "group": 2, "warps": 8, "stages": 4},
        {"m": 128, "n": 16, "k": 128, "precision": "tf32x3"},
    ],
)
def test_other_tiles(changes: dict[str, int]) -> None:
    torch.manual_seed(0)
    x, w, bias = torch.randn(100, 75), torch.randn(70, 75), torch.randn(70)
    out = torch.full((100, 70), float("nan"))
    launch(program_of(LINEAR, TILE.replace(**changes)), [x, w, bias, out], 1)
    wanted = x.double() @ w.double().T + bias
    torch.testing.assert_close(out.double(), wanted, rtol=0, atol=3e-5)


@pytest.mark.parametrize(("rows", "step"), [(1, 16), (4, 32), (64, 1), (8, 128)])
def test_other_steps(rows: int, step: int) -> None:
    x, w, bias = torch.randn(40, 70), torch.randn(1, 70), torch.randn(1)
    out = torch.full((40, 1), float("nan"))
    schedule = planned(MATVEC)[0].choice.schedule.replace(rows=rows, step=step)
    launch(program_of(MATVEC, schedule), [x, w, bias, out], 1)
    wanted = x.double() @ w.double().T + bias
    torch.testing.assert_close(out.double(), wanted, rtol=0, atol=3e-5)


@pytest.mark.parametrize("changes", [{"n": 16}, {"m": 16, "n": 32, "k": 16}])
def test_tiles_of_a_vector(changes: dict[str, int]) -> None:
    """Not what a plan proposes, but legal."""
    x, w, bias = torch.randn(40, 70), torch.randn(1, 70), torch.randn(1)
    out = torch.full((40, 1), float("nan"))
    launch(program_of(MATVEC, TILE.replace(**changes)), [x, w, bias, out], 1)
    wanted = x.double() @ w.double().T + bias
    torch.testing.assert_close(out.double(), wanted, rtol=0, atol=3e-5)


@pytest.mark.parametrize(
    ("rows", "width", "warps"), [(1, 128, 4), (2, 256, 8), (64, 128, 1)]
)
def test_other_rows(rows: int, width: int, warps: int) -> None:
    schedule = planned(SOFTMAX)[0].choice.schedule
    kernel = program_of(SOFTMAX, schedule.replace(rows=rows, width=width, warps=warps))
    x, out = torch.randn(30, 77), torch.full((30, 77), float("nan"))
    x[2, 3] = float("nan")
    tensors = [x, torch.empty(30), torch.empty(30, 77), torch.empty(30), out]
    launch(kernel, tensors, 1)
    wanted = x.double().softmax(1)
    torch.testing.assert_close(
        out.double(), wanted, rtol=1e-5, atol=1e-7, equal_nan=True
    )


@pytest.mark.parametrize("size", [1, 16, 1024])
def test_other_blocks(size: int) -> None:
    schedule = planned(ADD)[0].choice.schedule.replace(size=size, warps=1)
    x, y, out = torch.randn(7, 43), torch.randn(7, 43), torch.zeros(7, 43)
    launch(program_of(ADD, schedule), [x, y, out], 1)
    torch.testing.assert_close(out, x + y, rtol=0, atol=0)


@pytest.mark.parametrize(("read", "written"), [(1, 64), (16, 16), (128, 2)])
def test_other_transposes(read: int, written: int) -> None:
    schedule = planned(TRANSPOSE)[0].choice.schedule
    kernel = program_of(TRANSPOSE, schedule.replace(read=read, written=written))
    x, out = torch.randn(3, 100, 70), torch.zeros(3, 70, 100)
    launch(kernel, [x, out], 1)
    assert torch.equal(out, x.mT)


@pytest.mark.parametrize(("rows", "width"), [(1, 16), (2, 1), (4, 64), (8, 256)])
def test_other_scans(rows: int, width: int) -> None:
    schedule = planned(SCAN)[0].choice.schedule.replace(rows=rows, width=width)
    x, out = torch.randn(5, 83), torch.zeros(5, 83)
    launch(program_of(SCAN, schedule), [x, out], 1)
    wanted = x.double().cumsum(1)
    torch.testing.assert_close(out.double(), wanted, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (SORT_LONG, "keys of 64 bits leave no room for an index"),
        (SORT_WIDE, "a run of 5000 elements does not fit one program"),
    ],
)
def test_sorts_that_are_refused(text: str, problem: str) -> None:
    nest = algorithm("block_sort").nest_of(kernel_ops(text))
    assert nest is not None
    assert algorithm("block_sort").plan(nest, "sort", GPU) == Refusal(problem)


@pytest.mark.parametrize(
    ("rows", "width", "count"), [(1, 128, 83), (2, 256, 7), (16, 128, 1)]
)
def test_other_sorts(rows: int, width: int, count: int) -> None:
    """Equal keys keep their order, and the largest key is before the padding."""
    text = programs.sort((3, 5, 83), count)
    schedule = planned(text)[0].choice.schedule.replace(rows=rows, width=width)
    x = torch.randint(-5, 5, (3, 5, 83), dtype=torch.int32)
    x[0, 1, :5], x[1, 2, 3:9] = 2**31 - 1, -(2**31)
    places = torch.full((3, 5, count), -1)
    launch(program_of(text, schedule), [x, places], 1)
    assert torch.equal(places, x.sort(dim=-1, stable=True)[1][..., :count])


@pytest.mark.parametrize(("width", "step"), [(128, 1), (256, 64)])
def test_other_ranks(width: int, step: int) -> None:
    """The whole range of 64 bits, and equal keys."""
    text = programs.sort((3, 83), 20, "i64")
    schedule = planned(text)[0].choice.schedule.replace(width=width, step=step)
    x = torch.randint(-5, 5, (3, 83))
    x[0, :5], x[1, 3:9], x[2, ::3] = 2**63 - 1, -(2**63), 2**40
    places = torch.full((3, 20), -1)
    launch(program_of(text, schedule), [x, places], 1)
    assert torch.equal(places, x.sort(dim=-1, stable=True)[1][..., :20])


@pytest.mark.parametrize("size", [1, 64, 512])
@pytest.mark.parametrize("first", [1, 25, 40])
@pytest.mark.parametrize("columns", [83, 80, 41, 10])
def test_other_merges(size: int, first: int, columns: int) -> None:
    """Four runs of ten become one, of which the first elements are kept; the last runs are
    short, or there are fewer than four."""
    text = programs.merge((3, columns), 10, 4, first)
    schedule = planned(text)[0].choice.schedule.replace(size=size)
    x = torch.randint(-4, 4, (3, columns), dtype=torch.int32)
    x[1, 3:6] = 2**31 - 1
    runs = [part.sort(dim=-1, stable=True) for part in x.split(10, dim=-1)]
    values = torch.cat([run.values for run in runs], -1)
    of = torch.cat([run.indices + 10 * n for n, run in enumerate(runs)], -1)
    merged = [part.sort(dim=-1, stable=True) for part in x.split(40, dim=-1)]
    wanted = torch.cat([m.values[:, :first] for m in merged], -1)
    wanted_of = [m.indices[:, :first] + 40 * n for n, m in enumerate(merged)]
    places, elements = torch.zeros(wanted.shape).long(), torch.zeros_like(wanted)
    launch(program_of(text, schedule), [values, of, places, elements], 2)
    assert torch.equal(elements, wanted)
    assert torch.equal(places, torch.cat(wanted_of, -1))
