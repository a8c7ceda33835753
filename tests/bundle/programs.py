"""Small programs for bundles, and their bundles, each made once."""

from __future__ import annotations

import atexit
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

import devproc
from devproc.program import Program

Array = NDArray[np.generic]


class Convolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Conv2d(3, 8, 3, stride=2)
        self.f = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.f(torch.relu(self.c(x)).mean((2, 3)))


class Memory(nn.Module):
    """States that a call updates in place (`ring`), and in a second place."""

    total: torch.Tensor
    calls: torch.Tensor
    ring: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(3, 7))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("ring", torch.randn(5, 7))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.total.mul_(0.5).add_(x)
        self.calls.add_(1)
        self.ring.copy_(torch.roll(self.ring, 1, 0) + x[:1])
        return self.total.sum(-1), self.ring * 2


class Types(nn.Module):
    """Inputs and outputs of many dtypes, one of them of rank 0."""

    def forward(
        self,
        half: torch.Tensor,
        brain: torch.Tensor,
        wide: torch.Tensor,
        flags: torch.Tensor,
        number: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        double = wide.double() * 0.1
        return half * 2, brain + 1, double, ~flags, number * 3, wide.sum()


@cache
def classify() -> devproc.Pipeline:
    """Bytes of an image to logits and a label."""
    torch.manual_seed(0)
    model = torch.export.export(Convolution().eval(), (torch.randn(1, 3, 17, 19),))
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", (40, 50, 3))
    x = pipe.resize(image, (17, 19), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
    logits = pipe.model(model, pipe.layout(x, "HWC->NCHW"))
    pipe.output("logits", logits)
    pipe.output("label", pipe.argmax(logits, axis=-1))
    return pipe


@cache
def memory() -> Any:
    """A model with states."""
    torch.manual_seed(1)
    return torch.export.export(Memory().eval(), (torch.randn(3, 7),))


@cache
def types() -> Any:
    """A model of many dtypes."""
    given = (
        torch.randn(3, 5).half(),
        torch.randn(2, 9).bfloat16(),
        torch.arange(4, dtype=torch.int32),
        torch.tensor([True, False, True]),
        torch.tensor(7, dtype=torch.int64),
    )
    return torch.export.export(Types().eval(), given)


@cache
def detect() -> devproc.Pipeline:
    """A camera frame to the boxes that survive suppression: a bounded count."""
    pipe = devproc.pipeline("detect")
    frame = pipe.input("frame", "uint8", (24, 32), layout="HW")
    rgb = pipe.yuv(frame, "NV12->RGB", like="opencv")
    x = pipe.normalize(rgb, mean=(0.5,) * 3, std=(0.25,) * 3)
    boxes = pipe.input("boxes", "float32", (20, 4))
    row = pipe.select(pipe.select(x, axis=2, index=0), axis=0, index=0)
    found = pipe.nms(boxes, pipe.slice(row, 0, stop=20), iou_threshold=0.5, max_n=6)
    pipe.output("found", found)
    return pipe


def new_folder() -> Path:
    """A folder that is there until the tests end."""
    folder = Path(mkdtemp(prefix="bundle-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


SOURCES = {"classify": classify, "memory": memory, "types": types, "detect": detect}


@cache
def program(name: str, cpu: str = "native", threads: int = 2) -> Program:
    """A program of this module, compiled."""
    source: Any = SOURCES[name]()
    return devproc.compile(source, threads=threads, cpu=cpu)


@cache
def bundle(name: str, cpu: str = "native", **options: Any) -> Path:
    """The folder of its bundle, with golden cases by the references."""
    folder = new_folder()
    compiled = program(name, cpu)
    compiled.export_bundle(folder, name=name, reference=SOURCES[name](), **options)
    return folder


def random_inputs(name: str, seed: int) -> list[Array]:
    """Random inputs of a program as memory holds them."""
    random = np.random.default_rng(seed)
    found: list[Array] = []
    for spec in program(name).interface.inputs:
        if spec.dtype == "bool":
            found.append(random.integers(0, 2, spec.shape).astype(np.bool_))
        elif spec.dtype == "bfloat16":
            values = random.standard_normal(spec.shape).astype(np.float32)
            found.append((values.view(np.uint32) >> 16).astype(np.uint16))
        elif spec.dtype.startswith("float"):
            values = 20 * random.standard_normal(spec.shape)
            found.append(np.asarray(values).astype(spec.dtype))
        else:
            found.append(np.asarray(random.integers(0, 99, spec.shape, spec.dtype)))
    return found


def compile_c(
    folder: Path, sources: Sequence[str | Path], *flags: str, compiler: str = "cc"
) -> Path:
    """An executable of C sources with a bundle's folder; skips without a compiler."""
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    target = new_folder() / "program"
    given = [*map(str, sources), f"-I{folder}", *flags, "-o", str(target)]
    checks = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    done = subprocess.run(
        [compiler, *checks, *given], cwd=folder, capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    return target


def run(command: Sequence[str | Path], folder: Path, code: int = 0) -> str:
    """What a command prints, which ends with this code."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr
