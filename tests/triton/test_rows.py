"""Reductions of long rows and of columns: in steps, split, and what is compiled of them.

Values are compared with PyTorch in float64, and may err four times as much as PyTorch does in
float32, or as rounding the inputs makes any method err.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import devproc
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockColumnsSchedule, BlockRowsSchedule
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.archs import Arch, find_arch
from devproc.targets.triton.code import read_code
from devproc.targets.triton.kernel import TritonKernel
from devproc.targets.triton.transforms import split_reductions
from tests.algorithms.test_gpu import GPU, planned
from tests.targets import target_attr
from tests.triton import programs
from tests.triton.support import kernels

Function = Callable[..., torch.Tensor]


class Model(nn.Module):
    """A function of tensors, and the module that it calls."""

    def __init__(self, function: Function, *modules: nn.Module) -> None:
        super().__init__()
        self.function, self.inner = function, nn.ModuleList(modules)
        for parameter in self.parameters():
            nn.init.normal_(parameter)

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.function(*inputs, *self.inner)


def numbers(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Random numbers with ties; in the first rows a NaN, and infinities of both signs."""
    x = (torch.randn(shape) * 8).round() / 4
    rows = x.view(-1, shape[-1])
    rows[0, 3], rows[1, 2] = float("nan"), float("inf")
    rows[2] = float("-inf")
    rows[3, 1:] = float("-inf")
    return x.to(dtype)


ROWS = "#sched.block_rows<rows = 2, width = 16, warps = 1>"
COLUMNS = "#sched.block_columns<columns = 4, height = 8, warps = 1>"

VALUES: dict[str, tuple[Function, Sequence[torch.Tensor], Sequence[nn.Module], str]] = {
    "softmax": (lambda x: x.softmax(1), [numbers(7, 77)], [], ROWS),
    "softmax_bf16": (
        lambda x: x.softmax(1),
        [numbers(7, 77, dtype=torch.bfloat16)],
        [],
        ROWS,
    ),
    "softmax_of_sum": (
        lambda x, y: (x + y).softmax(1),
        [numbers(7, 77), torch.randn(7, 77)],
        [],
        ROWS,
    ),
    "log_softmax": (lambda x: x.log_softmax(1), [numbers(7, 77)], [], ROWS),
    "logsumexp": (lambda x: x.logsumexp(1), [numbers(7, 77)], [], ROWS),
    "layer_norm": (
        lambda x, y, norm: norm(x + y).half(),
        [torch.randn(5, 77), torch.randn(5, 77)],
        [nn.LayerNorm(77)],
        ROWS,
    ),
    "rms_norm": (
        lambda x, norm: norm(x),
        [torch.randn(5, 77)],
        [nn.RMSNorm(77)],
        ROWS,
    ),
    "group_norm": (
        lambda x, norm: norm(x),
        [torch.randn(2, 6, 5, 7) + 50],
        [nn.GroupNorm(2, 6)],
        ROWS,
    ),
    "argmax": (lambda x: x.argmax(1), [numbers(7, 77)], [], ROWS),
    "argmin": (lambda x: x.argmin(1), [numbers(7, 77)], [], ROWS),
    "argmax_of_bytes": (
        lambda x: x.argmax(1),
        [torch.randint(0, 9, (7, 77), dtype=torch.uint8).sort(1).values],
        [],
        ROWS,
    ),
    "amax": (lambda x: x.amax(1), [numbers(7, 77)], [], ROWS),
    "any": (lambda x: (x > 2).any(1), [torch.randn(7, 77)], [], ROWS),
    "sums": (lambda x: x.sum(1), [numbers(7, 77)], [], ROWS),
    "sums_of_bytes": (
        lambda x: x.sum(1),
        [torch.randint(-99, 99, (7, 77), dtype=torch.int8)],
        [],
        ROWS,
    ),
    "variance": (lambda x: x.var(1), [torch.randn(7, 77)], [], ROWS),
    "mean_of_planes": (
        lambda x: x.mean((0, 2, 3)),
        [torch.randn(3, 5, 7, 9)],
        [],
        ROWS,
    ),
    "column_sums": (lambda x: x.sum(0), [numbers(77, 7)], [], COLUMNS),
    "column_argmax": (lambda x: x.argmax(0), [numbers(77, 7).sign()], [], COLUMNS),
    "column_softmax": (lambda x: x.softmax(1), [numbers(3, 19, 7)], [], COLUMNS),
    "square_softmax": (lambda x: x.softmax(1), [numbers(3, 19, 19)], [], COLUMNS),
    "column_minima": (lambda x: x.amin((0, 2)), [numbers(3, 7, 9, 5)], [], COLUMNS),
    "vector_times_matrix": (
        lambda x, w: x @ w,
        [torch.randn(1, 77), torch.randn(77, 9)],
        [],
        COLUMNS,
    ),
}
"""Name -> a function, its inputs, a module of it, and a schedule with loops."""


ROUNDINGS = 4


def doubled(value: torch.Tensor) -> torch.Tensor:
    return value.double() if value.is_floating_point() else value


def rounded(value: torch.Tensor) -> torch.Tensor:
    """Float64 numbers, each off by as much as rounding to float32 changes one at most.

    A normalization subtracts numbers of the inputs' size: where their mean is larger than
    their deviation, no method in float32 errs less, but for luck.
    """
    if not value.is_floating_point():
        return value
    signs = torch.randint(0, 2, value.shape) * 2 - 1
    return value.double() * (1 + signs * (torch.finfo(torch.float32).eps / 2))


def assert_as_accurate(
    got: torch.Tensor, plain: torch.Tensor, exact: torch.Tensor, *moved: torch.Tensor
) -> None:
    """At most four times the error of PyTorch, or of rounding the inputs or the result.

    `moved`: exact results for rounded inputs; several, as one may be off by little.
    """
    if not got.is_floating_point():
        assert torch.equal(got, plain)
        return
    exact = exact.double()
    assert got.dtype == plain.dtype
    assert torch.equal(got.isnan(), exact.isnan())
    infinite = exact.isinf()
    assert torch.equal(got[infinite].double(), exact[infinite])
    finite = exact.isfinite()
    size = exact[finite].abs().max().item() if finite.any() else 0.0
    if finite.any():
        ours, *others = (
            (v.double() - exact)[finite].abs().max().item()
            for v in (got, plain, *moved)
        )
        least = torch.finfo(got.dtype).eps / 2 * size
        assert ours <= 4 * max(*others, least)


def check(
    function: Function,
    inputs: Sequence[torch.Tensor],
    modules: Sequence[nn.Module],
    schedule: str | None,
    pattern: str = "*",
) -> devproc.Program:
    """Compare a program under the interpreter with PyTorch."""
    model = Model(function, *modules).eval()
    source = torch.export.export(model, tuple(inputs))
    schedules = {} if schedule is None else {pattern: schedule}
    program = devproc.compile(
        source, "cuda:interpret", cache=False, schedules=schedules
    )
    with torch.no_grad():
        plain = model(*inputs)
        exact = model.double()(*map(doubled, inputs))
        moved = [model(*map(rounded, inputs)) for _ in range(ROUNDINGS)]
    assert_as_accurate(program(*inputs), plain, exact, *moved)
    return program


@pytest.mark.parametrize("name", VALUES)
def test_values_in_steps(name: str) -> None:
    torch.manual_seed(0)
    # The weights of a group norm are a kernel of their own.
    program = check(*VALUES[name], "*reduce*" if name == "group_norm" else "*")
    assert "for " in program.ir("triton-source")


SPLIT: dict[str, tuple[Function, Sequence[torch.Tensor], Sequence[nn.Module], int]] = {
    "sums": (lambda x: x.sum(1), [torch.randn(3, 96)], [], 2),
    "norms_f16": (
        lambda x, w: (x * w).sum((1, 2), keepdim=True),
        [torch.randn(3, 4, 24).half(), torch.randn(24).half()],
        [],
        2,
    ),
    "maxima": (lambda x: x.amax((1, 2)), [numbers(4, 8, 12)], [], 2),
    "columns": (lambda x: x.sum(0), [torch.randn(96, 7)], [], 2),
    "mean_then_more": (
        lambda x: x.mean((2, 3), keepdim=True) + 1,
        [torch.randn(1, 3, 8, 12)],
        [],
        2,
    ),
    "softmax": (lambda x: x.softmax(1), [numbers(4, 96)], [], 5),
    "instance_norm": (
        lambda x, norm: norm(x),
        [torch.randn(1, 2, 8, 12) + 20],
        [nn.InstanceNorm2d(2)],
        7,
    ),
}
"""Name -> a function, its inputs, a module of it, and the launches of its split form."""


@pytest.mark.parametrize("name", SPLIT)
def test_values_of_split_reductions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    # As if multiprocessors were slow: rows of 96 elements are long.
    monkeypatch.setattr(split_reductions, "RATE", 1.0)
    few = replace(find_arch("sm_90"), processors=8)

    def arch_of(target: TargetAttr) -> Arch:
        return few

    monkeypatch.setattr(split_reductions, "arch_of", arch_of)
    monkeypatch.setattr(split_reductions, "FEWEST_TERMS", 12)
    function, inputs, modules, launches = SPLIT[name]
    program = check(function, inputs, modules, None)
    assert program.ir("triton-source").count("@triton.jit") == launches


def kernels_of(
    function: Function,
    *inputs: torch.Tensor,
    module: nn.Module | None = None,
    arch: str = "sm_90",
) -> list[TritonKernel]:
    """The kernels of a function for a GPU."""
    model = Model(function, *([] if module is None else [module])).eval()
    source = torch.export.export(model, inputs)
    with pytest.warns(UserWarning, match="needs a GPU"):
        program = devproc.compile(source, "cuda", cache=False, arch=arch)
    return list(read_code(program.artifact.code["cuda"]).kernels.values())


LONG: dict[str, tuple[Function, tuple[int, ...], nn.Module | None]] = {
    "softmax_20000": (lambda x: x.softmax(1), (4, 20000), None),
    "softmax_50257": (lambda x: x.softmax(1), (4, 50257), None),
    "softmax_50257_bf16": (lambda x: x.bfloat16().softmax(1), (4, 50257), None),
    "log_softmax_50257": (lambda x: x.log_softmax(1), (4, 50257), None),
    "layer_norm_16385": (lambda x, n: n(x), (4, 16385), nn.LayerNorm(16385)),
    "layer_norm_40000": (lambda x, n: n(x), (4, 40000), nn.LayerNorm(40000)),
    "group_norm": (lambda x, n: n(x), (1, 64, 128, 128), nn.GroupNorm(32, 64)),
    "instance_norm": (lambda x, n: n(x), (1, 3, 224, 224), nn.InstanceNorm2d(3)),
    "argmax_50257": (lambda x: x.argmax(1), (4, 50257), None),
    "global_pool": (lambda x: F.adaptive_avg_pool2d(x, 1), (2, 8, 224, 224), None),
}
"""Name -> a function of one tensor that is reduced, its shape, a module of it."""


@pytest.mark.parametrize("name", LONG)
def test_long_rows_are_read_by_whole_programs(name: str) -> None:
    """One program for each row, of many lanes, rather than one lane or no program."""
    function, shape, module = LONG[name]
    found = kernels_of(function, torch.zeros(shape), module=module)
    (reducing,) = (kernel for kernel in found if "axis=0" in kernel.source)
    rows, lanes = reducing.grid[0], 32 * reducing.num_warps
    assert (rows, lanes) == (4 if len(shape) == 2 else shape[0] * groups(name), 1024)


def groups(name: str) -> int:
    """The rows of each image."""
    return {"group_norm": 32, "instance_norm": 3, "global_pool": 8}[name]


@pytest.mark.parametrize(("arch", "programs"), [("sm_90", 512), ("sm_86", 256)])
def test_few_long_rows_are_split(arch: str, programs: int) -> None:
    """Into about four programs for each multiprocessor."""
    x = torch.zeros(8, 1 << 20)
    split, _ = kernels_of(lambda x: x.sum(1), x, arch=arch)
    assert split.grid[0] == programs


def test_programs_are_enough_for_the_multiprocessors_of_a_gpu() -> None:
    """Those of an H100 are 132, of a T4 40: its programs compute more rows or columns."""
    columns = programs.reduction(
        (7, 3200), 0, "f32", "0.0", "%r = arith.addf %o0, %a : f32"
    )
    found = [
        chosen.choice.schedule
        for arch in ("sm_90", "sm_75")
        for text in (programs.softmax((450, 100), 1), columns)
        for chosen in planned(text, target_attr("cuda", arch=arch))
    ]
    rows = [s.rows for s in found if isinstance(s, BlockRowsSchedule)]
    adjacent = [s.columns for s in found if isinstance(s, BlockColumnsSchedule)]
    assert (rows, adjacent) == ([1, 2], [32, 64])


def test_counters_are_as_wide_as_offsets() -> None:
    """40000 x 100000 elements: a row times 100000 does not fit 32 bits."""
    with torch.device("meta"):
        x = torch.empty(40000, 100000, dtype=torch.float16)
    (kernel,) = kernels_of(lambda x: x.sum(0), x)
    assert "for k in range(0, 40000, 32)" in kernel.source
    assert "tl.cast(k, tl.int32).to(tl.int64)" in kernel.source


def test_rows_that_are_overwritten_are_read_once() -> None:
    """x = x / sum(x), in place: a second pass would read quotients."""
    x, s = programs.memref((9, 20)), programs.memref((9,))
    text = programs.function(
        "normalize",
        "reduction",
        ["nn.reduce_sum", "nn.div"],
        f"%x: {x}, %s: {s}",
        programs.fill("0.0", "f32", "%s", s)
        + programs.generic(
            "pr",
            ["d0, d1", "d0"],
            [("%x", x)],
            [("%s", s)],
            "    %r = arith.addf %o0, %a : f32\n    linalg.yield %r : f32",
        )
        + programs.generic(
            "pp",
            ["d0, d1", "d0", "d0, d1"],
            [("%x", x), ("%s", s)],
            [("%x", x)],
            "    %r = arith.divf %a, %b : f32\n    linalg.yield %r : f32",
        ),
    )
    (chosen,) = planned(text)
    assert chosen.algorithm.name == "block_rows"
    schedule = chosen.choice.schedule.replace(width=16)
    problem = chosen.algorithm.problem(chosen.nest, schedule, GPU)
    assert problem == (
        "a row that is overwritten must fit a block: it is read several times"
    )


def test_values_of_rows_are_stored_once() -> None:
    """The bias of a matrix-vector product is added to values of rows, not in all lanes."""
    (kernel,) = kernels(programs.linear(5000, 1, 70), interpret=False)
    stores = [line for line in kernel.source.splitlines() if "tl.store" in line]
    assert len(stores) == 1
    assert "in_column" not in stores[0]
    assert "broadcast_to" not in stores[0]


def machine_code(kernel: TritonKernel) -> str:
    """The PTX of a kernel that does not spill."""
    compiled = compile_kernel(kernel)
    found = compiled.resources()
    assert found.spilled_bytes == 0
    assert found.count("LDL", "STL") == 0
    return compiled.ptx


def test_contiguous_loads_move_16_bytes() -> None:
    """Also where a row ends within a block, and columns of a column-wise sum."""
    softmax = programs.softmax((9, 40004), 1)
    (kernel,) = kernels(softmax, interpret=False)
    assert machine_code(kernel).count("ld.global.v4.b32") >= 4
    columns = programs.reduction(
        (5000, 700), 0, "f32", "0.0", "%r = arith.addf %o0, %a : f32"
    )
    (kernel,) = kernels(columns, interpret=False)
    assert "ld.global.v4.b32" in machine_code(kernel)


def test_half_precision_rows_move_16_bytes() -> None:
    x = torch.zeros(4, 50264, dtype=torch.bfloat16)
    (kernel,) = kernels_of(lambda x: x.softmax(1), x)
    assert "ld.global.v4.b32" in machine_code(kernel)
