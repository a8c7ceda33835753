"""Files and objects that are no program: the message says what they are and what to do."""

from __future__ import annotations

import pickle
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

import devproc
from devproc.errors import BuildError, BundleError, CompileError
from devproc.runtime.bundles.files import kind_of

X = torch.randn(5, 3)


class Payload:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> Any:
        return (pytest.fail, ("the file was unpickled",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of each kind."""
    path = tmp_path_factory.mktemp("files")
    model = nn.Sequential(nn.Linear(3, 2)).eval()
    exported = torch.export.export(model, (X,))
    torch.export.save(exported, path / "net.pt2")
    torch.save(model, path / "module.pt")
    torch.save(model.state_dict(), path / "state.pt")
    torch.save({"epoch": 3, "model": model.state_dict()}, path / "checkpoint.ckpt")
    torch.save(Payload(), path / "payload.pt")
    torch.save(model, path / "old.pt", _use_new_zipfile_serialization=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.script(model), path / "script.pt")
    save_file(model.state_dict(), path / "weights.safetensors")
    devproc.compile(exported, cache=False).save(path / "net.devproc")
    devproc.export_json(exported, path / "net.json")
    (path / "net.onnx").write_bytes(b"\x08\x0a")
    (path / "app.py").write_text("raise SystemExit('the file was run')")
    (path / "empty").mkdir()
    (path / "hub").mkdir()
    (path / "hub" / "config.json").write_text("{}")
    return path


@pytest.mark.parametrize(
    ("name", "what", "remedy"),
    [
        ("module.pt", "a pickled torch.nn.modules.container.Sequential", "torch.load"),
        ("state.pt", "a pickled dict (a state dict", "load_state_dict"),
        ("checkpoint.ckpt", "a pickled dict (a state dict", "load_state_dict"),
        ("payload.pt", "a pickled _pytest.outcomes", "only if you trust it"),
        ("old.pt", "a pickled object (torch.save)", "torch.export.save"),
        ("script.pt", "a TorchScript archive", "the module that it was made from"),
        ("weights.safetensors", "weights without a program", "--weights"),
        ("net.onnx", "an ONNX model", "torch.export.save"),
        ("app.py", "a Python file", "app.py:NAME"),
        (".", "a folder", "name a file in it: app.py, net.devproc, net.json, net.pt2"),
        ("empty", "a folder", "name a file in it"),
        ("hub", "a folder", "transformers"),
    ],
)
def test_foreign_files(folder: Path, name: str, what: str, remedy: str) -> None:
    for read, wanted in (
        (devproc.compile, "not a torch.export program"),
        (devproc.load, "not a saved program"),
    ):
        with pytest.raises(BundleError) as caught:
            read(folder / name)
        for part in (str(folder / name), what, wanted, remedy):
            assert part in str(caught.value)


def test_programs_of_the_other_kind(folder: Path) -> None:
    with pytest.raises(BundleError, match=r"compiled already.*devproc\.load"):
        devproc.compile(folder / "net.devproc")
    for name, what in (("net.pt2", "a torch.export program"), ("net.json", "JSON")):
        with pytest.raises(BundleError, match=rf"{what}.*devproc\.compile\('"):
            devproc.load(folder / name)


def test_unknown_and_damaged_files_have_no_kind(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    assert kind_of(path) is None
    path.write_bytes(b"text")
    assert kind_of(path) is None
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("net/data.pkl", pickle.dumps([1])[:-3] + b"\xff")
    assert kind_of(path) is None
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    assert kind_of(path) is None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (nn.Linear(3, 2), r"a Linear.*torch\.export\.export\(model\.eval"),
        (nn.Linear, r"the class Linear: make a module"),
        (nn.Linear(3, 2).state_dict(), "a dict .*load_state_dict"),
        (X, "a Tensor: the only model entry"),
        (None, "a NoneType"),
        (b"net.pt2", "a bytes"),
    ],
)
def test_foreign_objects(source: Any, message: str) -> None:
    with pytest.raises(BuildError, match=message):
        devproc.compile(source)


def test_a_compiled_program_and_torchscript() -> None:
    program = devproc.compile(torch.export.export(nn.ReLU(), (X,)), cache=False)
    with pytest.raises(BuildError, match="compiled already; call it"):
        devproc.compile(program)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(nn.ReLU(), X)
    with pytest.raises(BuildError, match="TorchScript is not read"):
        devproc.compile(traced)  # type: ignore[arg-type]


@pytest.mark.parametrize("extra", [X, (X,), None, [X]])
def test_inputs_are_no_target(extra: Any) -> None:
    with pytest.raises(
        CompileError, match=r"target must be a name.*inputs are given to"
    ):
        devproc.compile(nn.ReLU(), extra)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "cudda"}, "unknown target 'cudda'.*did you mean 'cuda'"),
        ({"target": "cpu+cuda:interprt"}, r"did you mean 'cuda:interpret'"),
        ({"precision": "Fast"}, "one of strict, default, fast; did you mean 'fast'"),
        ({"precision": None}, "unknown precision 'None'; one of strict"),
        ({"cpu": "x86-64v3"}, "did you mean 'x86-64-v3'"),
        (
            {"arch": "sm90"},
            "unknown arch 'sm90'; write it as NVIDIA does, 'sm_90', and several as 'sm_90,sm_80'",
        ),
        ({"placement": {"nn.rleu": "cpu"}}, r"matches no op.*did you mean 'nn\.relu'"),
        ({"placement": ["nn.relu"]}, "placement must be a dict.*got a list"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, Any], message: str) -> None:
    exported = torch.export.export(nn.ReLU(), (X,))
    with pytest.raises(CompileError, match=message):
        devproc.compile(exported, **options)


def test_stages_that_do_not_exist() -> None:
    program = devproc.compile(torch.export.export(nn.ReLU(), (X,)))
    for name, known in (("kernal", "kernels"), ("llvmir", "llvm-ir")):
        with pytest.raises(CompileError, match=f"did you mean '{known}'"):
            program.ir(name)


def test_json_without_weights(folder: Path) -> None:
    message = "no file given for the 2 weights; give one with .*--weights"
    with pytest.raises(BundleError, match=message):
        devproc.compile(folder / "net.json")


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_a_gpu_that_is_not_there() -> None:
    """Compiling is a use of its own; what cannot be done is said at once."""
    exported = torch.export.export(nn.ReLU(), (X,))
    for target in ("cuda", "cpu+cuda"):
        with pytest.warns(UserWarning, match="'cuda:interpret'") as caught:
            program = devproc.compile(exported, target, placement={"nn.relu": "cuda"})
        assert caught[0].filename == __file__
        assert "@triton.jit" in program.ir("triton-source")
        with pytest.raises(CompileError, match="cannot run here: 'cuda' needs"):
            program(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        devproc.compile(exported, "cuda:interpret")
        devproc.compile(exported, "cpu+cuda", placement={"nn.relu": "cpu"})(X)
