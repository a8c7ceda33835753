"""The runtime's parts: interfaces, host programs, callings, memory, traces."""

from __future__ import annotations

import json
from collections import namedtuple
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.backend.host_memory import view_bytes
from devproc.backend.installed import backend
from devproc.ir.weights.aligned import aligned_bytes, aligned_copy
from devproc.runtime.calls.calling import NamedCalling
from devproc.runtime.calls.interface import Interface, TensorSpec, check_array
from devproc.runtime.calls.saved_calling import calling_from_json
from devproc.runtime.execution.host_program import HostProgram, Step
from devproc.runtime.execution.trace import write_events
from devproc.runtime.reading.typed_json import read_as

Pair = namedtuple("Pair", ["first", "second"])


@dataclass
class Settings:
    """A container that PyTorch's pytrees do not know until told."""

    scale: float


class Structured(nn.Module):
    def forward(
        self, x: torch.Tensor, more: dict[str, object], flag: bool, scale: float = 2.0
    ) -> dict[str, object]:
        y = more["y"]
        assert isinstance(y, torch.Tensor)
        total = x + y if flag else x - y
        return {"sum": Pair(total * scale, x), "none": None, "list": [y + y]}


def test_interface_travels_as_json() -> None:
    interface = Interface(
        (TensorSpec("a", "uint8", (2, 0, 3)),),
        (TensorSpec("b", "float32", ()),),
        (TensorSpec("c", "bool", (3,)),),
    )
    data = json.loads(json.dumps(asdict(interface)))
    assert read_as(Interface, data, "interface") == interface
    calling = calling_from_json(NamedCalling(interface).as_json(), interface)
    assert calling == NamedCalling(interface)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (np.zeros((2, 3), np.float64), "got float64 (2, 3)"),
        (np.zeros((3, 2), np.float32), "got float32 (3, 2)"),
        (np.zeros((2, 3), ">f4"), "foreign byte order"),
        ([[1.0]], "got list"),
        (None, "got NoneType"),
    ],
)
def test_what_does_not_fit_an_input(value: object, problem: str) -> None:
    found = check_array(TensorSpec("x", "float32", (2, 3)), value)
    assert isinstance(found, str)
    assert "input 'x'" in found
    assert problem in found


def test_strided_and_read_only_arrays_fit() -> None:
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    view = base[::2, ::2]
    view.flags.writeable = False
    found = check_array(TensorSpec("x", "float32", (2, 3)), view)
    assert not isinstance(found, str)
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, view)


def test_memory_is_aligned_and_copied_only_when_it_must_be() -> None:
    assert aligned_bytes(0).nbytes == 0
    for size in (1, 63, 1000):
        assert aligned_bytes(size).ctypes.data % 64 == 0
    aligned = aligned_bytes(256).view(np.float32)
    assert aligned_copy(aligned) is aligned
    odd = aligned[1:5]
    assert aligned_copy(odd).ctypes.data % 64 == 0
    np.testing.assert_array_equal(aligned_copy(odd), odd)
    transposed = np.ones((3, 5)).T
    assert aligned_copy(transposed).flags.c_contiguous


def test_views_of_device_memory() -> None:
    memory = torch.arange(64, dtype=torch.uint8)
    view = view_bytes(memory, 16, "int16", (3, 2))
    assert view.tolist() == memory[16:28].view(torch.int16).view(3, 2).tolist()
    assert view_bytes(memory, 0, "float32", (0, 4)).shape == (0, 4)


def test_a_host_program_travels_as_json() -> None:
    exported = torch.export.export(nn.Linear(4, 3), (torch.zeros(2, 4),))
    host = devproc.compile(exported, target="cpu+cuda:interpret").artifact.host
    data = json.loads(json.dumps(asdict(host)))
    assert read_as(HostProgram, data, "host") == host


def test_structures_constants_and_inputs_returned_as_they_are(tmp_path: Path) -> None:
    x, y = torch.randn(2, 3), torch.randn(2, 3)
    exported = torch.export.export(Structured(), (x, {"y": y}, True), {"scale": 3.0})
    program = devproc.compile(exported)
    out = program(x, {"y": y}, True, scale=3.0)
    assert isinstance(out["sum"], Pair)
    assert torch.equal(out["sum"].first, (x + y) * 3)
    assert out["sum"].second is x
    assert out["none"] is None
    assert torch.equal(out["list"][0], y + y)
    with pytest.raises(devproc.InputError, match="exported with the constant True"):
        program(x, {"y": y}, False, scale=3.0)
    with pytest.raises(devproc.InputError, match="structure"):
        program(x, {"z": y}, True, scale=3.0)
    with pytest.raises(devproc.InputError, match="structure"):
        program(x, [y], True)
    with pytest.raises(devproc.BundleError, match=r"cannot be saved: .*Pair"):
        program.save(tmp_path / "pair.devproc")
    assert not (tmp_path / "pair.devproc").exists()


def test_a_container_with_a_name_is_saved(tmp_path: Path) -> None:
    torch.export.register_dataclass(Settings, serialized_type_name="tests.Settings")

    class Scaled(nn.Module):
        def forward(self, x: torch.Tensor, settings: Settings) -> torch.Tensor:
            return x * settings.scale

    x = torch.randn(3)
    program = devproc.compile(torch.export.export(Scaled(), (x, Settings(2.0))))
    assert torch.equal(program(x, Settings(2.0)), x * 2)
    program.save(tmp_path / "scaled.devproc")
    loaded = devproc.load(tmp_path / "scaled.devproc")
    assert torch.equal(loaded(x, Settings(2.0)), x * 2)


def test_a_real_gpu_is_asked_for_by_name() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here: the refusal cannot be seen")
    exported = torch.export.export(nn.ReLU(), (torch.zeros(3),))
    program = devproc.compile(exported, target="cuda")
    with pytest.raises(devproc.CompileError, match="'cuda:interpret'"):
        program(torch.zeros(3))
    with pytest.raises(devproc.CompileError, match="needs a GPU"):
        backend("cuda").load(program.artifact.code["cuda"], {})


def test_a_trace_has_one_event_for_each_step(tmp_path: Path) -> None:
    steps = [Step("copy", "cuda", byte_count=12), Step("launch", "cpu", "segment_0")]
    seen = [(step, 1.0 + number, 1.5 + number) for number, step in enumerate(steps)]
    write_events(tmp_path / "t.json", seen)
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    complete = [e for e in events if e["ph"] == "X"]
    assert [(e["ts"], e["dur"]) for e in complete] == [(0, 5e5), (1e6, 5e5)]
    assert complete[0]["args"]["bytes"] == 12
