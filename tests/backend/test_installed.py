"""Devices of other packages: they appear, are broken, are in each other's way, disappear."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from devproc import plugins, registry
from devproc.backend import installed
from devproc.backend.placement import Placement
from devproc.backend.stage import with_devices
from devproc.backend.target import parse_target
from devproc.driver import run_stages, stages_between
from devproc.entry import source_key
from devproc.errors import BundleError, CompileError, RegistrationError
from devproc.ir.entry_points import TARGETS, digest_of_packages
from devproc.registry import dialects, passes, texts
from devproc.stages import COMMON, STAGES
from devproc.targets import BACKENDS
from tests.backend.packages import DEVICE, install_device
from tests.filecheck_runner import run_devproc_opt
from tests.repository import context, parse

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    def make(name: str = "npu", source: str = DEVICE, **names: str) -> Path:
        return install_device(tmp_path, monkeypatch, name, source, **names)

    return make


def with_stage(
    name: str = "arrays",
    run: str = "'relu-to-abs'",
    device: str = "'npu'",
    after: str = "tensor",
) -> str:
    """The source of a device with one stage."""
    stage = f'Stage("{name}", "why", ({run},), frozenset(), {device}, "{after}")'
    return f"""{DEVICE}
    passes = {{"relu-to-abs": "tests.plugins.relu_lab:ReluToAbsPass"}}
    stages = ({stage},)
"""


def exported() -> torch.export.ExportedProgram:
    return torch.export.export(nn.ReLU().eval(), (torch.zeros(2, 3),))


def test_without_plugins_the_devices_are_ours() -> None:
    assert installed.device_names() == tuple(BACKENDS)
    assert not installed.broken()
    assert digest_of_packages(TARGETS) == ""
    assert all(installed.package(name) == "devproc" for name in BACKENDS)


def test_a_device_appears_and_disappears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = installed.device_names(), plugins.stages(), passes(), texts()
    with monkeypatch.context() as patch:
        install_device(tmp_path, patch, "npu", with_stage())
        assert installed.device_names() == (*BACKENDS, "npu")
        assert "npu_device" not in sys.modules, "a name imports nothing"
        assert installed.backend("npu").name == "npu"
        assert installed.backend("npu") is installed.backends()["npu"]
        assert installed.package("npu") == "npu_device 1.2"
        assert installed.memory_of("npu") == "npu"
        assert installed.is_asynchronous("npu")
        assert "relu-to-abs" in passes()
    assert (installed.device_names(), plugins.stages(), passes(), texts()) == before
    with pytest.raises(CompileError, match="no device is called 'npu'"):
        installed.backend("npu")


@pytest.mark.parametrize(
    ("source", "place", "message"),
    [
        ("raise OSError('no licence')", "Device", "OSError: no licence"),
        ("import no_such_library", "Device", "ModuleNotFoundError"),
        ("", "Device", "AttributeError"),
        ("Device = 7", "Device", "not a subclass of devproc.backend.Backend"),
        ("class Device: pass", "Device", "not a subclass of devproc.backend.Backend"),
        (
            DEVICE + "    def __init__(self):\n        raise RuntimeError('no card')",
            "Device",
            r"'npu_device:Device\(\)' fails: RuntimeError: no card",
        ),
    ],
)
def test_a_broken_device_is_named_and_stops_no_other(
    install: Install, source: str, place: str, message: str
) -> None:
    install(source=source, place=place)
    assert "npu" in installed.device_names()
    assert "npu" not in installed.backends()
    assert set(installed.broken()) == {"npu"}
    name = "the device 'npu' of the package 'npu_device 1.2'"
    for use in (
        lambda: installed.backend("npu"),
        lambda: devproc.compile(exported(), "cpu+npu", cache=False),
    ):
        with pytest.raises(RegistrationError, match=message) as error:
            use()
        assert f"{name} (docs/backends.md)" in str(error.value)
    x = torch.randn(2, 3)
    program = devproc.compile(exported(), cache=False)
    assert torch.equal(program(x), torch.relu(x))


@pytest.mark.parametrize("name", ["cpu", "cuda", "host"])
def test_the_name_of_a_device_of_ours(install: Install, name: str) -> None:
    install(name, package="other")
    with pytest.raises(
        RegistrationError, match=r"the packages other 1\.2 and devproc have it"
    ):
        installed.backend(name)


def test_two_packages_with_one_device(install: Install) -> None:
    install(package="first")
    install(package="second")
    with pytest.raises(
        RegistrationError, match=r"the packages first 1\.2 and second 1\.2 have it"
    ):
        installed.device_names()
    done = run_devproc_opt(["--list-stages"])
    assert "the packages first 1.2 and second 1.2" in done.stderr


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('dialects = {"nn": "a:B"}', "another dialect 'nn'; rename it"),
        ('passes = {"place-ops": "a:B"}', "another pass 'place-ops'; rename it"),
        ('texts = {"llvm-ir": None}', "another text 'llvm-ir'; rename it"),
    ],
)
def test_names_that_are_taken(install: Install, entry: str, message: str) -> None:
    install(source=f"{DEVICE}    {entry}\n")
    kinds = {"dialects": dialects, "passes": passes, "texts": texts}
    with pytest.raises(RegistrationError, match=message) as error:
        kinds[entry.partition(" ")[0]]()
    assert "the device 'npu' of the package 'npu_device 1.2'" in str(error.value)


def test_its_stage_is_placed_and_runs_for_its_target(install: Install) -> None:
    install(source=with_stage())
    names = [stage.name for stage in plugins.stages()]
    assert names.index("arrays") == names.index("tensor") + 1
    assert [name for name in names if name != "arrays"] == [s.name for s in STAGES]
    (stage,) = stages_between("tensor", "arrays")
    tensor = next(stage for stage in STAGES if stage.name == "tensor")
    assert stage.legal_after == tensor.legal_after
    assert stage.legal_of["npu"] == frozenset()
    text = """
    module attributes {{devproc.target = #dev.target<"{}", precision = "default",
        threads = 1>}} {{
      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
        %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
        func.return %0 : tensor<2xf32>
      }}
    }}"""
    for target, op in (("cpu", "nn.relu"), ("cpu+npu", "nn.abs")):
        module = parse(text.format(target))
        run_stages(module, context(), [stage])
        assert op in str(module)


def test_stages_of_two_devices_after_the_same_one(install: Install) -> None:
    install(source=with_stage())
    other = with_stage("rows", device="'dsp'").replace("relu-to-abs", "dsp-relu")
    install("dsp", other)
    names = [stage.name for stage in plugins.stages()]
    place = names.index("tensor")
    assert names[place : place + 3] == ["tensor", "rows", "arrays"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            with_stage(after="tensr"),
            "'arrays' of the device 'npu'.*`after` is 'tensr'; the stages are program, "
            "tensor.*did you mean 'tensor'",
        ),
        (
            with_stage(device="None"),
            "its stage 'arrays': it is for 'None'; give device=",
        ),
        (with_stage(device="'cpu'"), "its stage 'arrays': it is for 'cpu'"),
        (
            with_stage(run="'relu-to-ab'"),
            "no pass is called 'relu-to-ab'; list it in `passes`; did you mean 'relu-to-abs'",
        ),
    ],
)
def test_stages_that_cannot_be_placed(
    install: Install, source: str, message: str
) -> None:
    install(source=source)
    with pytest.raises(RegistrationError, match=f"(?s){message}") as error:
        plugins.stages()
    assert "'npu'" in str(error.value)
    with pytest.raises(RegistrationError):
        devproc.compile(exported(), cache=False)


def test_a_stage_that_follows_none() -> None:
    stage = replace(COMMON[-1], name="other")
    with pytest.raises(RegistrationError, match="`after` is 'None'"):
        with_devices(COMMON, [stage])


def test_names_close_to_those_of_texts(install: Install) -> None:
    install(source=with_stage())
    program = devproc.compile(exported(), cache=False)
    for asked, meant in (("llvm-ri", "llvm-ir"), ("arays", "arrays")):
        with pytest.raises(CompileError, match=f"did you mean '{meant}'"):
            program.ir(asked)


def test_keys_have_the_sources_of_devices(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, keys = exported(), list[str]()

    def add_key() -> None:
        found = source_key(source, {}, Placement(), None, {})
        assert found is not None
        keys.append(found[0].name)

    add_key()
    module = install()
    add_key()
    module.write_text(module.read_text() + "\nMORE = 1\n")
    # The sources are read once for each value of the path.
    monkeypatch.syspath_prepend(str(module.parent / "empty"))
    add_key()
    assert "npu_device" not in sys.modules, "a key does not import the package"
    monkeypatch.undo()
    add_key()
    assert keys[0] == keys[3]
    assert len(set(keys)) == 3


RUNS = (
    DEVICE
    + """
    def legal(self, ops):
        return [op.name for op in ops if op.name not in ("nn.relu", "nn.constant")]

    def build(self, module):
        return b"relu"

    def load(self, code, weights, option=""):
        return None

    def launch(self, handle, symbol, buffers, queue=0):
        buffers[1].copy_(buffers[0].clamp(min=0))
"""
)


def test_a_saved_program_of_a_device_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, x = tmp_path / "net.devproc", torch.randn(2, 3)
    with monkeypatch.context() as patch:
        install_device(tmp_path, patch, "npu", RUNS)
        program = devproc.compile(exported(), "npu", cache=False)
        assert program.artifact.code == {"npu": b"relu"}
        program.save(path)
        assert torch.equal(devproc.load(path)(x), torch.relu(x))
    with pytest.raises(
        BundleError,
        match=r"compiled for the device 'npu', which is not installed; install npu_device 1\.2",
    ):
        devproc.load(path)


def test_a_saved_program_of_a_device_that_broke(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.devproc"
    with monkeypatch.context() as patch:
        install_device(tmp_path, patch, "npu", RUNS)
        devproc.compile(exported(), "npu", cache=False).save(path)
    install_device(tmp_path / "again", monkeypatch, "npu", "raise OSError('no card')")
    with pytest.raises(
        BundleError, match=r"(?s)the device 'npu' of .*OSError: no card"
    ):
        devproc.load(path)


def test_what_the_registry_has_of_devices_exists() -> None:
    for path in (*dialects().values(), *passes().values()):
        assert registry.load(path)
    for text in texts().values():
        assert registry.load(text.target)
    assert parse_target("cpu") == {"cpu": ""}
