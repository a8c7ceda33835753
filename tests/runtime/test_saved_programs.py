"""Saved programs: what is checked before anything runs, how they are written and signed."""

from __future__ import annotations

import json
import os
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import devproc
from devproc.errors import BundleError
from devproc.ir.weights.table import WeightTable
from devproc.program import Program
from devproc.runtime.calls.pytree_calling import PytreeCalling
from devproc.runtime.calls.structure import DEEPEST, loads_structure
from devproc.runtime.execution import native_executor
from tests.fuzz.files import exported, image_pipeline, inputs, resealed
from tests.repository import ROOT

KEY = b"sixteen bytes or"
KINDS = ("model", "cache", "image", "gpu", "loop")


def recurrent() -> torch.export.ExportedProgram:
    """A recurrent layer: on a GPU, the host program loops over its steps."""
    layer = torch.nn.GRU(3, 5).eval()
    return torch.export.export(layer, (torch.zeros(4, 2, 3),))


class Cache(torch.nn.Module):
    """A state that is updated in place."""

    rows: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 3))

    def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        return self.rows.index_copy_(0, place, x).sum(0)


def cache() -> torch.export.ExportedProgram:
    return torch.export.export(Cache(), (torch.zeros(1, 3), torch.tensor([1])))


@pytest.fixture(scope="module")
def programs() -> dict[str, Program]:
    return {
        "model": devproc.compile(exported(), threads=2),
        "cache": devproc.compile(cache(), threads=1),
        "image": devproc.compile(image_pipeline(), threads=1, check_bounds=True),
        "gpu": devproc.compile(image_pipeline(), target="cuda:interpret", threads=1),
        "loop": devproc.compile(recurrent(), target="cuda:interpret", threads=1),
    }


@pytest.fixture(scope="module")
def files(
    programs: dict[str, Program], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("programs")
    found = {kind: folder / f"{kind}.devproc" for kind in KINDS}
    for kind, path in found.items():
        programs[kind].save(path)
    return found


@pytest.fixture
def program(programs: dict[str, Program]) -> Program:
    return programs["model"]


def run(program: Program) -> list[Any]:
    """The outputs for the same inputs each time, from the first state."""
    program.reset()
    return list(program.run_flat(inputs(program)))


def refused(path: Path, **options: Any) -> str:
    """The message for a file that must not load."""
    with pytest.raises(BundleError) as caught:
        devproc.load(path, **options)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_program_gives_the_same(
    kind: str, programs: dict[str, Program], files: dict[str, Path]
) -> None:
    wanted = run(programs[kind])
    for verify in (True, False):
        for found, value in zip(
            run(devproc.load(files[kind], verify=verify)), wanted, strict=True
        ):
            np.testing.assert_array_equal(found, value)


def set_in(*keys: Any, value: Any) -> Callable[[Any], None]:
    """Sets one field of a manifest."""

    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


def set_slots(kind: str, name: str, value: Any) -> Callable[[Any], None]:
    """Sets a field of all slots of a kind."""

    def change(data: Any) -> None:
        for slot in data["host"]["slots"]:
            if slot["kind"] == kind:
                slot[name] = value

    return change


def without(*keys: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]

    return change


def set_loop(name: str, value: Any) -> Callable[[Any], None]:
    """Sets a field of all loops of the host program."""

    def change(data: Any) -> None:
        for step in data["host"]["steps"]:
            if step["kind"] == "loop":
                step[name] = value

    return change


STEP = ("host", "steps", 0)

CHANGES: tuple[tuple[str, Callable[[Any], None], str], ...] = (
    # What has another type.
    ("model", set_in("threads", value="2"), "$.threads: must be a whole number"),
    ("model", set_in("threads", value=True), "$.threads: must be a whole number"),
    ("model", set_in("threads", value=1 << 63), "$.threads: must be a whole number"),
    ("model", set_in("host", value=None), "$.host: must be an object, got None"),
    ("model", set_in("host", "slots", 0, "shape", value=[3, 7.0]), "shape[1]: must be"),
    ("model", set_in("host", "slots", 0, "shape", value="3"), "shape: must be a list"),
    ("model", set_in(*STEP, "extra", value=1), "steps[0]: there is no field 'extra'"),
    ("model", without(*STEP, "symbol"), "steps[0]: the symbol is empty"),
    ("model", without("code"), "$: the field 'code' is missing"),
    ("model", set_in("code", value=[]), "$.code: must be an object"),
    ("model", set_in("code", "cpu", value="w"), "$.code['cpu']: must be a list"),
    ("model", set_in("packages", "cpu", value=7), "$.packages['cpu']: must be a text"),
    ("image", set_in("exactness", 0, "limit", value="0"), "limit: must be a finite"),
    # What is out of range.
    ("model", set_in("threads", value=-5), "threads: must be 1 to 65536, got -5"),
    ("model", set_in("devices", value="tpu"), "devices: unknown target 'tpu'"),
    ("model", set_in("host", "parts", value=0), "host.parts: must be 1 or more"),
    ("model", set_in("host", "arenas", "cpu", value=-1), "cannot have -1 bytes"),
    ("model", set_in("host", "arenas", "cuda", value=64), "there is no device 'cuda'"),
    ("model", set_in("interface", "inputs", 0, "dtype", value="f4"), "unknown dtype"),
    ("model", set_in("interface", "inputs", 0, "shape", 0, value=-3), "the shape (-3,"),
    ("image", set_in("exactness", 0, "measure", value="good"), "unknown 'good'"),
    # What does not fit the rest.
    ("image", set_in("host", "arenas", value={}), "of an arena of 0"),
    ("image", set_in("host", "arenas", "cpu", value=0), "of an arena of 0"),
    ("image", set_slots("buffer", "offset", 1 << 30), "bytes 1073741824 to"),
    ("image", set_slots("buffer", "offset", -64), "bytes -64 to"),
    ("image", set_slots("buffer", "offset", 1), "not a multiple of 64"),
    ("image", set_slots("buffer", "dtype", "complex128"), "of an arena of"),
    ("image", set_slots("buffer", "shape", [1 << 20]), "of an arena of"),
    (
        "image",
        set_slots("buffer", "shape", [1 << 40, 1 << 40]),
        "cannot have the shape",
    ),
    ("image", set_slots("buffer", "device", "cuda"), "there is no device 'cuda'"),
    ("image", set_slots("buffer", "kind", "heap"), "unknown kind 'heap'"),
    ("model", set_slots("weight", "shape", [1]), "bytes, the slot 4"),
    ("model", set_slots("weight", "key", "none"), "weight 'none' is missing"),
    ("model", set_slots("input", "index", 7), "it is input 7 of 3"),
    ("model", set_slots("input", "index", 0), "none for the inputs [1, 2]"),
    ("model", set_slots("input", "shape", [2, 2]), "bytes in each of 1 parts, input"),
    ("model", set_slots("output", "dtype", "float64"), "bytes in each of 1 parts"),
    ("model", set_slots("input", "kind", "state"), "are not states"),
    ("cache", set_slots("state", "index", 0), "inputs [0] are not states"),
    ("cache", set_slots("state", "shape", [2, 2]), "bytes in each of 1 parts, state"),
    ("cache", set_slots("state", "kind", "output"), "none for the inputs [2]"),
    ("cache", set_slots("state", "kind", "input"), "none for the outputs [1]"),
    ("model", set_in("host", "parts", value=2), "bytes in each of 2 parts"),
    ("model", set_in("interface", "inputs", 1, "name", value="x"), "appear twice"),
    (
        "model",
        set_in("interface", "states", 0, "name", value="z"),
        "first value is mis",
    ),
    ("model", set_in("interface", "states", 0, "shape", value=[4]), "another dtype or"),
    ("model", set_in(*STEP, "kind", value="jump"), "unknown kind 'jump'"),
    ("model", set_in(*STEP, "slots", 0, value=999), "slots [999] of"),
    ("model", set_in(*STEP, "slots", 0, value=-1), "slots [-1] of"),
    ("model", set_in(*STEP, "symbol", value="none"), "has no function 'none'"),
    ("model", set_in(*STEP, "device", value="host"), "no code for the device 'host'"),
    ("model", set_in(*STEP, "device", value="cuda"), "no code for the device 'cuda'"),
    ("model", set_in("code", value={}), "no code for the device 'cpu'"),
    ("model", set_in("code", "cpu", value=["w"]), "weight 'w' is missing"),
    ("model", set_in("code", "cuda", value=[]), "the code of cuda is missing"),
    ("gpu", set_in("code", value={}), "there is no code for the device 'cuda'"),
    ("gpu", set_in("devices", value="cpu"), "no device 'cuda' in the target"),
    (
        "model",
        set_in("packages", value={"tpu": "devproc-tpu 0.3"}),
        "compiled for the device 'tpu', which is not installed; install devproc-tpu 0.3",
    ),
    ("model", set_in(*STEP, "kind", value="sync"), "waits for no device"),
    ("model", set_in(*STEP, "kind", value="copy"), "between two slots of equal size"),
    ("loop", set_loop("rounds", 5), "are outside"),
    ("loop", set_loop("rounds", -1), "cannot run -1 times"),
    ("loop", set_loop("carried", [[0, 1, 2, 99]]), "slots [99] of"),
    ("loop", set_loop("carried", [[0, 0, 0, 0]]), "slot 0 cannot become 0"),
    ("loop", set_loop("body", [7]), "body[0]: must be an object"),
    ("loop", set_slots("slice", "offset", 4), "are outside"),
    ("loop", set_slots("slice", "stride", -1), "are outside"),
    ("loop", set_slots("slice", "index", 99), "which is not earlier"),
    ("loop", set_slots("slice", "shape", [2, 2]), "not a slice of slot"),
    (
        "model",
        set_in("calling", "kind", value="loud"),
        "no calling convention of kind 'loud'",
    ),
    ("model", set_in("calling", value=7), "no calling convention of kind None"),
    ("model", set_in("calling", "in_leaves", 0, value=["input", 9]), "input 9 of 2"),
    ("model", set_in("calling", "in_leaves", value=[]), "leaves, not 0"),
    ("model", set_in("calling", "specs", 0, value="[" * 9999), "is not JSON"),
    (
        "model",
        set_in("calling", "specs", 0, value="[1, 2]"),
        "must be an object, got 2",
    ),
)


@pytest.mark.parametrize(("kind", "change", "message"), CHANGES)
def test_fields_of_the_manifest(
    kind: str,
    change: Callable[[Any], None],
    message: str,
    files: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is refused before memory is made or code is bound, with digests that fit."""

    def changed(text: bytes) -> bytes:
        data = json.loads(text)
        change(data)
        return json.dumps(data).encode()

    def run_nothing(*_: object) -> None:
        raise AssertionError("the program was bound")

    monkeypatch.setattr(native_executor.NativeExecutor, "_bind", run_nothing)
    path = tmp_path / "changed.devproc"
    path.write_bytes(resealed(files[kind].read_bytes(), {"manifest.json": changed}))
    assert message in refused(path)


def header_of(code: bytes) -> tuple[Any, bytes]:
    """The header of the code of a CPU, and the files after it."""
    end = 8 + int.from_bytes(code[:8], "little")
    return json.loads(code[8:end]), code[end:]


def with_header(header: Any, files: bytes) -> bytes:
    """The code of a CPU with another header."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + files


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("cpu"), "the field 'cpu' is missing"),
        (without("threads"), "the field 'threads' is missing"),
        (set_in("sizes", value=7), "sizes: must be a list"),
        (set_in("sizes", 0, value=-1), "its header says"),
        (set_in("sizes", 0, value=10**9), "its header says"),
        (set_in("sizes", value=[]), "its header says"),
        (set_in("pool", value=-1), "its header says"),
        (set_in("pool", value=64), "its header says"),
        (set_in("accesses", 0, "lanes", value=[]), "accesses[0].lanes: must be"),
        (set_in("accesses", 0, "lanes", value=0), "code/cpu: accesses[0] has a neg"),
        (set_in("threads", value=-5), "code/cpu: threads=-5"),
        (set_in("threads", value=1 << 40), "code/cpu: threads=1099511627776"),
        (set_in("cpu", "architecture", value="z80"), "z80"),
    ],
)
def test_fields_of_the_code_of_a_cpu(
    change: Callable[[Any], None], message: str, files: dict[str, Path], tmp_path: Path
) -> None:
    def changed(code: bytes) -> bytes:
        header, objects = header_of(code)
        change(header)
        return with_header(header, objects)

    path = tmp_path / "changed.devproc"
    path.write_bytes(resealed(files["image"].read_bytes(), {"code/cpu": changed}))
    assert message in refused(path)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 100, -1])
def test_code_of_a_cpu_that_was_cut(
    size: int, files: dict[str, Path], tmp_path: Path
) -> None:
    path, change = tmp_path / "changed.devproc", {"code/cpu": lambda c: c[:size]}
    path.write_bytes(resealed(files["model"].read_bytes(), change))
    assert "the CPU" in refused(path)


def test_code_of_a_gpu_that_is_none(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "changed.devproc"
    for kind in ("gpu", "loop"):
        for code, message in (
            (
                b'{"kernels": {}, "variants": {}, "binaries": []}',
                "code/cuda: there is no kernel",
            ),
            (b"{}", "the field 'kernels' is missing"),
            (b"[]", "must be an object"),
            (b"\xff", "the kernels of the GPU"),
            (b"", "the kernels of the GPU"),
        ):
            change = {"code/cuda": lambda _, code=code: code}
            path.write_bytes(resealed(files[kind].read_bytes(), change))
            assert message in refused(path)


def test_a_kernel_has_the_same_buffers_everywhere(
    files: dict[str, Path], tmp_path: Path
) -> None:
    def changed(text: bytes) -> bytes:
        data = json.loads(text)
        (step, *_) = [s for s in data["host"]["steps"] if s["kind"] == "launch"]
        data["host"]["steps"].append({**step, "slots": step["slots"][:-1]})
        return json.dumps(data).encode()

    path = tmp_path / "changed.devproc"
    for kind in ("gpu", "model"):
        path.write_bytes(resealed(files[kind].read_bytes(), {"manifest.json": changed}))
        assert "has other buffers in another launch" in refused(path)


def test_kernels_of_a_gpu_are_launched_as_they_are(
    files: dict[str, Path], tmp_path: Path
) -> None:
    def changed(text: bytes) -> bytes:
        code = json.loads(text)
        for kernel in code["kernels"].values():
            kernel.update(change)
        return json.dumps(code).encode()

    changes: list[dict[str, Any]] = [
        {"grid": [1, 1]},
        {"grid": [1, -1, 1]},
        {"num_warps": 3},
        {"num_stages": 0},
        {"arg_types": ["*fp64"]},
        {"name": "other"},
        {"source": None},
    ]
    for change in changes:
        path = tmp_path / "changed.devproc"
        path.write_bytes(resealed(files["gpu"].read_bytes(), {"code/cuda": changed}))
        assert "kernel" in refused(path)


def test_all_problems_come_at_once(files: dict[str, Path], tmp_path: Path) -> None:
    def changed(text: bytes) -> bytes:
        data = json.loads(text)
        data["threads"], data["devices"], data["host"]["parts"] = -5, "tpu", 0
        return json.dumps(data).encode()

    path = tmp_path / "changed.devproc"
    path.write_bytes(resealed(files["model"].read_bytes(), {"manifest.json": changed}))
    message = refused(path)
    assert f"{path} has 3 problems" in message
    assert all(word in message for word in ("threads", "devices", "host.parts"))


def test_weights_smaller_than_their_slots(
    files: dict[str, Path], tmp_path: Path
) -> None:
    def smaller(_: bytes) -> bytes:
        whole, table = devproc.load(files["model"]).weights, WeightTable()
        for name in whole:
            table.add(name, whole.array(name).reshape(-1)[:1], whole.dtype(name))
        table.save(tmp_path / "weights")
        return (tmp_path / "weights").read_bytes()

    path = tmp_path / "small.devproc"
    data = resealed(files["model"].read_bytes(), {"weights.safetensors": smaller})
    path.write_bytes(data)
    assert "another dtype or shape" in refused(path)


def test_a_flipped_bit_of_each_member(files: dict[str, Path], tmp_path: Path) -> None:
    """Weights are compared with `verify` only; all else always."""
    whole, path = files["model"].read_bytes(), tmp_path / "flipped.devproc"
    with zipfile.ZipFile(files["model"]) as bundle:
        contents = {name: bundle.read(name) for name in bundle.namelist()}
    for name, content in contents.items():
        data = bytearray(whole)
        data[whole.index(content) + len(content) - 2] ^= 4
        path.write_bytes(data)
        assert str(path) in refused(path)
        if name == "weights.safetensors":
            assert f"'{name}' is not what was saved" in refused(path)
            devproc.load(path, verify=False)
        else:
            refused(path, verify=False)


def test_signatures(program: Program, tmp_path: Path) -> None:
    path, plain = tmp_path / "signed.devproc", tmp_path / "plain.devproc"
    program.save(path, key=KEY)
    program.save(plain)
    wanted = run(program)
    ways: list[dict[str, Any]] = [{"key": KEY}, {"key": KEY, "verify": False}, {}]
    for options in ways:
        for found, value in zip(
            run(devproc.load(path, **options)), wanted, strict=True
        ):
            np.testing.assert_array_equal(found, value)
    assert "signed with another key" in refused(path, key=KEY[::-1])
    assert "is not signed" in refused(plain, key=KEY)
    for bad in (b"", b"short", "a text of many letters", 7):
        with pytest.raises(BundleError, match="key of a signature must be 16 bytes"):
            program.save(path, key=bad)  # pyright: ignore
        assert "must be 16 bytes" in refused(path, key=bad)


def test_a_signed_file_that_was_changed(program: Program, tmp_path: Path) -> None:
    """Digests that someone made anew do not help; nor is a key without `verify` less."""
    path = tmp_path / "signed.devproc"
    program.save(path, key=KEY)
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as bundle:
        signature = bundle.read("signature")
        weights = bundle.read("weights.safetensors")
    for name in ("code/cpu", "manifest.json", "weights.safetensors"):
        path.write_bytes(resealed(whole, {name: lambda content: content + b" "}))
        with zipfile.ZipFile(path) as bundle:
            assert "signature" not in bundle.namelist()
        assert "is not signed" in refused(path, key=KEY)
        with zipfile.ZipFile(path, "a") as bundle:
            bundle.writestr("signature", signature)
        assert "was changed since" in refused(path, key=KEY)
    data = bytearray(whole)
    data[whole.index(weights) + len(weights) - 1] ^= 1
    path.write_bytes(data)
    assert "'weights.safetensors' is not what" in refused(path, key=KEY, verify=False)


def rewritten(old: Path, new: Path, **changes: Any) -> Path:
    """The members of a file in another zip."""
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(new, "w", **changes) as bundle:
        for name in source.namelist():
            bundle.writestr(name, source.read(name))
    return new


def test_only_plain_zips_are_read(files: dict[str, Path], tmp_path: Path) -> None:
    old, new = files["model"], tmp_path / "new.devproc"
    devproc.load(rewritten(old, new))
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA):
        rewritten(old, new, compression=method)
        assert "is compressed or encrypted" in refused(new)
    with zipfile.ZipFile(rewritten(old, new), "a") as bundle:
        bundle.writestr("extra", "1")
    assert "digests.json and the zip differ in extra" in refused(new)
    with (
        zipfile.ZipFile(rewritten(old, new), "a") as bundle,
        pytest.warns(UserWarning, match="Duplicate name"),
    ):
        bundle.writestr("program.mlir", "1")
    assert "two members 'program.mlir'" in refused(new)
    with zipfile.ZipFile(new, "w") as bundle:
        bundle.writestr("hello", "1")
    assert "no member 'manifest.json'" in refused(new)


def test_members_larger_than_the_file(files: dict[str, Path], tmp_path: Path) -> None:
    """Sizes of the zip's directory are not believed: no memory is made for them."""
    path = tmp_path / "bomb.devproc"
    data = bytearray(files["model"].read_bytes())
    place = data.rindex(b"PK\x01\x02")
    struct.pack_into("<II", data, place + 20, 0xFFFFFFF0, 0xFFFFFFF0)
    path.write_bytes(data)
    assert "its members are larger than the file" in refused(path)


def test_older_formats_are_named(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "old.devproc"
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.writestr("manifest.json", json.dumps({"format": 5}))
    assert "saved in format 5" in refused(path)
    change = {"manifest.json": lambda _: b'{"format": 6}'}
    path.write_bytes(resealed(files["model"].read_bytes(), change))
    assert "saved in format 6" in refused(path)


def test_saving_follows_no_link(program: Program, tmp_path: Path) -> None:
    """Neither under the name of the unfinished file nor under that of the program."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = tmp_path / "net.devproc"
    path.symlink_to(victim)
    path.with_name(f".{path.name}.{os.getpid()}.part").symlink_to(victim)
    before = {*tmp_path.iterdir()}
    program.save(path)
    assert victim.read_text() == "precious"
    assert not path.is_symlink()
    assert {*tmp_path.iterdir()} == before
    devproc.load(path)


def test_saved_files_have_the_mode_of_others(program: Program, tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        program.save(tmp_path / "net.devproc")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "net.devproc").stat().st_mode) == 0o640


def test_where_nothing_can_be_saved(program: Program, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"there is no folder .*none; create it"):
        program.save(tmp_path / "none" / "net.devproc")
    with pytest.raises(BundleError, match="it is a folder"):
        program.save(tmp_path)
    os.mkfifo(pipe := tmp_path / "pipe")
    with pytest.raises(BundleError, match="it is not a regular file"):
        program.save(pipe)
    pipe.unlink()
    with pytest.raises(BundleError, match=r"cannot save .*: File name too long"):
        program.save(tmp_path / ("n" * 300))
    assert not [*tmp_path.iterdir()]


def test_a_full_disk_leaves_the_old_file(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.devproc"
    program.save(path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(WeightTable, "write", full)
    with pytest.raises(BundleError, match="No space left on device"):
        program.save(path)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


def test_a_constant_without_a_text_is_not_saved(
    program: Program, tmp_path: Path
) -> None:
    calling = program.artifact.calling
    assert isinstance(calling, PytreeCalling)
    calling = replace(calling, out_leaves=(("constant", 1j), *calling.out_leaves[1:]))
    other = Program(replace(program.artifact, calling=calling), program.weights)
    with pytest.raises(BundleError, match="a constant of the call cannot be saved"):
        other.save(tmp_path / "net.devproc")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "builtins.dict", "context": '["a"]', "children_spec": []},
        {"type": "builtins.dict", "context": '[["a"]]', "children_spec": []},
        {"type": "builtins.dict", "context": "7", "children_spec": []},
        {"type": "builtins.dict", "context": "[", "children_spec": []},
        {"type": "builtins.tuple", "context": "[]", "children_spec": []},
        {"type": "no.such", "context": None, "children_spec": []},
        {"type": None, "context": None, "children_spec": [7]},
        {"type": None, "context": None},
    ],
)
def test_structures_that_are_none(spec: Any) -> None:
    with pytest.raises(BundleError):
        loads_structure(json.dumps([1, spec]))


def test_structures_of_many_levels() -> None:
    text: Any = {"type": None, "context": None, "children_spec": []}
    for _ in range(DEEPEST + 1):
        text = {"type": "builtins.tuple", "context": None, "children_spec": [text]}
    with pytest.raises(BundleError, match="100 deep"):
        loads_structure(json.dumps([1, text]))


def test_damaged_files() -> None:
    """Random damage, in a process whose end would be seen; see `tests.fuzz.files`."""
    options = ["0", "320", "--kind", "file", "--inside"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr[-2000:]
