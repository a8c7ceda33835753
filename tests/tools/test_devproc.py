"""The `devproc` command: each subcommand on a real model, and its messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result
from torch import nn

import devproc
from devproc.errors import UnsupportedError
from devproc.targets.triton.code import read_code
from devproc.tools.devproc import run

Command = Callable[..., Result]


@pytest.fixture(scope="module")
def model() -> nn.Module:
    torch.manual_seed(0)
    layers = nn.Sequential(
        nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(36, 5)
    )
    return layers.eval()


@pytest.fixture(scope="module")
def pt2(model: nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "net.pt2"
    torch.export.save(torch.export.export(model, (torch.randn(1, 2, 5, 6),)), path)
    return path


def test_compile_save_and_run(
    command: Command,
    model: nn.Module,
    pt2: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A cached program ran no passes whose times could be printed.
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path / "cache"))
    saved, folder = tmp_path / "net.devproc", tmp_path / "stages"
    done = command("compile", pt2, "-o", saved, "--dump", folder, "--time-passes")
    assert "plan-memory" in done.output
    assert "program for cpu" in done.output
    assert "of it" in done.output
    stages = sorted(path.name for path in folder.iterdir())
    assert stages[0] == "00-program.mlir"
    assert "program.ll" in stages
    x = np.random.default_rng(0).standard_normal((1, 2, 5, 6)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    trace, out = tmp_path / "trace.json", tmp_path / "out.npz"
    given = f"input={tmp_path / 'x.npy'}"
    done = command("run", saved, "-i", given, "-o", out, "--trace", trace)
    assert done.output.startswith("output = [[")
    assert "GFLOP/s" in done.output
    assert "conv2d_relu_0" in done.output
    wanted = model(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(np.load(out)["output"], wanted, rtol=1e-5, atol=1e-6)
    events = json.loads(trace.read_text())["traceEvents"]
    launches = [e for e in events if e.get("cat") == "launch"]
    assert len(launches) == done.output.count("%")
    assert [e["args"]["source"] for e in launches] == ["0, 1", "1", "3"]
    again = command("compile", pt2, "-q")
    assert again.output == ""
    assert "from the cache" in command("compile", pt2).output
    inspected = command("inspect", saved).output
    assert inspected.startswith("program for cpu")
    assert "placement" in inspected
    assert "linalg.generic" in command("inspect", saved, "--stage", "kernels").output


def test_fallback(command: Command, tmp_path: Path) -> None:
    class Norms(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.linalg.svdvals(x.exp()) * 2

    path, x = tmp_path / "norms.pt2", torch.randn(4, 3)
    torch.export.save(torch.export.export(Norms(), (x,)), path)
    with pytest.raises(UnsupportedError, match='fallback="torch"'):
        command("compile", path)
    done = command("verify", path, "--fallback", "torch")
    assert "dev.host_call" in done.output
    done = command("inspect", path, "--fallback", "torch", "--view", "fallbacks")
    assert "in PyTorch: 1 operator, 12 bytes copied" in done.output


def test_ahead_of_time_for_a_gpu_that_is_not_there(
    command: Command, pt2: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.devproc"
    done = command(
        "compile", pt2, "--target", "cuda", "--arch", "sm_90,sm_80",
        "--dump", tmp_path, "-o", saved,
    )  # fmt: skip
    code = read_code(devproc.load(saved).artifact.code["cuda"])
    name = next(name for name in code.kernels if name.startswith("conv2d"))
    for arch in ("sm_90", "sm_80"):
        assert f"{name}: {arch}" in done.output
        cubin = (tmp_path / f"{name}.{arch}.cubin").read_bytes()
        assert cubin.startswith(b"\x7fELF")
        assert code.for_card(arch)[name][1] == cubin
        assert code.for_card(arch).keys() == code.kernels.keys()
    assert " 0 bytes spilled" in done.output


def test_verify_names_every_op(command: Command, pt2: Path) -> None:
    done = command("verify", pt2)
    assert "nn.conv2d" in done.output
    assert "outputs agree" in done.output


def test_inspect_prints_stages_and_tables(command: Command, pt2: Path) -> None:
    assert "linalg.generic" in command("inspect", pt2, "--stage", "kernels").output
    source = command(
        "inspect", pt2, "--target", "cuda", "--stage", "triton-source"
    ).output
    assert "@triton.jit" in source
    tables = command("inspect", pt2, "--view", "memory", "--view", "placement").output
    assert "the only device" in tables


def test_schedule_by_hand(command: Command, pt2: Path) -> None:
    schedule = "#sched.blocks<size = 16, warps = 2>"
    text = command(
        "inspect", pt2, "--target", "cuda", "--stage", "schedules",
        "--schedule", f"conv*={schedule}",
    ).output  # fmt: skip
    assert f'{schedule} why "chosen by the user"' in text
    table = command("inspect", pt2, "--target", "cuda", "--view", "schedules").output
    assert "#sched.block_" in table


def test_placement_by_hand(command: Command, pt2: Path) -> None:
    done = command(
        "inspect", pt2, "--target", "cpu+cuda", "--place", "nn.conv2d=cuda",
        "--view", "copies",
    )  # fmt: skip
    assert "2 copies, 1 sync" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compile", "nothing.pt2"), "no file 'nothing.pt2'"),
        (("inspect", "nothing.py:pipe"), "no file nothing.py"),
        (("compil", "PT2"), "the commands are compile, run, bundle, bundle-check"),
        (("compil", "PT2"), "did you mean 'compile'?"),
        (("compile", "PT2", "--precision", "fst"), "did you mean 'fast'?"),
        (("compile", "PT2", "--precison", "fast"), "Did you mean '--precision'?"),
        (("compile", "PT2", "--fallback", "troch"), "did you mean 'torch'?"),
        (("compile", "PT2", "--cpu", "x86-64v3"), "did you mean 'x86-64-v3'?"),
        (
            ("compile", "PT2", "--target", "cuda:interprt"),
            "did you mean 'cuda:interpret'",
        ),
        (("inspect", "PT2", "--stage", "kernal"), "did you mean 'kernels'?"),
        (("inspect", "PT2", "--view", "memry"), "did you mean 'memory'?"),
        (("bench", "PT2", "--against", "egear"), "did you mean 'eager'?"),
        (("compile", "PT2", "--target", "tpu"), "unknown target 'tpu'"),
        (("compile", "PT2", "--place", "nn.conv2d"), "write --place PATTERN=DEVICE"),
        (("compile", "PT2", "--place", "nn.nothing=cpu"), "matches no op"),
        (("verify", "PT2", "-i", "x.npy"), "input 'input': no file x.npy"),
        (("run", "PT2"), "a torch.export program, not a saved program"),
        (("compile", "PT2", "-o", "no-folder/x"), "no folder no-folder"),
    ],
)
def test_bad_arguments(
    command: Command, pt2: Path, arguments: tuple[str, ...], message: str
) -> None:
    given = [str(pt2) if a == "PT2" else a for a in arguments]
    try:
        output = command(*given, code=2).output
    except Exception as error:
        output = str(error)
    assert message in output


SURVEYED = """
import torch

def relu():
    return torch.nn.ReLU(), (torch.randn(3),)

class Inverse(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x)

def inverse():
    return Inverse(), (torch.eye(3),)

MODELS = {"relu": relu, "inverse": inverse}
"""


def test_survey(command: Command, tmp_path: Path) -> None:
    models = tmp_path / "models.py"
    models.write_text(SURVEYED)
    found = command("survey", models, code=1).output.splitlines()
    assert found[1].split()[:5] == ["relu", "yes", "yes", "yes", "yes"]
    assert "aten.linalg_inv" in found[2]
    assert len(command("survey", models, "relu").output.splitlines()) == 2
    # As for a script: what lies beside the file can be imported.
    (tmp_path / "all.py").write_text("from models import MODELS")
    strict = command("survey", tmp_path / "all.py", "relu", "--precision", "strict")
    assert strict.output.splitlines()[0].startswith("model")
    unknown = command("survey", models, "invers", code=2).output
    assert (
        "has no model invers; it has relu, inverse; did you mean 'inverse'?" in unknown
    )


NOISY = """
import logging, sys, warnings
import torch

def noisy():
    logging.getLogger("torch").error("logged")
    warnings.warn("warned")
    print("printed", file=sys.stderr)
    return torch.nn.ReLU(), (torch.randn(3),)

def after():
    print("printed by the first model before the second" if ROWS else "too late")
    return torch.nn.ReLU(), (torch.randn(3),)

MODELS = {"noisy": noisy, "after": after}
"""


def test_survey_prints_rows_as_they_come_and_no_dumps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Straight to the file descriptors, where loggers write."""
    models = tmp_path / "models.py"
    models.write_text(NOISY.replace("if ROWS else", "or"))
    monkeypatch.setattr("sys.argv", ["devproc", "survey", str(models)])
    with pytest.raises(SystemExit) as done:
        run()
    assert done.value.code == 0
    found = capfd.readouterr()
    lines = [line.split()[0] for line in found.out.splitlines()]
    assert lines == ["model", "noisy", "printed", "after"]
    assert not any(word in found.err for word in ("logged", "warned", "printed"))
