"""The package devproc-runtime: saved programs run without the compiler, bit for bit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import nn

import devproc
from devproc.program import Program
from devproc.targets.cpu.code import CPUCode
from examples import camera, classify, small_models
from tests.e2e.test_language_models import prompt, small, tokenizer
from tests.repository import ROOT

PACKAGE = "packages/devproc-runtime"

BEGIN = """
import json, sys, time
import numpy as np
spent = time.process_time()
import devproc_runtime as devproc
devproc.load, devproc.LanguageModel
spent = time.process_time() - spent
folder = sys.argv[1]
"""

END = """
blocked = ("torch", "xdsl", "llvmlite", "triton", "rich", "devproc")
print(json.dumps({
    "seconds": spent,
    "blocked": [name for name in blocked if name in sys.modules],
    "foreign": [
        name for name, module in sys.modules.items()
        if name.startswith("devproc") and not name.startswith("devproc_runtime")
    ],
}))
"""

RUN = """
def outputs_of(name, **files):
    given = np.load(f"{folder}/{name}.npz")
    program = devproc.load(f"{folder}/{name}.devproc")
    for call in range(2):
        outputs = program.run_flat(list(given.values()))
    np.savez(f"{folder}/{name}-outputs.npz", *outputs)
    program.reset()
    program.run_flat(list(given.values()))
    traced, events = program.observe_flat(list(given.values()))
    assert all(map(np.array_equal, traced, outputs))
    kernels = {row.name: row.launches for row in program.report().kernels.rows}
    seen = [step.symbol for step, begin, end in events if end >= begin]
    assert {k: seen.count(k) for k in seen} == {k: n for k, n in kernels.items() if n}
    (text := open(f"{folder}/{name}.txt", "w")).write(str(program.report()))
    assert "kernels:" in program.report()._repr_html_()
    program.save(f"{folder}/{name}-again.devproc", report=True)
    return program

for name in ("photo", "bert", "cache"):
    outputs_of(name)
assert devproc.load(f"{folder}/photo.devproc").exactness
bert = devproc.load(f"{folder}/bert-again.devproc")
given = np.load(f"{folder}/bert.npz")
hidden, pooled = bert(*given.values())
wanted = np.load(f"{folder}/bert-outputs.npz")
assert np.array_equal(hidden, wanted["arr_0"])
"""

EXAMPLES = """
for name in sys.argv[2:]:
    given = np.load(f"{folder}/{name}.npz")
    outputs = devproc.load(f"{folder}/{name}.devproc").run_flat(list(given.values()))
    np.savez(f"{folder}/{name}-outputs.npz", *outputs)
"""

GENERATE = """
model = devproc.LanguageModel.load(f"{folder}/model.devproc")
found = model.generate(json.loads(sys.argv[2]), 9)
print(json.dumps([found.ids, found.text, model.generate("hello", 5).ids]))
"""

REFUSE = """
program = devproc.load(f"{folder}/photo.devproc")
def message(act):
    try:
        act()
    except devproc.DevProcError as error:
        return [type(error).__name__, str(error)]
print(json.dumps([
    message(lambda: program.ir("tensor")),
    message(lambda: devproc.compile),
    message(lambda: devproc.load(f"{folder}/plain.devproc").report()),
    message(lambda: devproc.load(f"{folder}/gpu.devproc")),
    message(lambda: devproc.load(f"{folder}/arm.devproc")),
    message(lambda: devproc.load(f"{folder}/lacking.devproc")),
    message(lambda: program(image=np.zeros(3))),
    [hasattr(devproc, "verify")],
]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built in a copy: setuptools keeps files of former builds."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    for name in ("devproc", PACKAGE):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    pip += ["--no-build-isolation", "--wheel-dir", str(folder), str(folder / PACKAGE)]
    subprocess.run(pip, check=True)
    (found,) = folder.glob("devproc_runtime-*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the wheel, NumPy and tokenizers, and nothing else."""
    venv = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    (site,) = venv.glob("lib/python*/site-packages")
    installed = Path(sysconfig.get_path("purelib"))
    for name in ("numpy", "numpy.libs", "tokenizers"):
        if (installed / name).exists():
            (site / name).symlink_to(installed / name)
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    return python


def photo() -> devproc.Pipeline:
    """From a photograph to the label."""
    torch.manual_seed(0)
    net = nn.Sequential(
        *(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 19, 3, padding=1)),
        *(nn.BatchNorm2d(19), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        nn.Linear(19, 7),
    ).eval()
    exported = torch.export.export(net, (torch.zeros(1, 3, 32, 32),))
    pipe = devproc.pipeline("photo")
    x = pipe.input("image", "uint8", (45, 61, 3))
    x = pipe.resize(x, (32, 32), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
    logits = pipe.model(exported, pipe.layout(x, "HWC->NCHW"))
    pipe.output("logits", logits)
    pipe.output("label", pipe.argmax(logits, axis=-1))
    return pipe


class Bert(nn.Module):
    """The encoder with a tuple as result."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        config = transformers.BertConfig(
            vocab_size=100,
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=48,
        )
        self.model = transformers.BertModel(config)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[Any, Any]:
        found = self.model(ids, mask)
        return found.last_hidden_state, found.pooler_output


class Cache(nn.Module):
    """One state that is updated in place, and one that is not."""

    rows: torch.Tensor
    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 3))
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        rows = self.rows.index_copy_(0, place, x)
        self.total.copy_(self.total * 0.5 + rows.sum(0))
        return self.total.exp()


def changed(program: Program, **fields: Any) -> Program:
    """The program with other requirements of its code."""
    code = CPUCode.from_bytes(program.artifact.code["cpu"])
    code = code._replace(cpu=replace(code.cpu, **fields))
    artifact = replace(program.artifact, code={"cpu": code.to_bytes()})
    return Program(artifact, program.weights)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved programs with their inputs."""
    folder = tmp_path_factory.mktemp("programs")
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 100, (2, 9))
    mask = np.ones_like(ids)
    mask[1, 6:] = 0
    bert = torch.export.export(
        Bert().eval(), (torch.tensor(ids), torch.tensor(mask)), strict=False
    )
    cache = (torch.zeros(1, 3), torch.tensor([1]))
    programs: dict[str, tuple[Any, list[Any]]] = {
        "photo": (photo(), [rng.integers(0, 256, (45, 61, 3), np.uint8)]),
        "bert": (bert, [ids, mask]),
        "cache": (
            torch.export.export(Cache(), cache),
            [rng.standard_normal((1, 3), np.float32), np.array([2])],
        ),
    }
    for name, (source, given) in programs.items():
        program = devproc.compile(source, threads=2, cache=False)
        program.save(folder / f"{name}.devproc", report=True)
        np.savez(folder / f"{name}.npz", *given)
    program = devproc.compile(photo(), threads=1)
    program.save(folder / "plain.devproc")
    assert not program.saved_artifact(False).report_text
    lacking = changed(devproc.load(folder / "photo.devproc"), features=("avx", "apx"))
    lacking.save(folder / "lacking.devproc", report=True)
    return folder


def run(
    python: Path, source: str, *given: object, path: str = "", end: str = END
) -> list[Any]:
    """What a process prints, each line as JSON; without the folder of the repository."""
    environment = {**os.environ, "PYTHONPATH": path, "DEVPROC_CACHE_DIR": "/dev/null"}
    done = subprocess.run(
        [python, "-c", BEGIN + source + end, *map(str, given)],
        cwd=python.parent, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def same_bits(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    pairs = zip(first.values(), second.values(), strict=True)
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs)


def test_programs_give_the_same_bits(python: Path, folder: Path) -> None:
    """A picture, a text and a state, their traces and reports, where only NumPy is."""
    (found,) = run(python, RUN, folder)
    assert (found["blocked"], found["foreign"]) == ([], [])
    assert found["seconds"] < 0.15
    for name in ("photo", "bert", "cache"):
        program = devproc.load(folder / f"{name}.devproc")
        given = list(np.load(folder / f"{name}.npz").values())
        program.run_flat(given)
        wanted = {str(i): x for i, x in enumerate(program.run_flat(given))}
        assert same_bits(wanted, np.load(folder / f"{name}-outputs.npz"))
        text = (folder / f"{name}.txt").read_text()
        tables = [table for table in program.report().shown() if table.rows]
        assert all(table.title in text for table in tables)
        again = devproc.load(folder / f"{name}-again.devproc")
        assert again.report() == program.report()


def test_programs_of_the_examples(python: Path, tmp_path: Path) -> None:
    image = small_models.photograph()
    programs: dict[str, tuple[Program, Any]] = {
        "classify": (
            classify.build(image.shape, small_models.resnet(classify.CLASSES)),
            image,
        ),
        "camera": (camera.build(), next(camera.frames(1))),
    }
    for name, (program, given) in programs.items():
        program.save(tmp_path / f"{name}.devproc")
        np.savez(tmp_path / f"{name}.npz", given)
    (found,) = run(python, EXAMPLES, tmp_path, *programs)
    assert (found["blocked"], found["foreign"]) == ([], [])
    for name, (program, given) in programs.items():
        wanted = {
            str(i): np.asarray(x) for i, x in enumerate(program.run_flat([given]))
        }
        assert same_bits(wanted, np.load(tmp_path / f"{name}-outputs.npz"))


def test_a_language_model(python: Path, tmp_path: Path) -> None:
    model = devproc.from_transformers(
        small("Llama", num_hidden_layers=1),
        *(),
        capacity=24,
        prefill=(8,),
        tokenizer=tokenizer(),
        cache=False,
    )
    model.save(tmp_path / "model.devproc")
    wanted = model.generate(prompt(), 9)
    (ids, text, more), found = run(python, GENERATE, tmp_path, json.dumps(prompt()))
    assert (tuple(ids), text) == (wanted.ids, wanted.text)
    assert tuple(more) == model.generate("hello", 5).ids
    assert found["blocked"] == []


def test_what_it_refuses(python: Path, folder: Path) -> None:
    """Each in one line: what needs the compiler, and programs of other machines."""
    pipe = photo()
    gpu = devproc.compile(pipe, "cuda:interpret", threads=1, cache=False)
    gpu.save(folder / "gpu.devproc")
    devproc.compile(pipe, cpu="aarch64", threads=1).save(folder / "arm.devproc")
    messages, _ = run(python, REFUSE, folder)
    *refused, (kind, given), (has_verify,) = messages
    needs = (
        "needs the compiler, which devproc-runtime does not have; pip install devproc"
    )
    wanted = [
        ("CompilerNeededError", f"this (devproc.driver) {needs}"),
        ("CompilerNeededError", f"devproc.compile {needs}"),
        ("CompilerNeededError", f"this (devproc.report.make_report) {needs}"),
        ("BundleError", needs),
        ("BundleError", "for cpu 'aarch64' (aarch64), this machine is"),
        ("BundleError", "this machine lacks: apx; compile it here"),
    ]
    for (name, text), (wanted_name, part) in zip(refused, wanted, strict=True):
        assert name == wanted_name
        assert part in text
        assert "\n" not in text
    assert kind == "InputError"
    assert "'image'" in given
    assert not has_verify


def test_both_packages_in_one_process(python: Path, wheel: Path, folder: Path) -> None:
    """They share no file, and each runs programs beside the other."""
    with zipfile.ZipFile(wheel) as archive:
        assert {n.partition("/")[0].partition("-")[0] for n in archive.namelist()} == {
            "devproc_runtime"
        }
    (site,) = python.parent.parent.glob("lib/python*/site-packages")
    both = """
import devproc as whole
given = list(np.load(f"{folder}/bert.npz").values())
first, second = (d.load(f"{folder}/bert.devproc") for d in (devproc, whole))
assert type(first) is not type(second) and whole.compile
a, b = first(*given), second(*given)
print(json.dumps([x.tobytes() == y.tobytes() for x, y in zip(a, b)]))
"""
    path = os.pathsep.join(map(str, (site, ROOT)))
    (same,) = run(Path(sys.executable), both, folder, path=path, end="")
    assert same == [True, True]


def test_its_names_are_those_of_devproc(python: Path) -> None:
    source = """
from devproc_runtime.needs_compiler import NAMES
print(json.dumps([devproc.__all__, NAMES]))
"""
    (here, elsewhere), _ = run(python, source, "")
    own = {"CompilerNeededError"}
    assert {*here, *elsewhere} - own == set(devproc.__all__)
