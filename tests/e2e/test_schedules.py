"""Schedules that are edited in the text of their stage, or chosen by the user, are the ones
that run; those that are not legal are refused with the reason."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.errors import CompileError
from devproc.targets.triton import interpret
from devproc.targets.triton.kernel import kernels_of
from tests.cpu.native_kernels import generic, kernel, memref_type, parse, run_kernel
from tests.filecheck_runner import run_devproc_opt
from tests.triton import programs

RNG = np.random.default_rng(3)
X = RNG.standard_normal((13, 37)).astype(np.float32)
Y = RNG.standard_normal((37, 45)).astype(np.float32)

ZERO = "%zero = arith.constant 0.0 : f32\n"


def filled(result: int, type_: str) -> str:
    return f"{ZERO}linalg.fill ins(%zero : f32) outs(%a{result} : {type_})\n"


def contraction() -> tuple[str, str, list[np.ndarray], np.ndarray]:
    """A matrix product of two arguments."""
    arrays = [X, Y, np.empty((13, 45), np.float32)]
    types = [memref_type(array) for array in arrays]
    body = "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %y0, %p : f32"
    maps = ["m, k", "k, n", "m, n"]
    kinds = ["parallel", "parallel", "reduction"]
    text = filled(2, types[2]) + generic(maps, kinds, types, 2, body, "m, n, k")
    return "contraction", text, arrays, X.astype(np.float64) @ Y


def pointwise() -> tuple[str, str, list[np.ndarray], np.ndarray]:
    """A sum, elementwise, with a row that is broadcast."""
    arrays = [X, X[0].copy(), np.empty_like(X)]
    types = [memref_type(array) for array in arrays]
    body = "%r = arith.addf %x0, %x1 : f32"
    text = generic(["i, j", "j", "i, j"], ["parallel"] * 2, types, 2, body, "i, j")
    return "pointwise", text, arrays, X.astype(np.float64) + X[0]


def rows() -> tuple[str, str, list[np.ndarray], np.ndarray]:
    """Sums of rows."""
    arrays = [X, np.empty(13, np.float32)]
    types = [memref_type(array) for array in arrays]
    body = "%r = arith.addf %y0, %x0 : f32"
    kinds = ["parallel", "reduction"]
    text = filled(1, types[1]) + generic(["i, j", "i"], kinds, types, 1, body, "i, j")
    return "reduction", text, arrays, X.sum(1, dtype=np.float64)


def window() -> tuple[str, str, list[np.ndarray], np.ndarray]:
    """A depthwise window of three columns, channels last."""
    filters = RNG.standard_normal((3, 45)).astype(np.float32)
    arrays = [Y, filters, np.empty((35, 45), np.float32)]
    types = [memref_type(array) for array in arrays]
    body = "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %y0, %p : f32"
    maps, kinds = ["w + q, c", "q, c", "w, c"], ["parallel"] * 2 + ["reduction"]
    text = filled(2, types[2]) + generic(maps, kinds, types, 2, body, "w, c, q")
    wide = Y.astype(np.float64)
    wanted = np.add.reduce([wide[q : q + 35] * filters[q] for q in range(3)])
    return "window", text, arrays, wanted


def scan() -> tuple[str, str, list[np.ndarray], np.ndarray]:
    """Sums of all rows up to each."""
    arrays = [X, np.empty_like(X)]
    types = [memref_type(array) for array in arrays]
    text = (
        "linalg_ext.scan %a0 into %a1 axis 0 start [0.0 : f64] {\n"
        "^bb0(%before: f64, %here: f64):\n"
        "%sum = arith.addf %before, %here : f64\n"
        f"linalg.yield %sum : f64\n}} : ({', '.join(types)}) -> ()"
    )
    return "scan", text, arrays, X.cumsum(0, dtype=np.float64)


EDITS = {
    "contraction": (contraction, r"rows = \d+", "rows = 5"),
    "pointwise": (pointwise, r"lanes = \d+, vectors = \d+", "lanes = 4, vectors = 3"),
    "rows": (rows, r"lanes = \d+", "lanes = 4"),
    "window": (window, r"pixels = \d+", "pixels = 5"),
    "scan": (scan, r"registers = \d+", "registers = 2"),
}
"""Family -> the kernel, and what of its schedule becomes what."""


def stage(text: str, folder: Path, first: str, last: str) -> str:
    """The text of a later stage, by `devproc-opt`."""
    file = folder / f"{first}.mlir"
    file.write_text(text)
    done = run_devproc_opt([str(file), "--from-stage", first, "--to-stage", last])
    assert not done.code, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", EDITS)
def test_edited_text_is_what_runs(name: str, tmp_path: Path) -> None:
    make, old, new = EDITS[name]
    family, body, arrays, wanted = make()
    module = kernel(family, [memref_type(array) for array in arrays], body, threads=1)
    planned = stage(str(module), tmp_path, "buffers", "schedules")
    edited, count = re.subn(old, new, planned)
    assert count == 1, planned
    assert edited != planned
    loops = [stage(t, tmp_path, "schedules", "cpu") for t in (planned, edited)]
    assert "sched." not in loops[1]
    assert loops[0] != loops[1], "the edit makes other loops"
    for text in loops:
        found = [array.copy() for array in arrays]
        run_kernel(parse(text), found, ())
        np.testing.assert_allclose(found[-1], wanted, rtol=2e-5, atol=2e-5)


def tensors(*shapes: tuple[int, ...]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def block_tile() -> tuple[str, list[torch.Tensor], torch.Tensor]:
    """A linear layer."""
    x, w, bias = tensors((100, 75), (70, 75), (70,))
    out = torch.full((100, 70), torch.nan)
    wanted = torch.nn.functional.linear(x.double(), w.double(), bias.double())
    return programs.linear(100, 70, 75), [x, w, bias, out], wanted


def block_vector() -> tuple[str, list[torch.Tensor], torch.Tensor]:
    """A linear layer of one output."""
    x, w, bias = tensors((40, 75), (1, 75), (1,))
    out = torch.full((40, 1), torch.nan)
    wanted = torch.nn.functional.linear(x.double(), w.double(), bias.double())
    return programs.linear(40, 1, 75), [x, w, bias, out], wanted


def block_rows() -> tuple[str, list[torch.Tensor], torch.Tensor]:
    """A softmax with a row of NaN, and one with an infinity."""
    (x,) = tensors((30, 77))
    x[2, 3], x[4, 5] = torch.nan, -torch.inf
    arrays = [
        x,
        torch.empty(30),
        torch.empty(30, 77),
        torch.empty(30),
        torch.empty(30, 77),
    ]
    return programs.softmax((30, 77), 1), arrays, x.double().softmax(1)


def block_columns() -> tuple[str, list[torch.Tensor], torch.Tensor]:
    """Sums of the columns of a batch of matrices."""
    (x,) = tensors((3, 70, 37))
    body = "%r = arith.addf %o0, %a : f32"
    text = programs.reduction((3, 70, 37), 1, "f32", "0.0", body)
    return text, [x, torch.empty(3, 37)], x.double().sum(1)


def block_scan() -> tuple[str, list[torch.Tensor], torch.Tensor]:
    """Sums of each row up to each column."""
    (x,) = tensors((5, 83))
    body = "%r = arith.addf %a0, %b0 : f32"
    text = programs.scan((5, 83), 1, "f32", ["f32"], ["0.0"], body)
    return text, [x, torch.empty(5, 83)], x.double().cumsum(1)


def block_transpose() -> tuple[str, list[torch.Tensor], torch.Tensor]:
    """A batch of matrices, transposed."""
    (x,) = tensors((3, 100, 70))
    text = programs.transpose((3, 100, 70), (0, 2, 1))
    return text, [x, torch.empty(3, 70, 100)], x.double().mT


def blocks() -> tuple[str, list[torch.Tensor], torch.Tensor]:
    """A sum, elementwise."""
    x, y = tensors((7, 43), (7, 43))
    body = "%r = arith.addf %a, %b : f32"
    text = programs.elementwise(body, "f32", (7, 43), "f32", "f32")
    return text, [x, y, torch.empty(7, 43)], x.double() + y


BLOCK_EDITS = {
    "block_tile": (block_tile, r"m = \d+, n = \d+, k = \d+", "m = 32, n = 16, k = 64"),
    "block_vector": (block_vector, r"rows = \d+", "rows = 4"),
    "block_rows": (block_rows, r"width = \d+", "width = 32"),
    "block_columns": (block_columns, r"height = \d+", "height = 16"),
    "block_scan": (block_scan, r"width = \d+", "width = 16"),
    "block_transpose": (block_transpose, r"written = \d+", "written = 8"),
    "blocks": (blocks, r"size = \d+", "size = 64"),
}
"""Algorithm of the GPU -> the kernel, and what of its schedule becomes what."""


@pytest.mark.parametrize("name", BLOCK_EDITS)
def test_edited_block_programs_are_what_runs(name: str, tmp_path: Path) -> None:
    make, old, new = BLOCK_EDITS[name]
    text, arguments, wanted = make()
    planned = stage(text, tmp_path, "buffers", "schedules")
    assert f"#sched.{name}<" in planned
    edited, count = re.subn(old, new, planned)
    assert count == 1, planned
    sources: list[str] = []
    for scheduled in (planned, edited):
        module = parse(stage(scheduled, tmp_path, "schedules", "gpu"))
        (program,) = kernels_of(module).values()
        found = [tensor.clone() for tensor in arguments]
        interpret.launch(program, *found)
        torch.testing.assert_close(
            found[-1].double(), wanted, rtol=2e-5, atol=2e-5, equal_nan=True
        )
        sources.append(program.source)
    assert sources[0] != sources[1], "the edit makes another program"


@pytest.mark.parametrize(
    ("name", "new", "problem"),
    [
        ("block_tile", "m = 48, n = 64, k = 32", "'m' must be a power of two"),
        ("block_tile", "m = 64, n = 64, k = 8", "'k' must be a power of two"),
        ("block_tile", "m = 2048, n = 1024, k = 32", "more than Triton's 1048576"),
        ("block_rows", "rows = 16384", "more than Triton's 1048576 elements"),
    ],
)
def test_edited_block_programs_that_cannot_be(
    name: str, new: str, problem: str, tmp_path: Path
) -> None:
    make, old, _ = BLOCK_EDITS[name]
    text, _, _ = make()
    planned = stage(text, tmp_path, "buffers", "schedules")
    file = tmp_path / "edited.mlir"
    field = new.partition(" ")[0]
    old = old if new.count("=") > 1 else rf"{field} = \d+"
    file.write_text(re.sub(old, new, planned))
    done = run_devproc_opt([str(file), "--from-stage", "schedules"])
    assert done.code
    assert problem in done.stderr


class Net(nn.Module):
    """A convolution, a linear layer, and a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.linear = nn.Conv2d(3, 8, 3), nn.Linear(8 * 6 * 7, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.conv(x).relu().flatten(1)).softmax(-1)


INPUT = torch.randn(2, 3, 8, 9, generator=torch.Generator().manual_seed(0))


def exported() -> torch.export.ExportedProgram:
    torch.manual_seed(0)
    return torch.export.export(Net().eval(), (INPUT,))


def test_the_user_chooses_a_schedule() -> None:
    source = exported()
    plain = devproc.compile(source, threads=1, cache=False)
    (row,) = (r for r in plain.report().schedules.rows if "linear" in r.kernel)
    assert (row.algorithm, bool(row.why)) == ("register_tile", True)
    chosen = row.schedule.replace("rows = 2", "rows = 1")
    assert chosen != row.schedule
    other = devproc.compile(
        source, threads=1, cache=False, schedules={"linear*": chosen}
    )
    (now,) = (r for r in other.report().schedules.rows if "linear" in r.kernel)
    assert (now.schedule, now.why) == (chosen, "chosen by the user")
    assert "linear" in str(other.report().schedules)
    torch.testing.assert_close(other(INPUT), source.module()(INPUT))
    assert other.ir("llvm-ir") != plain.ir("llvm-ir")


@pytest.mark.parametrize(
    ("target", "schedule"),
    [
        ("cpu", "#sched.elements<spread = 0, grain = none>"),
        ("cuda:interpret", "#sched.block_rows<rows = 1048576, width = 2, warps = 4>"),
    ],
)
def test_a_schedule_is_part_of_the_key(
    target: str, schedule: str, tmp_path: Path
) -> None:
    source = exported()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEVPROC_CACHE_DIR", str(tmp_path))
        devproc.compile(source, target, threads=1)
        with pytest.raises(CompileError, match="cannot have the schedule"):
            devproc.compile(source, target, threads=1, schedules={"linear*": schedule})


@pytest.mark.parametrize(
    ("schedules", "message"),
    [
        ({"linear*": "#sched.vector<>"}, r"did you mean 'vectors'"),
        ({"linear*": "#sched.scatter<grain = 0, lanes = 1>"}, "grain"),
        (
            {"liner*": "#sched.scatter<grain = 8, lanes = 1>"},
            r"no kernel matches 'liner\*'",
        ),
        (
            {"linear*": "#sched.scatter<grain = 8, lanes = 1>"},
            "no nest that 'scatter' computes",
        ),
    ],
)
def test_schedules_that_cannot_be(schedules: dict[str, str], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        devproc.compile(exported(), threads=1, cache=False, schedules=schedules)


def test_the_user_chooses_a_schedule_of_the_gpu() -> None:
    source, target = exported(), "cuda:interpret"
    plain = devproc.compile(source, target, cache=False)
    planned = {row.kernel: row for row in plain.report().schedules.rows}
    (linear,) = (row for name, row in planned.items() if "linear" in name)
    (softmax,) = (row for row in planned.values() if row.algorithm == "block_rows")
    assert linear.algorithm == "block_tile"
    chosen = {
        linear.kernel: re.sub(r"\bk = \d+", "k = 16", linear.schedule),
        softmax.kernel: re.sub(r"width = \d+", "width = 32", softmax.schedule),
    }
    other = devproc.compile(source, target, cache=False, schedules=chosen)
    now = {row.kernel: row for row in other.report().schedules.rows}
    assert now.keys() == planned.keys()
    text = other.ir("schedules")
    for name, row in now.items():
        before = planned[name]
        wanted = chosen.get(name, before.schedule)
        why = "chosen by the user" if name in chosen else before.why
        assert (row.schedule, row.why) == (wanted, why)
        assert f'{wanted} why "{why}"' in text
    assert other.ir("triton-source") != plain.ir("triton-source")
    torch.testing.assert_close(other(INPUT), source.module()(INPUT))


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (
            "#sched.elements<spread = 0, grain = none>",
            "no kernels of the device 'cuda'",
        ),
        ("#sched.blocks<size = 100, warps = 4>", "'size' must be a power of two"),
        (
            "#sched.block_rows<rows = 65536, width = 32, warps = 4>",
            "more than Triton's",
        ),
        (
            "#sched.block_scan<rows = 1, width = 2, warps = 4>",
            "no nest that 'block_scan'",
        ),
    ],
)
def test_schedules_that_cannot_be_on_the_gpu(schedule: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        devproc.compile(
            exported(), "cuda:interpret", cache=False, schedules={"linear*": schedule}
        )


def test_a_schedule_of_the_gpu_is_none_of_the_cpu() -> None:
    schedule = "#sched.blocks<size = 128, warps = 4>"
    with pytest.raises(CompileError, match="no kernels of the device 'cpu'"):
        devproc.compile(
            exported(), threads=1, cache=False, schedules={"linear*": schedule}
        )
