"""Bundles of programs with several entries, which share weights and states."""

from __future__ import annotations

import ctypes
import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from jsonschema import Draft202012Validator
from torch import nn

import devproc
from devproc.bundle.check import check_bundle
from devproc.bundle.export import export_bundle
from devproc.bundle.interface.library import Library, read_aligned
from devproc.errors import BundleError
from devproc.program import Program
from devproc.runtime.entries import Entries
from tests.bundle.programs import compile_c, new_folder, run
from tests.bundle.test_commands import command
from tests.e2e.test_language_models import small


class Reader(nn.Module):
    """Reads rows one after another; both states go on from call to call."""

    total: torch.Tensor
    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(40, 70)
        self.register_buffer("total", torch.ones(70))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.linear(x))
        self.calls.add_(1)
        self.total.mul_(0.5).add_(y.sum(0))
        return y + self.total


class Looker(nn.Module):
    """Has one of the states of the reader."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(70))

    def forward(self, factor: torch.Tensor) -> torch.Tensor:
        self.total.copy_(torch.roll(self.total, 1))
        return self.total * factor


@cache
def sources() -> dict[str, Any]:
    """Entries with and without weights, of different states."""
    torch.manual_seed(4)
    reader = Reader().eval()
    return {
        "prefill": torch.export.export(reader, (torch.randn(5, 40),)),
        "decode": torch.export.export(reader, (torch.randn(1, 40),)),
        "look": torch.export.export(Looker().eval(), (torch.randn(1),)),
    }


def counter() -> devproc.Pipeline:
    """Counts up to 5, and then says that it ends."""
    pipe = devproc.pipeline("counter")
    count = pipe.state("count", "int64", (1,))
    after = pipe.add(count, 1)
    pipe.update("count", after)
    pipe.output("count", after)
    pipe.output("ended", pipe.equal(after, 5))
    pipe.repeat(16, until="ended")
    return pipe


def compiled() -> Entries[Program]:
    return devproc.compile(sources(), threads=1)


@cache
def reader(threads: str = "none") -> Path:
    """The folder of the bundle of all entries."""
    folder = new_folder()
    made: Any = compiled()
    export_bundle(made, folder, name="reader", threads=threads, reference=sources())
    return folder


def test_entries_have_the_bits_and_states_of_python() -> None:
    library, own = Library(reader()), compiled()
    random = np.random.default_rng(0)
    shapes = {"prefill": (5, 40), "decode": (1, 40), "look": (1,)}
    for entry in ("prefill", "decode", "look", "decode", "look", "prefill", "look"):
        x = random.standard_normal(shapes[entry]).astype(np.float32)
        (found,) = library.run([x], entry=entry)
        assert found.tobytes() == np.asarray(own[entry](x)).tobytes(), entry
    names = [state.name for state in library.description.states]
    assert sorted(names) == sorted(own.state)
    for number, name in enumerate(names):
        assert library.get_state(number).tobytes() == own.state[name].tobytes()
    library.close()


def test_weights_are_stored_once() -> None:
    one = new_folder()
    own: Any = devproc.compile(sources()["prefill"], threads=1)
    own.export_bundle(one, name="one")
    both = new_folder()
    pair = {name: sources()[name] for name in ("prefill", "decode")}
    export_bundle(devproc.compile(pair, threads=1), both, name="both")
    alone, together = (
        next(folder.glob("*.weights")).stat().st_size for folder in (one, both)
    )
    packed = 4 * 40 * 70
    assert packed < alone <= together < alone + packed


def test_description_has_each_entry() -> None:
    data = json.loads((reader() / "reader.json").read_text())
    schema = resources.files("devproc.bundle").joinpath("schema.json").read_text()
    Draft202012Validator(json.loads(schema)).validate(data)
    assert [entry["prefix"] for entry in data["entries"]] == [
        "reader_prefill",
        "reader_decode",
        "reader_look",
    ]
    assert data["entries"][0]["inputs"][0]["shape"] == [5, 40]
    assert data["entries"][2]["states"] == ["total"]
    assert {"reader_decode_run", "reader_create"} <= set(data["functions"])
    assert {kernel["entry"] for kernel in data["kernels"]} == {
        *("prefill", "decode", "look")
    }


def test_golden_cases_of_each_entry() -> None:
    lines = list(check_bundle(reader()))
    assert "golden cases: all pass" in lines[2]
    library = Library(reader())
    golden = read_aligned(reader() / "reader.golden")
    golden[-320 + 3] ^= 0x40  # what the last kernel writes: 70 floats
    library.selftest(golden)
    with pytest.raises(BundleError, match="entry 'look': case 2, "):
        library.selftest(golden, kernels=True)
    for wrong in (golden[:-64], np.concatenate([golden, golden[:64]])):
        with pytest.raises(BundleError, match="golden cases are not those"):
            library.selftest(wrong)
    library.close()


def test_no_such_entry() -> None:
    library = Library(reader())
    with pytest.raises(BundleError, match=r"no entry 'encode'; .*'prefill', 'decode'"):
        library.run([], entry="encode")
    library.close()


def test_entries_that_make_no_library(tmp_path: Path) -> None:
    look = sources()["look"]
    foreign: Any = devproc.compile({"é": look}, threads=1)
    with pytest.raises(BundleError, match="entry 'é' begins the names of C functions"):
        export_bundle(foreign, tmp_path)
    own: Any = compiled()
    for given, message in (
        (look, "reference must be a dict by entry: prefill, decode, look"),
        ({"look": look}, "no source for prefill, decode; give one for each"),
        ({**sources(), "other": look}, "reference names 'other'; the entries are"),
    ):
        with pytest.raises(BundleError, match=message):
            export_bundle(own, tmp_path, reference=given)
    with pytest.raises(BundleError, match="inputs must be a dict by entry"):
        export_bundle(own, tmp_path, inputs=[])


class Identity(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("prefill", "Prefill"), "entries 'prefill' and 'Prefill' differ in case"),
        (("a_b", "aB"), "entries 'a_b' and 'aB' differ in case and underscores"),
        (("read", "read_x"), "'x_x' of entry 'read' and 'x' of entry 'read_x'"),
    ],
)
def test_entries_with_one_name_in_c(
    names: tuple[str, str], message: str, tmp_path: Path
) -> None:
    sources: dict[str, Any] = {}
    for name, given in zip(names, ("x_x", "x"), strict=True):
        pipe = devproc.pipeline(name)
        x = pipe.input(given, "float32", (3, 5))
        model = torch.export.export(Identity(), (torch.zeros(3, 5),))
        pipe.output(f"{name}_y", pipe.model(model, x))
        sources[name] = pipe
    entries: Any = devproc.compile(sources, threads=1)
    with pytest.raises(BundleError, match=message):
        export_bundle(entries, tmp_path)
    assert not list(tmp_path.iterdir())


def test_selftest_and_example_in_c() -> None:
    folder = reader("own")
    for flags in ((), ("-DREADER_TRACE",)):
        sources = ["selftest.c", "libreader.a", "-pthread", *flags]
        test = compile_c(folder, sources, "-std=gnu11")
        assert "all golden cases pass" in run([test], folder)
    main = compile_c(folder, ["main.c", "libreader.a", "-pthread"], "-std=gnu11")
    own = compiled()
    random = np.random.default_rng(1)
    shapes = {"prefill": (5, 40), "decode": (1, 40), "look": (1,)}
    given = {
        name: random.standard_normal(s).astype(np.float32) for name, s in shapes.items()
    }
    (folder / "given").write_bytes(b"".join(x.tobytes() for x in given.values()))
    run(["sh", "-c", f"{main} <given >made"], folder)
    expected = b"".join(np.asarray(own[n](x)).tobytes() for n, x in given.items())
    assert (folder / "made").read_bytes() == expected


def test_entries_in_cpp() -> None:
    folder = reader()
    source = new_folder() / "use.cpp"
    source.write_text("""
#include <cstdio>
#include <cstdlib>
#include "reader.hpp"
int main() {
  reader_options options = READER_OPTIONS;
  void *weights = std::aligned_alloc(64, (READER_WEIGHTS_SIZE + 63) / 64 * 64);
  std::FILE *file = std::fopen("reader.weights", "rb");
  if (std::fread(weights, 1, READER_WEIGHTS_SIZE, file) != READER_WEIGHTS_SIZE) return 2;
  options.weights = weights;
  options.weights_size = READER_WEIGHTS_SIZE;
  reader_bundle::Program program(options);
  float x[READER_LOOK_FACTOR_COUNT] = {3}, y[READER_LOOK_OUTPUT_COUNT];
  program.look_run({x}, {y});
  std::printf("%g", y[69]);
  std::fclose(file);
}
""")
    test = compile_c(folder, [source, "libreader.a"], "-std=c++17", compiler="g++")
    assert run([test], folder) == "3"


def test_calls_in_a_row() -> None:
    """They end where the output says so, at the count, or where `follow` does."""
    folder = new_folder()
    pipe = counter()
    devproc.compile(pipe, threads=1).export_bundle(folder)
    library = Library(folder)
    count, ended = np.zeros(1, np.int64), np.zeros(1, np.bool_)
    outputs = (ctypes.c_void_p * 2)(count.ctypes.data, ended.ctypes.data)
    made = ctypes.c_uint64()
    follow_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64)
    seen: list[tuple[int, int]] = []

    def follow(_user: int, number: int) -> int:
        seen.append((number, int(count[0])))
        return int(count[0] != 3)

    def repeat(at_most: int, function: Any) -> tuple[int, int]:
        library.reset()
        wanted = ctypes.c_uint64(at_most)
        library.require("repeat", outputs, wanted, function, None, ctypes.byref(made))
        return made.value, int(count[0])

    assert repeat(100, None) == (5, 5)
    assert ended[0]
    assert repeat(2, None) == (2, 2)
    assert repeat(100, follow_type(follow)) == (3, 3)
    assert seen == [(1, 1), (2, 2), (3, 3)]
    assert repeat(0, None)[0] == 0
    assert library.description.entry("").until == "ended"
    library.close()


def test_saved_program_with_entries(tmp_path: Path) -> None:
    compiled().save(tmp_path / "reader.devproc")
    folder = tmp_path / "out"
    saved = tmp_path / "reader.devproc"
    said = command("bundle", saved, "-o", folder, "--name", "reader").output
    assert "bundle 'reader'" in said
    assert "golden cases: all pass" in command("bundle-check", folder).output
    assert "reader_decode_run" in (folder / "reader.h").read_text()


def test_language_model_continues_a_prompt() -> None:
    """The prompt in one call, then calls in a row: the tokens of `generate`."""
    model = small("Llama", num_hidden_layers=1)
    options: Any = {"capacity": 32, "prefill": (8,), "threads": 1, "cache": False}
    language_model = devproc.from_transformers(model, **options)
    prompt, count = [3, 17, 4, 9, 11], 9
    expected = language_model.generate(prompt, max_tokens=count).ids
    folder = new_folder()
    entries: Any = language_model.entries
    export_bundle(entries, folder, name="llama")
    library = Library(folder)
    ids = np.array([[*prompt, 0, 0, 0]], np.int64)
    (first,) = library.run([ids, np.array([len(prompt)])], entry="prefill_8")
    token, ended = np.zeros(1, np.int64), np.zeros(1, np.bool_)
    outputs = (ctypes.c_void_p * 2)(token.ctypes.data, ended.ctypes.data)
    found: list[int] = []

    def follow(_user: int, _made: int) -> int:
        found.append(int(token[0]))
        return 1

    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64)(follow)
    library.require(
        "decode_repeat", outputs, ctypes.c_uint64(count - 1), function, None, None
    )
    assert [int(first[0]), *found] == list(expected)
    library.close()
