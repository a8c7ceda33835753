"""A compiled program as an object: calls, errors, saving, caching, threads."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.errors import BundleError
from devproc.program import Program
from devproc.runtime.execution.native_executor import NativeExecutor


@pytest.fixture(scope="module")
def exported() -> torch.export.ExportedProgram:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 3)).eval()
    return torch.export.export(model, (torch.randn(2, 8),))


@pytest.fixture(scope="module")
def pipe(exported: torch.export.ExportedProgram) -> devproc.Pipeline:
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", (5, 7, 3))
    x = pipe.resize(image, (4, 2), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=(0.4, 0.5, 0.6), std=(0.2, 0.3, 0.4))
    x = pipe.layout(x, "HWC->NCHW")
    x = pipe.softmax(x, axis=-1)
    pipe.output("probabilities", x)
    pipe.output("best", pipe.argmax(x, axis=1))
    return pipe


def test_wrong_inputs_are_named_with_both_sides(pipe: devproc.Pipeline) -> None:
    program = devproc.compile(pipe)
    image = np.zeros((5, 7, 3), np.uint8)
    with pytest.raises(devproc.InputError, match="input 'image' is missing"):
        program()
    with pytest.raises(devproc.InputError, match="'frame' is not an input"):
        program(image=image, frame=image)
    with pytest.raises(devproc.InputError, match=r"uint8 \(5, 7, 3\), got float32"):
        program(image=image.astype(np.float32))
    with pytest.raises(devproc.InputError, match=r"\(5, 7, 3\), got uint8 \(3, 5, 7\)"):
        program(image=np.zeros((3, 5, 7), np.uint8))
    with pytest.raises(devproc.InputError, match="got list"):
        program(image=image.tolist())
    with pytest.raises(devproc.InputError, match="by position and by name"):
        program(image, image=image)


def test_a_saved_program_runs_alone(
    exported: torch.export.ExportedProgram, tmp_path: Path
) -> None:
    program = devproc.compile(exported)
    x = torch.randn(2, 8)
    program.save(tmp_path / "net.devproc")
    loaded = devproc.load(tmp_path / "net.devproc")
    assert torch.equal(loaded(x), program(x))
    assert loaded.ir("kernels") == program.ir("kernels")


def test_a_damaged_file_is_refused(
    exported: torch.export.ExportedProgram, tmp_path: Path
) -> None:
    path = tmp_path / "net.devproc"
    with pytest.raises(devproc.BundleError, match="no saved program"):
        devproc.load(path)
    devproc.compile(exported).save(path)
    whole = path.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        with pytest.raises(devproc.BundleError, match="not a whole saved program"):
            devproc.load(path)


def test_the_second_compilation_comes_from_the_cache(
    exported: torch.export.ExportedProgram,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path))
    first = devproc.compile(exported)
    second = devproc.compile(exported)
    assert "cache" not in [r.name for r in first.timings]
    assert "cache" in [r.name for r in second.timings]
    x = torch.randn(2, 8)
    assert torch.equal(first(x), second(x))
    for entry in tmp_path.rglob("*.zip"):
        entry.write_bytes(b"damaged")
    assert torch.equal(devproc.compile(exported)(x), first(x))


def test_several_python_threads_share_a_program(
    exported: torch.export.ExportedProgram,
) -> None:
    program = devproc.compile(exported, threads=2)
    inputs = [torch.randn(2, 8) for _ in range(8)]
    wanted = [program(x) for x in inputs]
    wrong: list[int] = []

    def call(number: int) -> None:
        for _ in range(50):
            if not torch.equal(program(inputs[number]), wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=call, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_pipeline_equals_pillow_and_pytorch(pipe: devproc.Pipeline) -> None:
    from PIL import Image

    program = devproc.compile(pipe)
    rng = np.random.default_rng(4)
    for _ in range(5):
        image = rng.integers(0, 256, (5, 7, 3), dtype=np.uint8)
        resized = Image.fromarray(image).resize((2, 4), Image.Resampling.BILINEAR)
        x = torch.from_numpy(np.array(resized)).float() / 255
        x = (x - torch.tensor([0.4, 0.5, 0.6])) / torch.tensor([0.2, 0.3, 0.4])
        wanted = torch.softmax(x.permute(2, 0, 1)[None], -1)
        out = program(image=image)
        np.testing.assert_allclose(
            out["probabilities"], wanted.numpy(), rtol=2e-6, atol=1e-7
        )
        np.testing.assert_array_equal(out["best"], wanted.argmax(1).numpy())


def test_a_trace_holds_every_kernel(
    exported: torch.export.ExportedProgram, tmp_path: Path
) -> None:
    program = devproc.compile(exported)
    x = torch.randn(2, 8)
    traced = program.trace(tmp_path / "trace.json", x)
    assert torch.equal(traced, program(x))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    launches = [e for e in events if e.get("cat") == "launch"]
    assert len(launches) == 2
    assert all(e["dur"] >= 0 for e in launches)


class Twice(nn.Module):
    """Two layers of one shape, which share their kernels, with different work between."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.softmax(self.first(x), -1))


@pytest.mark.parametrize("check_bounds", [False, True])
def test_a_trace_names_the_source_of_each_launch(
    check_bounds: bool, tmp_path: Path
) -> None:
    """With `check_bounds`, a segment is one file, and so one event."""
    model, x = Twice().eval(), torch.randn(5, 8)
    program = devproc.compile(
        torch.export.export(model, (x,)), threads=2, check_bounds=check_bounds
    )
    for _ in range(2):
        traced = program.trace(tmp_path / "trace.json", x)
        torch.testing.assert_close(traced, model(x))
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        launches = [e for e in events if e.get("cat") == "launch"]
        sources = [e["args"]["source"].split(" ")[0] for e in launches]
        names = [e["name"] for e in launches]
        if check_bounds:
            assert len(names) == 1
            assert names[0].count("linear") == 2
            continue
        assert [s for s, n in zip(sources, names, strict=True) if "linear" in n] == [
            "first",
            "second",
        ]
        ends = [e["ts"] + e["dur"] for e in launches]
        starts = [e["ts"] for e in launches]
        assert all(a <= b for a, b in zip(ends, starts[1:], strict=False))


@pytest.mark.parametrize("known", ["nothing", "no places"])
def test_a_trace_of_a_program_of_another_version(tmp_path: Path, known: str) -> None:
    """It may lack what a trace needs, although its format has the same number."""
    x = torch.randn(3, 8)
    exported = torch.export.export(nn.Linear(8, 5).eval(), (x,))
    devproc.compile(exported).save(tmp_path / "linear.devproc")
    loaded = devproc.load(tmp_path / "linear.devproc")
    host = loaded.artifact.host
    kernels = {name: replace(k, places=()) for name, k in host.kernels.items()}
    host = replace(host, kernels=kernels if known == "no places" else {})
    program = Program(replace(loaded.artifact, host=host), loaded.weights)
    torch.testing.assert_close(program(x), loaded(x))
    with pytest.raises(BundleError, match="saved by another version"):
        program.trace(tmp_path / "trace.json", x)
    assert not (tmp_path / "trace.json").exists()


def test_a_trace_takes_no_page_faults(
    exported: torch.export.ExportedProgram,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run that is written down finds its memory touched by one before it."""
    executors: list[NativeExecutor] = []
    run = NativeExecutor.run

    def spy(self: NativeExecutor, *args: Any) -> None:
        executors.append(self)
        run(self, *args)

    monkeypatch.setattr(NativeExecutor, "run", spy)
    devproc.compile(exported).trace(tmp_path / "trace.json", torch.randn(2, 8))
    first, second = executors
    assert first is second


def test_unknown_target_stage_and_source() -> None:
    with pytest.raises(devproc.CompileError, match="unknown target 'tpu'"):
        devproc.compile(devproc.pipeline("empty"), target="tpu")
