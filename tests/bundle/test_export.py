"""What a bundle computes and holds: the bits of Python, described, reproducible."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from jsonschema import Draft202012Validator

import devproc
from devproc.bundle.check import check_bundle
from devproc.bundle.code.shared_library import IMPORTS
from devproc.bundle.interface.library import Library
from devproc.errors import BundleError
from tests.bundle.programs import (
    Array,
    bundle,
    classify,
    compile_c,
    memory,
    program,
    random_inputs,
    run,
)


def as_torch(values: Array, dtype: str) -> torch.Tensor:
    tensor = torch.from_numpy(values)
    return tensor.view(torch.bfloat16) if dtype == "bfloat16" else tensor


def memory_of(tensor: torch.Tensor) -> bytes:
    view = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
    return view.numpy().tobytes()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("classify", {}),
        ("classify", {"weights": "embed"}),
        ("classify", {"threads": "own"}),
        ("classify", {"threads": "callback", "weights": "embed"}),
        ("types", {}),
        ("detect", {}),
    ],
)
@pytest.mark.machine("x86_64-linux", "ran", "here, with the bits of Python")
def test_bits_are_those_of_python(name: str, options: dict[str, str]) -> None:
    library = Library(bundle(name, **options), check_weights=True)
    own = program(name)
    for seed in range(3):
        inputs = random_inputs(name, seed)
        found = library.run(inputs)
        specs = own.interface.inputs
        given = [as_torch(x, s.dtype) for x, s in zip(inputs, specs, strict=True)]
        expected = own.run_flat(given)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.tobytes() == memory_of(theirs)
    library.close()


@pytest.mark.parametrize("threads", ["none", "own"])
def test_states_go_on_as_in_python(threads: str) -> None:
    library = Library(bundle("memory", threads=threads))
    own = devproc.compile(memory(), threads=2)
    names = list(own.state)
    first = [library.get_state(number) for number in range(len(names))]
    for seed in range(5):
        (x,) = random_inputs("memory", seed)
        found, expected = library.run([x]), own(torch.from_numpy(x))
        assert all(
            a.tobytes() == memory_of(b) for a, b in zip(found, expected, strict=True)
        )
    for number, name in enumerate(names):
        assert library.get_state(number).tobytes() == own.state[name].tobytes()
    number = names.index("calls")
    (x,) = random_inputs("memory", 9)
    library.set_state(number, np.array([41], np.int64))
    library.run([x])
    assert library.get_state(number)[0] == 42
    library.reset()
    for number, value in enumerate(first):
        assert library.get_state(number).tobytes() == value.tobytes()
    library.close()


def files_in(folder: Path) -> list[Path]:
    found = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return sorted(found)


def test_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "name": "classify",
        "reference": classify(),
        "threads": "own",
    }
    program("classify").export_bundle(tmp_path, **options)
    other = bundle("classify", threads="own")
    names = files_in(other)
    assert names == files_in(tmp_path)
    assert {
        n for n in names if (tmp_path / n).read_bytes() != (other / n).read_bytes()
    } == set()


@pytest.mark.parametrize("name", ["classify", "memory", "types", "detect"])
def test_description_fits_the_schema(name: str) -> None:
    folder = bundle(name)
    data = json.loads((folder / f"{name}.json").read_text())
    file = resources.files("devproc.bundle").joinpath("schema.json")
    Draft202012Validator(json.loads(file.read_text())).validate(data)
    assert set(data["imports"]) <= set(IMPORTS)
    assert data["weights"]["bytes"] == (folder / f"{name}.weights").stat().st_size
    for entry in (*data["entries"][0]["inputs"], *data["entries"][0]["outputs"]):
        strides = np.empty(entry["shape"], np.int8).strides
        assert tuple(entry["strides"]) == strides


def test_description_says_what_the_values_mean() -> None:
    data = json.loads((bundle("detect") / "detect.json").read_text())
    (own,) = data["entries"]
    frame, boxes = own["inputs"]
    assert (frame["layout"], frame["meaning"]) == ("HW", "NV12, 0 to 255")
    assert (boxes["dtype"], boxes["c_type"]) == ("float32", "float")
    outputs = {entry["name"]: entry for entry in own["outputs"]}
    assert outputs["found.boxes"]["bounded_axis"] == 0
    assert "x1, y1, x2, y2" in outputs["found.boxes"]["meaning"]
    assert outputs["found.boxes"]["member"] == "found_boxes"
    assert outputs["found.count"]["bounded_axis"] is None


def test_rate_of_a_signal() -> None:
    pipe = devproc.pipeline("listen")
    sound = pipe.input("sound", "float32", (480,))
    pipe.output("slower", pipe.resample_audio(sound, 48000, 16000, like="torchaudio"))
    from devproc.bundle.interface.tensors import describe

    compiled = devproc.compile(pipe, threads=1)
    found = describe("", compiled.interface, compiled.artifact.program_text)
    assert found.inputs[0].unit == "48000 Hz"


def test_check_bundle_finds_what_was_changed(tmp_path: Path) -> None:
    program("classify").export_bundle(tmp_path, name="classify", reference=classify())
    lines = list(check_bundle(tmp_path))
    assert any("golden cases: all pass" in line for line in lines)
    assert any("kernels: all pass" in line for line in lines)
    weights = tmp_path / "classify.weights"
    data = bytearray(weights.read_bytes())
    data[-1000] ^= 1
    weights.write_bytes(data)
    with pytest.raises(BundleError, match="another SHA-256"):
        list(check_bundle(tmp_path))
    weights.write_bytes(data[:-64])
    with pytest.raises(BundleError, match="truncated"):
        list(check_bundle(tmp_path))
    description = tmp_path / "classify.json"
    description.write_text(description.read_text().replace('"cpu":', '"processor":'))
    with pytest.raises(BundleError, match="'cpu' is missing"):
        list(check_bundle(tmp_path))
    description.unlink()
    with pytest.raises(BundleError, match="is no bundle"):
        list(check_bundle(tmp_path))


def test_names_that_are_one_in_c_are_made_distinct(tmp_path: Path) -> None:
    """Names that differ in case, or in characters that C lacks; an output like an input."""

    class Four(torch.nn.Module):
        def forward(self, *x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return x[0] * 2, x[1] + 1, x[2] - x[3]

    names, shapes = ("scale", "Scale", "sc.ale", "sc_ale"), ((3,), (5,), (7,), (7,))
    model = torch.export.export(Four(), tuple(torch.zeros(s) for s in shapes))
    pipe = devproc.pipeline("four")
    given = [pipe.input(n, "float32", s) for n, s in zip(names, shapes, strict=True)]
    results = zip(("scale", "SCALE", "été"), pipe.model(model, *given), strict=True)
    for name, value in results:
        pipe.output(name, value)
    compiled = devproc.compile(pipe, threads=1)
    compiled.export_bundle(tmp_path, name="four", reference=pipe)
    (entry,) = json.loads((tmp_path / "four.json").read_text())["entries"]
    tensors = (*entry["inputs"], *entry["outputs"])
    members = [tensor["member"] for tensor in tensors]
    assert len({member.upper() for member in members}) == len(tensors)
    assert members[:2] == ["scale", "Scale_"]
    main = compile_c(tmp_path, ["main.c", "libfour.a"], "-std=gnu11", "-Werror")
    random = np.random.default_rng(0)
    x = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    (tmp_path / "given").write_bytes(b"".join(a.tobytes() for a in x))
    run(["sh", "-c", f"{main} <given >made"], tmp_path)
    expected = b"".join(a.tobytes() for a in (x[0] * 2, x[1] + 1, x[2] - x[3]))
    assert (tmp_path / "made").read_bytes() == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "disk"}, "one of embed, file"),
        ({"threads": "many"}, "one of none, own, callback"),
        ({"name": "two words"}, "begins the names of C functions"),
        ({"name": "while"}, "begins the names of C functions"),
        ({"cpu": "x86-64-v2"}, "compile it with cpu='x86-64-v2'"),
        ({"cpu": "riscv64"}, "compile it with cpu='aarch64'"),
        ({"os": "windows", "threads": "own"}, "no thread pool for x86_64-windows"),
        ({"os": "macos", "weights": "embed"}, "weights are embedded in ELF files"),
        ({"os": "plan9"}, "no bundle for 'x86_64' with os 'plan9'"),
        ({"linker": "gold"}, "no linker 'gold'; there are triton, ld.lld, cc, ziglang"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(devproc.DevProcError, match=message):
        program("classify").export_bundle(tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_programs_that_need_more_than_the_cpu(tmp_path: Path) -> None:
    class Checked(torch.nn.Module):
        def forward(self, x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
            return x[i]

    given = (torch.randn(5, 3), torch.tensor([1, 2]))
    model = torch.export.export(Checked(), given)
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"check_values": True}, "compile without check_values"),
        ({"check_bounds": True}, "compile without check_bounds"),
        ({"target": "cuda:interpret"}, "cannot interpret the kernels"),
    )
    for options, message in wrong:
        compiled = devproc.compile(model, threads=1, **options)
        with pytest.raises(BundleError, match=message):
            compiled.export_bundle(tmp_path)


@pytest.mark.parametrize("name", ["classify", "memory", "types", "detect"])
def test_programs_in_c(name: str) -> None:
    """selftest.c and main.c compile without a warning, and pass."""
    folder = bundle(name)
    library = f"lib{name}.a"
    test = compile_c(folder, ["selftest.c", library], "-std=c11")
    assert "all golden cases pass" in run([test], folder)
    walk = compile_c(
        folder, ["selftest.c", library], "-std=c11", f"-D{name.upper()}_TRACE"
    )
    assert "all golden cases pass" in run([walk], folder)
    main = compile_c(folder, ["main.c", library], "-std=c11")
    inputs = random_inputs(name, 3)
    (folder / "inputs").write_bytes(b"".join(x.tobytes() for x in inputs))
    run(["sh", "-c", f"{main} {name}.weights <inputs >outputs"], folder)
    own = Library(folder)
    expected = b"".join(y.tobytes() for y in own.run(inputs))
    own.close()
    assert (folder / "outputs").read_bytes() == expected
