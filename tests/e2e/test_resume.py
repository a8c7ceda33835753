"""The text of any stage, fed back through `devproc-opt`, leads to the same end.

And xDSL's `xdsl-opt` reads it, with its source locations, as the same program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ArrayAttr, StringAttr

import devproc
from devproc.driver import module_text, parse_module
from devproc.source import read_source
from devproc.stages import STAGES
from examples import digits
from tests.filecheck_runner import run_devproc_opt
from tests.sweeps import sampled
from tests.targets import target_attr
from tests.xdsl_opt import xdsl_opt

Source = devproc.Pipeline | torch.export.ExportedProgram


def digits_pipeline(make: Callable[[], nn.Module], folder: Path) -> Source:
    """The demo's program with an untrained model."""
    torch.manual_seed(0)
    path = digits.export(make().eval(), folder / "model.pt2")
    return digits.build_pipeline("digits", path)


class Attention(nn.Module):
    """One layer: projections, two dynamic matrix products, a softmax, a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(8, 8) for _ in range(4))

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(2, 5, 2, 4).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (self.heads(f(x)) for f in (self.q, self.k, self.v))
        h = torch.softmax(q @ k.transpose(-1, -2) * 0.5, -1) @ v
        return self.out(h.transpose(1, 2).reshape(2, 5, 8)) + x


class Branches(nn.Module):
    """Two branches that meet, several outputs, two of them the same value."""

    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Conv2d(2, 3, 3, padding=1)
        self.right = nn.Sequential(nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3), nn.ReLU())

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        y = torch.relu(self.left(x)) + self.right(x)
        pooled = nn.functional.max_pool2d(y, 2, ceil_mode=True)
        return {"y": y, "pooled": pooled, "again": y, "best": pooled.argmax(1)}


class OddConstants(nn.Module):
    """Numbers whose spelling is delicate, in several dtypes."""

    numbers: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        numbers = [float("nan"), float("inf"), -float("inf"), -0.0, 1e-45, 0.1, 3e38]
        self.register_buffer("numbers", torch.tensor(numbers))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        infinite = x + float("inf") - torch.full((7,), float("-inf"))
        odd = x * float("nan") + torch.tensor(-0.0)
        tiny = x.double() * 5e-324 + 1e300 + 0.1
        half = x.half() * 0.1 + torch.tensor(6e-8, dtype=torch.float16)
        brain = x.bfloat16() + torch.full((), float("inf"), dtype=torch.bfloat16)
        longs = (x * 10).long() + torch.full((), -(2**63))
        bytes_ = (x * 10).long().to(torch.uint8) + torch.tensor(200, dtype=torch.uint8)
        truth = x.bool() * torch.tensor(True)
        return infinite, odd, tiny, half, brain, longs, bytes_, truth, x * self.numbers


class Ordered(nn.Module):
    """What becomes ops of `linalg_ext`: a sort, a sum along an axis, a scatter."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, places = torch.sort(x, -1)
        sums = torch.cumsum(x, 1)
        return sums, torch.zeros_like(x).scatter_add(1, places, values * 2)


def exported(model: nn.Module, *shape: int) -> Source:
    torch.manual_seed(0)
    return torch.export.export(model.eval(), (torch.rand(shape),))


@dataclass(frozen=True)
class Case:
    """A program, and the ops that its mixed version puts on the GPU."""

    make: Callable[[Path], Source]
    on_gpu: tuple[str, ...]


CASES = {
    "convnet": Case(
        lambda f: digits_pipeline(digits.convnet, f), digits.LAYERS["convnet"]
    ),
    "attention": Case(lambda f: exported(Attention(), 2, 5, 8), ("nn.attention",)),
    "branches": Case(lambda f: exported(Branches(), 2, 2, 5, 7), ("nn.conv2d",)),
    "ordered": Case(lambda f: exported(Ordered(), 3, 70), ("nn.cumsum",)),
    "constants": Case(lambda f: exported(OddConstants(), 7), ("nn.add",)),
}


def program_text(case: Case, devices: str, folder: Path) -> str:
    """The first stage of a program, which carries its options."""
    module = read_source(case.make(folder)).module
    module.attributes["devproc.target"] = target_attr(
        devices, threads=2, interpret="cuda" in devices
    )
    if devices == "cpu+cuda":
        module.attributes["devproc.placement"] = ArrayAttr(
            ArrayAttr([StringAttr(op), StringAttr("cuda")]) for op in case.on_gpu
        )
    return module_text(module)


def opt(*arguments: str | Path) -> str:
    """What `devproc-opt` prints."""
    result = run_devproc_opt([str(argument) for argument in arguments])
    assert result.code == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    ("name", "devices"),
    sampled(
        product(CASES, ("cpu", "cpu+cuda")),
        "-".join,
        *("convnet-cpu", "attention-cpu+cuda", "branches-cpu+cuda"),
        *("ordered-cpu", "constants-cpu+cuda"),
    ),
)
def test_each_dump_leads_to_the_next(name: str, devices: str, tmp_path: Path) -> None:
    begin = tmp_path / "begin.mlir"
    begin.write_text(program_text(CASES[name], devices, tmp_path))
    opt(begin, "--to-stage", STAGES[-1].name, "--dump-dir", tmp_path / "direct")
    dumps = sorted((tmp_path / "direct").iterdir())
    assert [d.stem.partition("-")[2] for d in dumps] == [s.name for s in STAGES]
    assert dumps[0].read_text() == begin.read_text()
    for (dump, following), (stage, to) in zip(
        pairwise(dumps), pairwise(s.name for s in STAGES), strict=True
    ):
        text = opt(dump, "--from-stage", stage, "--to-stage", to, "--print-debuginfo")
        # A text on its own ends in an empty line.
        assert text == following.read_text() + "\n", f"going on from stage '{stage}'"
    # A stage without work leaves the text as it is.
    for dump in {dump.read_text(): dump for dump in dumps}.values():
        read = parse_module(xdsl_opt(dump, "--print-debuginfo"))
        assert module_text(read) == dump.read_text(), f"xdsl-opt of {dump.name}"


@pytest.mark.parametrize("target", ["llvm-ir", "triton-source"])
def test_every_stage_leads_to_the_same_code(target: str, tmp_path: Path) -> None:
    begin = tmp_path / "begin.mlir"
    begin.write_text(program_text(CASES["branches"], "cpu+cuda", tmp_path))
    dumps = tmp_path / "dumps"
    last = STAGES[-1].name
    wanted = opt(begin, "--to-stage", last, "--dump-dir", dumps, "-t", target)
    assert wanted.strip()
    for dump in sorted(dumps.iterdir()):
        stage = dump.stem.partition("-")[2]
        text = opt(dump, "--from-stage", stage, "-t", target)
        assert text == wanted, f"from stage '{stage}'"
