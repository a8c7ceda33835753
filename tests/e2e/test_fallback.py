"""`fallback="torch"`: what is not compiled runs in PyTorch, beside the eager module."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.driver import module_text, parse_module
from devproc.entry import verify
from devproc.stages import STAGES

TARGETS = ("cpu", "cuda:interpret", "cpu+cuda:interpret")


@torch.library.custom_op("devproc_test::suppress", mutates_args=())
def suppress(
    boxes: torch.Tensor, scores: torch.Tensor, threshold: float, count: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Non-maximum suppression: the first `count` boxes that are kept, and how many."""
    kept: list[int] = []
    for index in scores.argsort(descending=True).tolist():
        low = torch.maximum(boxes[kept, :2], boxes[index, :2])
        high = torch.minimum(boxes[kept, 2:], boxes[index, 2:])
        shared = (high - low).clamp_min(0).prod(1)
        areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
        union = areas[kept] + areas[index] - shared
        if not bool((shared > threshold * union).any()) and len(kept) < count:
            kept.append(index)
    found = torch.full((count,), -1)
    found[: len(kept)] = torch.tensor(kept, dtype=torch.int64)
    return found, torch.tensor(len(kept), dtype=torch.uint8)


@suppress.register_fake
def _(
    boxes: torch.Tensor, scores: torch.Tensor, threshold: float, count: int
) -> tuple[torch.Tensor, torch.Tensor]:
    found = boxes.new_empty((count,), dtype=torch.int64)
    return found, boxes.new_empty((), dtype=torch.uint8)


@torch.library.custom_op("devproc_test::liar", mutates_args=())
def liar(x: torch.Tensor) -> torch.Tensor:
    """Gives another shape than its fake implementation promises."""
    return x[:1].clone()


@liar.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("devproc_test::product", mutates_args=())
def product(x: torch.Tensor) -> torch.Tensor:
    """A matrix product, which autocast would do in another dtype."""
    return x @ x.T


@product.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return x.new_empty((x.shape[0], x.shape[0]))


@torch.library.custom_op(
    "devproc_test::drop",
    mutates_args=(),
    tags=(torch.Tag.nondeterministic_seeded,),
)
def drop(x: torch.Tensor, dropout_p: float) -> torch.Tensor:
    """Draws random numbers unless `dropout_p` is 0."""
    return x * 3 if dropout_p == 0 else x * torch.rand_like(x)


@drop.register_fake
def _(x: torch.Tensor, dropout_p: float) -> torch.Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("devproc_test::bump", mutates_args={"x"})
def bump(x: torch.Tensor) -> None:
    """Writes to its operand."""
    x.add_(1)


class Model(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def exported_of(
    function: Callable[..., Any], *inputs: torch.Tensor
) -> torch.export.ExportedProgram:
    return torch.export.export(Model(function).eval(), inputs)


def problems(function: Callable[..., Any], *inputs: torch.Tensor) -> Sequence[str]:
    with pytest.raises(devproc.UnsupportedError) as caught:
        devproc.compile(exported_of(function, *inputs), fallback="torch")
    return [str(problem) for problem in caught.value.problems]


def random(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)))


def detect(boxes: torch.Tensor, scores: torch.Tensor) -> Any:
    corners = torch.cat([boxes, boxes + 0.5], 1).relu()
    found, count = suppress(corners, scores.sigmoid(), 0.3, 5)
    return found * 2, count + 250, corners


def eigenvalues(x: torch.Tensor) -> Any:
    """Complex results of PyTorch, which compiled code and PyTorch go on with."""
    values, vectors = torch.linalg.eig(x[:, :6].relu())
    inverse = torch.linalg.inv(vectors)
    parts = torch.view_as_real(values)
    return ((vectors * values) @ inverse).real + x[:, :6], parts + 1, values.abs().sum()


def algebra(x: torch.Tensor) -> Any:
    square = x @ x.T + 3 * torch.eye(6)
    q, r = torch.linalg.qr(square)
    return (
        torch.linalg.solve(square, x) * 2,
        q @ r,
        torch.linalg.slogdet(square),
        [torch.linalg.cholesky(square), torch.linalg.eigvalsh(square) + 1],
    )


def across(x: torch.Tensor) -> torch.Tensor:
    """A value that waits while native code runs between two regions."""
    y = torch.special.bessel_j0(x)
    scale = torch.special.bessel_j1(torch.relu(y) * 0.5).exp()
    return torch.special.airy_ai(y * scale)


def special(x: torch.Tensor) -> Any:
    y = torch.special.bessel_j0(x.exp()) + torch.special.airy_ai(x)
    # Not contiguous, empty, and in place.
    z = torch.special.bessel_y1(x.T.abs() + 1)
    return y, z, torch.special.bessel_j1(x[:, :0]), y.clone().igamma_(x.abs())


def half(x: torch.Tensor) -> torch.Tensor:
    return torch.special.bessel_j1(x.float()).to(torch.bfloat16) * x


def masks(x: torch.Tensor) -> Any:
    y = torch.special.bessel_j0(x.to(torch.float64)) > 0.5
    return y, torch.special.airy_ai(x), ~y


CASES: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...]]] = {
    "custom operator": (detect, (random(9, 2), random(9))),
    "complex": (eigenvalues, (random(6, 7),)),
    "linalg": (algebra, (random(6, 7),)),
    "between regions": (across, (random(5, 6),)),
    "special": (special, (random(3, 5),)),
    "bfloat16": (half, (random(3, 5).bfloat16(),)),
    "float64 and bool": (masks, (random(3, 5),)),
}


def close(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(found, wanted, rtol=2e-4, atol=2e-5, equal_nan=True)


@pytest.mark.parametrize("name", CASES)
def test_beside_the_eager_module(name: str) -> None:
    function, inputs = CASES[name]
    exported = exported_of(function, *inputs)
    program = devproc.compile(exported, fallback="torch", threads=1)
    assert program.report().fallbacks.rows
    wanted = function(*inputs)
    for _ in range(2):
        close(program(*inputs), wanted)
    other = tuple(torch.flip(x, [0]) for x in inputs)
    close(program(*other), function(*other))
    result = verify(exported, fallback="torch", threads=1)
    assert result.passed, result.summary()
    assert any(row.name == "dev.host_call" for row in result.ops)


@pytest.mark.parametrize("target", TARGETS[1:])
@pytest.mark.parametrize("name", ["custom operator", "complex"])
def test_beside_a_gpu(name: str, target: str) -> None:
    function, inputs = CASES[name]
    exported = exported_of(function, *inputs)
    program = devproc.compile(exported, target, fallback="torch", threads=1)
    close(program(*inputs), function(*inputs))
    devices = {row.device for row in program.report().placement.rows}
    assert "host" in devices


@pytest.mark.parametrize("stage", [*STAGES[1:]], ids=lambda stage: stage.name)
def test_every_level_is_text_that_parses(stage: Any) -> None:
    program = devproc.compile(
        exported_of(across, random(5, 6)), fallback="torch", threads=1
    )
    text = program.ir(stage.name)
    assert text.count("dev.host_call") == len(program.report().fallbacks.rows)
    module = parse_module(text)
    module.verify()
    assert module_text(module) == text


def test_neighbours_share_one_region() -> None:
    program = devproc.compile(exported_of(eigenvalues, random(6, 7)), fallback="torch")
    launches = [s for s in program.artifact.host.steps if s.device == "host"]
    assert len(launches) == 1
    rows = program.report().fallbacks.rows
    copied = {row.operator: row.byte_count for row in rows}
    assert copied["aten.linalg_eig.default"] == copied["aten.linalg_inv.default"] == 0
    assert copied["aten.real.default"] == 6 * 6 * 4
    text = str(program.report())
    assert "in PyTorch:" in text
    assert "linalg_eig at" in text
    assert "factorizations and solvers" in text


def test_without_the_option_the_refusal_names_it() -> None:
    with pytest.raises(devproc.UnsupportedError) as caught:
        devproc.compile(exported_of(detect, random(9, 2), random(9)))
    (problem,) = caught.value.problems
    assert problem.what.startswith("devproc_test.suppress.default")
    assert problem.remedy.endswith('or run it in PyTorch with fallback="torch"')


def test_nothing_falls_back_where_all_is_supported() -> None:
    exported = exported_of(torch.relu, random(3, 5))
    program = devproc.compile(exported, fallback="torch")
    assert "host" not in program.artifact.code
    assert not program.report().fallbacks.rows
    assert "in PyTorch" not in str(program.report())


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: torch.nonzero(x > 0), "the shape of its result depends on the data"),
        (lambda x: x + torch.rand_like(x), "draws random numbers"),
        (lambda x: drop(x, 0.5), "draws random numbers"),
        (lambda x: x * x.sum().item(), "aten.item"),
        (
            lambda x: x[2:].as_strided((3, 2), (1, 2), 0),
            "reads memory that its operand",
        ),
        (torch.fft.fft, "complex64 cannot leave the program"),
        (
            lambda x: torch.cond(x.sum() > 0, torch.relu, torch.exp, (x,)),
            "control flow",
        ),
        (lambda x: nn.functional.dropout(x, 0.5, True), "training mode"),
    ],
    ids=[
        "nonzero",
        "random",
        "dropout",
        "item",
        "strides",
        "complex",
        "cond",
        "training",
    ],
)
def test_what_is_still_refused(function: Callable[..., Any], reason: str) -> None:
    found = problems(function, random(4, 4))
    assert any(reason in text for text in found), found
    assert not any("fallback=" in text for text in found)


def test_an_operator_that_writes_is_refused() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        bump(y)
        return y

    (text,) = problems(model, random(3))
    assert "auto_functionalized" in text


def test_all_problems_at_once() -> None:
    def model(x: torch.Tensor) -> Any:
        return torch.nonzero(x), torch.special.bessel_j0(x), torch.rand_like(x) + x

    assert len(problems(model, random(3, 3))) == 2


def test_unknown_fallback() -> None:
    with pytest.raises(
        devproc.DevProcError, match="unknown fallback 'tvm'; use 'torch'"
    ):
        devproc.compile(exported_of(torch.relu, random(2)), fallback="tvm")


def test_a_wrong_promise_is_found() -> None:
    program = devproc.compile(
        exported_of(lambda x: liar(x) + 1, random(3)), fallback="torch"
    )
    with pytest.raises(devproc.CompileError, match=r"liar.*gave.*\(1\).*register_fake"):
        program(random(3))


def test_dropout_that_is_off() -> None:
    program = devproc.compile(
        exported_of(lambda x: drop(x, 0.0) + 1, random(3)), fallback="torch"
    )
    close(program(random(3)), random(3) * 3 + 1)


def test_what_surrounds_a_call_does_not_matter() -> None:
    program = devproc.compile(exported_of(product, random(3, 4)), fallback="torch")
    wanted = program(random(3, 4))
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.inference_mode():
        found = program(random(3, 4))
    assert torch.equal(found, wanted)
    assert not found.requires_grad


def test_in_a_pipeline() -> None:
    exported = exported_of(detect, random(9, 2), random(9))
    pipe = devproc.pipeline("detect")
    boxes = pipe.input("boxes", "float32", (9, 2))
    scores = pipe.input("scores", "float32", (9,))
    with pytest.raises(devproc.UnsupportedError, match="fallback"):
        pipe.model(exported, boxes, scores)
    found, count, _ = pipe.model(exported, boxes, scores, fallback="torch")
    pipe.output("found", pipe.cast(found, "float32"))
    pipe.output("count", count)
    given = {"boxes": random(9, 2), "scores": random(9)}
    results = devproc.compile(pipe)(**given)
    wanted = detect(*given.values())
    close(results["found"], wanted[0].float())
    close(results["count"], wanted[1])


def test_saved_and_cached_programs(tmp_path: Path) -> None:
    function, inputs = CASES["custom operator"]
    exported = exported_of(function, *inputs)
    programs = [devproc.compile(exported, fallback="torch") for _ in range(2)]
    for program in programs:
        close(program(*inputs), function(*inputs))
    program = programs[1]
    assert "cache" in [record.name for record in program.timings]
    program.save(tmp_path / "net.devproc")
    loaded = devproc.load(tmp_path / "net.devproc")
    close(loaded(*inputs), function(*inputs))
    for found, wanted in zip(
        loaded(*(x.numpy() for x in inputs)), function(*inputs), strict=True
    ):
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5)


def errors_of_loads(paths: Sequence[Path], before: str = "") -> list[str]:
    """What a fresh process says of each program, after some statements."""
    lines = [
        *(before, "import devproc"),
        f"for path in {[str(path) for path in paths]}:",
        "    try: devproc.load(path)",
        "    except devproc.BundleError as error: print(error)",
    ]
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_load_says_what_is_missing(tmp_path: Path) -> None:
    exported = exported_of(detect, random(9, 2), random(9))
    pipe = devproc.pipeline("detect")
    boxes, scores = pipe.input("b", "float32", (9, 2)), pipe.input("s", "float32", (9,))
    pipe.output("found", pipe.model(exported, boxes, scores, fallback="torch")[0])
    plain = exported_of(torch.relu, random(3))
    pair = deque((random(3), random(3)))
    queue = torch.export.export(Model(lambda pair: pair[0] - pair[1]).eval(), (pair,))
    paths = [tmp_path / name for name in ("pipe", "plain", "queue")]
    for path, source in zip(paths, (pipe, plain, queue), strict=True):
        devproc.compile(source, threads=1).save(path)
    (found,) = errors_of_loads(paths[:1])
    assert found.startswith("operator 'devproc_test.suppress.default'")
    assert "import the module that registers it" in found
    # Plain tensors and containers need no PyTorch.
    found, other = errors_of_loads(paths, "import sys; sys.modules['torch'] = None")
    assert "needs PyTorch: it runs devproc_test.suppress.default in it" in found
    assert "needs PyTorch: it is called with the exported model's containers" in other


def test_a_trace_shows_the_region(tmp_path: Path) -> None:
    program = devproc.compile(
        exported_of(across, random(5, 6)), fallback="torch", threads=1
    )
    close(program.trace(tmp_path / "trace.json", random(5, 6)), across(random(5, 6)))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert "host_0" in [event["name"] for event in events if event["ph"] == "X"]
