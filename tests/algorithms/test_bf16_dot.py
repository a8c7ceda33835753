"""Products of bf16 in pairs: plans, refusals, values of schedules, models beside PyTorch.

Only a processor that has the instruction runs it; its code is looked at anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from xdsl.dialects.builtin import ModuleOp

import devproc
from devproc.algorithms.base import Refusal
from devproc.dialects.dev import LayoutAttr
from devproc.errors import CompileError
from devproc.reference.conversion.packing.register_tile import pack
from devproc.targets.cpu.jit import assembly
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.machine.processors import CPUS
from tests.algorithms.schedules import decisions, planned, problem, run_by
from tests.cpu.assembly_loops import inner_loops, multiplications, stack_accesses
from tests.cpu.native_kernels import generic, kernel, llvm_text, run_passes

NAME, EXTENSION = "bf16_dot", "avx512bf16"
ROWS, COLUMNS, WIDTH = 5, 93, 32
WITH: dict[str, Any] = {"extensions": (EXTENSION,)}
needs_the_instruction = pytest.mark.skipif(
    EXTENSION not in CPUTarget.host().extensions,
    reason=f"this processor has no {EXTENSION}",
)
BODY = """
  %wide0 = arith.extf %x0 : {0} to f32
  %wide1 = arith.extf %x1 : {0} to f32
  %p = arith.mulf %wide0, %wide1 : f32
  %r = arith.addf %y0, %p : f32"""
RELU = "%zero = arith.constant 0.0 : f32\n%r = arith.maximumf %x0, %zero : f32"


def product(
    depth: int = 67,
    layout: str = f"[0, 1], [{WIDTH}, 2]",
    dtype: str = "bf16",
    left: str = "m, k",
    **options: Any,
) -> ModuleOp:
    """relu(x w^T), the result in f32."""
    rows = f"{ROWS}x{depth}" if left == "m, k" else f"{depth}x{ROWS}"
    plain = [f"{rows}x{dtype}", f"{COLUMNS}x{depth}x{dtype}"]
    result = f"memref<{ROWS}x{COLUMNS}xf32>"
    packed = f'memref<{plain[1]}, #dev.on<"cpu", #dev.layout<{layout}>>>'
    types = [f"memref<{plain[0]}>", packed, result]
    kinds = ["parallel", "parallel", "reduction"]
    maps = [left, "n, k", "m, n"]
    anchor = generic(maps, kinds, types, 2, BODY.format(dtype), "m, n, k")
    after = generic(["m, n"] * 2, kinds[:2], [result] * 2, 1, RELU, "m, n", 2)
    text = f"""
      %start = arith.constant 0.0 : f32
      linalg.fill ins(%start : f32) outs(%a2 : {result})
      {anchor}
      {after.replace("%a3", "%a2")}"""
    return kernel("contraction", types, text, algorithm=NAME, **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (WITH, "instruction = yes, rows = 5,"),
        ({}, "instruction = no, rows = 5,"),
        (WITH | {"precision": "strict"}, "instruction = no, rows = 5,"),
        ({"vector_bits": 256}, "instruction = no, rows = 1,"),
        (
            {"cpu": "aarch64", "layout": "[0, 1], [12, 2]"},
            "instruction = no, rows = 5,",
        ),
        ({"cpu": "x86-64", "layout": "[0, 1], [8, 2]"}, "instruction = no, rows = 3,"),
    ],
)
def test_plan(options: dict[str, Any], expected: str) -> None:
    schedule = str(planned(product(**options), NAME))
    layout = options.get("layout", f"[0, 1], [{WIDTH}, 2]")
    # With narrow panels there are enough of them for two threads.
    spread = 1 if "layout" in options else 2
    assert schedule == (
        f"#sched.bf16_dot<weight = #dev.layout<{layout}>, {expected} cut = none,"
        " block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [],"
        f" spread = {spread}, grain = 1>"
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"dtype": "f16"}, "its factors are not bf16, widened to f32"),
        (
            {"layout": "[0, 1], [24, 2]"},
            "its panels of 24 columns are not 1 to 4 vectors of 16",
        ),
        ({"layout": "[0, 1], [2, 32]"}, "no vectors along the outputs"),
        ({"left": "k, m"}, "the pairs of a row are not contiguous"),
    ],
)
def test_what_it_does_not_take(options: dict[str, Any], reason: str) -> None:
    (decision,) = decisions(product(**options), NAME)
    assert isinstance(decision, Refusal)
    assert reason in decision.why


def test_panels_without_pairs_are_others() -> None:
    assert decisions(product(layout="[0, 1], [32, 1]"), NAME) == []


@pytest.mark.parametrize(
    ("options", "changes", "reason"),
    [
        ({}, {"instruction": True}, "needs a processor with avx512bf16"),
        (WITH | {"precision": "strict"}, {"instruction": True}, "is not strict"),
        (WITH, {"rows": 4}, "5 rows are not tiles of 4 or 3"),
        (WITH, {"weight": LayoutAttr.get([0, 1], [16, 2])}, "that of its memory"),
        (WITH, {"cut": (1, 2)}, "must be at a place below 1"),
        (WITH, {"spread": 3}, "must be at most 2"),
        (WITH, {"prefetch_results": (1,)}, "numbers of results, of which there are 1"),
    ],
)
def test_refusals(
    options: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    module = product(**options)
    schedule = planned(module, NAME).replace(**changes)
    assert reason in str(problem(module, NAME, schedule))


def bits(values: Tensor) -> np.ndarray:
    """bf16 as NumPy can hold it."""
    return values.view(torch.int16).numpy().copy()


def normal(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator).bfloat16()


CHANGES: list[dict[str, Any]] = [
    {},
    {"rows": 1, "accumulators": 16, "spread": 1, "grain": 1},
    {"rows": 3, "spread": 2, "grain": 2, "block": 16, "prefetch_results": (0,)},
    {"rows": 5, "block": 1, "prefetch_panel": True, "spread": 0, "grain": None},
    {"rows": 5, "block": 7, "accumulators": 1, "cut": (0, 1)},
]


@pytest.mark.parametrize("depth", [2, 3, 64, 131])
@pytest.mark.parametrize(
    "instruction", [False, pytest.param(True, marks=needs_the_instruction)]
)
@pytest.mark.parametrize("changes", CHANGES)
def test_changes_compute_a_product(
    changes: dict[str, Any], instruction: bool, depth: int
) -> None:
    x, weight = normal(ROWS, depth), normal(COLUMNS, depth)
    x[1, -1], x[2, 0], weight[4, 1] = torch.nan, torch.inf, -torch.inf
    x[3], weight[7] = 0, 0
    module = product(depth, **(WITH if instruction else {}))
    schedule = planned(module, NAME).replace(**changes)
    packed = pack(LayoutAttr.get([0, 1], [WIDTH, 2]), weight)
    result = np.full((ROWS, COLUMNS), np.nan, np.float32)
    arrays = [bits(x), bits(packed), result]
    found = run_by(module, NAME, schedule, arrays)[2]
    with np.errstate(invalid="ignore"):
        wanted = np.maximum(x.double().numpy() @ weight.double().numpy().T, 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=2e-5)


def linear(columns: int, depth: int, *rows: int) -> tuple[nn.Module, Tensor]:
    return nn.Linear(depth, columns), torch.zeros(*rows, depth)


class Right(nn.Module):
    """A weight on the right of a product, in rows of its columns."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(75, 53))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x @ self.weight) * 2


MODELS: dict[str, Callable[[], tuple[nn.Module, Tensor]]] = {
    "one_row": lambda: linear(53, 67, 1),
    "few_columns": lambda: linear(2, 131, 3, 5),
    "batch": lambda: linear(129, 200, 3, 7),
    "long_sum": lambda: linear(65, 1025, 33),
    "many_rows": lambda: linear(64, 96, 301),
    "right": lambda: (Right(), torch.zeros(2, 19, 75)),
    "conv1x1": lambda: (nn.Conv2d(19, 33, 1), torch.zeros(2, 19, 7, 9)),
    "conv3x3": lambda: (nn.Conv2d(6, 21, 3, padding=1), torch.zeros(3, 6, 9, 11)),
    "strided": lambda: (nn.Conv2d(32, 40, (3, 5), 2, 2), torch.zeros(2, 32, 13, 15)),
    "sequence": lambda: (nn.Conv1d(12, 20, 5, padding=2), torch.zeros(2, 12, 37)),
}


def filled(like: Tensor) -> Tensor:
    return torch.randn(
        like.shape, generator=torch.Generator().manual_seed(1)
    ).bfloat16()


def compiled(model: nn.Module, given: Tensor, precision: str) -> devproc.Program:
    exported = torch.export.export(model, (given,))
    return devproc.compile(exported, threads=1, precision=precision, cache=False)


@pytest.mark.parametrize("name", MODELS)
def test_error_is_bounded_by_that_of_pytorch(name: str) -> None:
    torch.manual_seed(0)
    model, like = MODELS[name]()
    model = model.bfloat16().eval()
    x, exact = filled(like), deepcopy(model).double()
    with torch.no_grad():
        theirs, wanted = model(x).double(), exact(filled(like).double())
    exported = torch.export.export(model, (x,))
    found: dict[str, Tensor] = {}
    for precision, factor in {"strict": 2, "default": 4}.items():
        program, other = (
            devproc.compile(exported, threads=n, precision=precision, cache=False)
            for n in (1, 2)
        )
        algorithms = {row.algorithm for row in program.report().schedules.rows}
        assert NAME in algorithms
        found[precision] = program(x)
        error = (found[precision].double() - wanted).abs().max()
        assert error <= factor * (theirs - wanted).abs().max()
        torch.testing.assert_close(other(x), found[precision], rtol=0, atol=0)
    # Without denormals the instruction rounds as multiply-adds do.
    torch.testing.assert_close(found["default"], found["strict"], rtol=0, atol=0)


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf, 0.0])
def test_special_values(value: float) -> None:
    torch.manual_seed(0)
    model = nn.Linear(67, 53).bfloat16().eval()
    x = filled(torch.zeros(3, 5, 67))
    x[1, 2, 66], x[2] = value, value
    with torch.no_grad():
        wanted = model(x)
        model.weight[7] = value
        wanted_of_weight = model(x)
        found_of_weight = compiled(model, x, "default")(x)
    model.weight.data[7] = 0
    with torch.no_grad():
        wanted[..., 7] = model(x)[..., 7]
    found = compiled(model, x, "default")(x)
    for ours, theirs in ((found, wanted), (found_of_weight, wanted_of_weight)):
        torch.testing.assert_close(ours, theirs, rtol=0.02, atol=0.02, equal_nan=True)


@pytest.mark.parametrize("shape", [(0, 67), (2, 0, 67), (3, 0)])
def test_empty(shape: tuple[int, ...]) -> None:
    model = nn.Linear(shape[-1], 53).bfloat16().eval()
    x = torch.zeros(shape).bfloat16()
    with torch.no_grad():
        torch.testing.assert_close(compiled(model, x, "default")(x), model(x))


def test_denormals() -> None:
    """They count with "strict"; the instruction takes them for zero."""
    torch.manual_seed(0)
    model = nn.Linear(64, 32, bias=False).bfloat16().eval()
    model.weight.data.mul_(1e38)
    x = torch.full((4, 64), 2.0**-130).bfloat16()
    wanted = x.double() @ model.weight.double().T
    torch.testing.assert_close(
        compiled(model, x, "strict")(x).double(), wanted, rtol=2.0**-8, atol=2.0**-12
    )
    program = compiled(model, x, "default")
    (row,) = program.report().schedules.rows
    if "instruction = yes" in row.schedule:
        assert not program(x).any()


def test_a_schedule_of_the_user() -> None:
    torch.manual_seed(0)
    model = nn.Linear(67, 53).bfloat16().eval()
    x = filled(torch.zeros(5, 67))
    exported = torch.export.export(model, (x,))

    def run(schedule: str | None, precision: str = "default") -> tuple[str, Tensor]:
        schedules = {} if schedule is None else {"linear*": schedule}
        program = devproc.compile(
            exported, threads=1, precision=precision, cache=False, schedules=schedules
        )
        (row,) = program.report().schedules.rows
        return row.schedule, program(x)

    planned, wanted = run(None)
    widened, found = run(planned.replace("= yes", "= no"))
    assert "instruction = no" in widened
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)
    panels = planned.partition("[0, 1], [")[2].partition(",")[0]
    tile = (
        f"#sched.register_tile<weight = #dev.layout<[0, 1], [{panels}, 1]>, rows = 3,"
        " vectors = 2, order = panels, cut = none, block = 64, accumulators = 8,"
        " prefetch_panel = no, prefetch_results = [], spread = 0, grain = none>"
    )
    torch.testing.assert_close(run(tile)[1], wanted, rtol=0.01, atol=0.01)
    for bad in (f"[{panels}, 1]", f"[2, {panels}]", "[1, 2]"):
        with pytest.raises(CompileError, match="in panels of pairs, such as"):
            run(planned.replace(f"[{panels}, 2]", bad))
    with pytest.raises(CompileError, match=r"is not strict|needs a processor"):
        run(planned.replace("= no, rows", "= yes, rows"), "strict")


@pytest.mark.parametrize(
    ("cpu", "width", "rows", "extensions"),
    [
        ("x86-64-v4", 32, 5, (EXTENSION,)),
        ("x86-64-v4", 48, 5, (EXTENSION,)),
        ("x86-64-v4", 48, 5, ()),
        ("x86-64-v3", 16, 3, ()),
        ("aarch64", 12, 5, ()),
    ],
)
def test_the_inner_loop(
    cpu: str, width: int, rows: int, extensions: tuple[str, ...]
) -> None:
    """The instructions of a pair of terms: nothing is on the stack."""
    known = CPUS[cpu]
    module = product(
        640, f"[0, 1], [{width}, 2]", cpu=cpu, extensions=extensions, threads=1
    )
    vectors = 32 * width // known.vector_bits
    assert planned(module, NAME).values["rows"] == rows
    text = llvm_text(run_passes(module))
    features = ",".join(f"+{name}" for name in (*known.features, *extensions))
    triple = f"{known.architecture}-unknown-linux-gnu"
    target = CPUTarget(triple, known.llvm_name, features)
    loops = inner_loops(assembly(text, target))
    dots = [sum("vdpbf16ps" in line for line in loop) for loop in loops]
    adds = [multiplications(loop, known.architecture) for loop in loops]
    each = rows * vectors
    counts, terms = (dots, 1) if extensions else (adds, 2)
    assert any(count and count % (terms * each) == 0 for count in counts)
    assert bool(extensions) == any(dots)
    assert not any(stack_accesses(loop, known.architecture) for loop in loops)
