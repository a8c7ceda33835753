"""How a program is called: arguments that fit as they are, and all others."""

from __future__ import annotations

import subprocess
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import devproc
from devproc.program import Program
from devproc.runtime.calls.structure import (
    PlainStructure,
    loads_structure,
    structure_of,
)


class Scaled(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x * 2 + y


@pytest.fixture(scope="module")
def program() -> Program:
    inputs = (torch.zeros(3, 5), torch.zeros(5))
    return devproc.compile(torch.export.export(Scaled(), inputs), threads=1)


X, Y = np.random.default_rng(0).normal(size=(2, 3, 5)).astype(np.float32)
WANTED = X * 2 + Y[0]


@pytest.mark.parametrize(
    "x",
    [
        X,
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        X[::-1][::-1],
        np.frombuffer(X.tobytes(), np.float32).reshape(3, 5),
        X.view(np.memmap),
    ],
    ids=["plain", "columns", "strided", "twice reversed", "read-only", "subclass"],
)
def test_arrays_of_every_layout(program: Program, x: np.ndarray) -> None:
    y = np.ascontiguousarray(Y[0])
    np.testing.assert_array_equal(program(x, y), WANTED)
    # One after the other: the short way and the long way share the workspaces.
    np.testing.assert_array_equal(program(X.copy(), y), WANTED)


def negative(x: torch.Tensor) -> torch.Tensor:
    """The same numbers, stored with the other sign: PyTorch negates them when read."""
    return torch.conj(torch.complex(torch.zeros_like(x), -x)).imag


@pytest.mark.parametrize(
    "x",
    [
        torch.from_numpy(X.copy()),
        torch.from_numpy(X.copy()).t().contiguous().t(),
        negative(torch.from_numpy(X.copy())).contiguous(),
        nn.Parameter(torch.from_numpy(X.copy())),
        X,
    ],
    ids=["plain", "transposed", "negative", "parameter", "array and tensor"],
)
def test_tensors_of_every_layout(program: Program, x: object) -> None:
    out = program(x, torch.from_numpy(Y[0].copy()))
    assert isinstance(out, torch.Tensor)
    np.testing.assert_array_equal(out.detach().numpy(), WANTED)


def test_outputs_lie_in_host_memory_whatever_the_default_device(
    program: Program,
) -> None:
    x, y = torch.from_numpy(X.copy()), torch.from_numpy(Y[0].copy())
    with torch.device("meta"):
        out = program(x, y)
    np.testing.assert_array_equal(out.numpy(), WANTED)


@pytest.mark.parametrize("torch_too", [False, True])
def test_all_problems_at_once(program: Program, torch_too: bool) -> None:
    bad = [np.zeros((5, 3), np.float32), np.zeros(5, np.float64)]
    given = [torch.from_numpy(a) for a in bad] if torch_too else bad
    with pytest.raises(devproc.InputError) as caught:
        program(*given)
    assert "got float32 (5, 3)" in str(caught.value)
    assert "got float64 (5)" in str(caught.value)
    with pytest.raises(devproc.InputError, match="got list"):
        program(bad[0].T.copy(), [1.0])
    with pytest.raises(devproc.InputError, match="foreign byte order"):
        program(X.astype(">f4"), np.zeros(5, np.float32))


def test_empty_inputs_and_outputs() -> None:
    x = torch.zeros(0, 4)
    program = devproc.compile(torch.export.export(nn.ReLU(), (x,)))
    assert program(x.numpy()).shape == (0, 4)
    assert program(x).shape == (0, 4)


def test_bfloat16_results_of_arrays() -> None:
    class Narrow(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.to(torch.bfloat16)

    x = torch.from_numpy(X[0].copy())
    program = devproc.compile(torch.export.export(Narrow(), (x,)))
    out = program(x.numpy())
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, x.to(torch.bfloat16).float().numpy())


VALUES = [
    (1, [2, {"b": 3, "a": (4, ())}]),
    OrderedDict(x=[1], y={}),
    7,
    {"k": [1, 2], 3: None},
]


@pytest.mark.parametrize("value", VALUES)
def test_structures_are_those_of_pytorch(value: object) -> None:
    leaves, spec = pytree.tree_flatten(value)
    structure = structure_of(spec)
    assert isinstance(structure, PlainStructure)
    assert structure.num_leaves == len(leaves)
    assert structure.flatten(value) == leaves
    assert structure.unflatten(leaves) == pytree.tree_unflatten(leaves, spec)
    assert type(structure.unflatten(leaves)) is type(value)
    assert pytree.treespec_loads(structure.dumps()) == spec
    assert loads_structure(structure.dumps()) == structure
    for other in VALUES:
        if other is not value:
            assert structure.flatten(other) is None


def test_keys_come_in_any_order() -> None:
    structure = structure_of(pytree.tree_flatten({"b": 1, "a": 2})[1])
    assert structure.flatten({"a": 2, "b": 1}) == [1, 2]
    assert structure.flatten({"a": 2, "c": 1}) is None


LOADED = """
import sys
import numpy as np
import devproc
program = devproc.load(sys.argv[1])
x, y = np.load(sys.argv[2]), np.load(sys.argv[3])
out = program(np.asfortranarray(x), y)
np.testing.assert_array_equal(program(x, y), out)
np.save(sys.argv[4], out)
print([name for name in ("torch", "xdsl", "llvmlite", "triton") if name in sys.modules])
"""


def test_a_saved_program_runs_with_numpy_alone(tmp_path: Path) -> None:
    """Two threads: the thread pool comes with the program."""

    class Wide(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(301, 513)

        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return torch.relu(self.linear(x)) + y

    torch.manual_seed(0)
    inputs = (torch.randn(33, 301), torch.randn(513))
    program = devproc.compile(torch.export.export(Wide(), inputs), threads=2)
    program.save(tmp_path / "wide.devproc")
    paths = [str(tmp_path / name) for name in ("x.npy", "y.npy", "out.npy")]
    for path, value in zip(paths, inputs, strict=False):
        np.save(path, value.numpy())
    command = [sys.executable, "-c", LOADED, str(tmp_path / "wide.devproc"), *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    np.testing.assert_array_equal(np.load(paths[2]), program(*inputs).numpy())


@pytest.mark.parametrize("place", ["map", "memory"])
def test_weights_are_never_copied(tmp_path: Path, place: str) -> None:
    """All lie at a cache line, odd sizes too; saving over the file is harmless."""

    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Parameter(torch.randn(7))
            self.b = nn.Parameter(torch.randn(13, 7))
            self.c = nn.Parameter(torch.randn(13).double())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x * self.a * self.b).sum(-1) + self.c

    x = torch.randn(13, 7)
    program = devproc.compile(torch.export.export(Odd(), (x,)))
    path = tmp_path / "odd.devproc"
    program.save(path)
    loaded = devproc.load(path, weights=place)
    assert len(loaded.weights) >= 3
    bases = set[int]()
    for name in loaded.weights:
        array = loaded.weights.array(name)
        assert array.ctypes.data % 64 == 0
        assert not array.flags.writeable
        base: object = array
        while isinstance(getattr(base, "base", None), np.ndarray):
            base = base.base  # type: ignore[attr-defined]
        assert isinstance(base, np.memmap) == (place == "map")
        bases.add(id(base))
    assert len(bases) == 1
    assert loaded._native is not None
    for name, array in loaded._native._weights.items():
        assert array.ctypes.data == loaded.weights.array(name).ctypes.data
    loaded.weights.verify()
    loaded.save(path)
    assert torch.equal(loaded(x), program(x))
    assert torch.equal(devproc.load(path)(x), program(x))
    assert [p.name for p in tmp_path.iterdir()] == ["odd.devproc"]


@pytest.mark.parametrize("verify", [True, False])
def test_weights_read_into_memory_are_checked(tmp_path: Path, verify: bool) -> None:
    class Sum(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Parameter(torch.randn(3000))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.a

    path = tmp_path / "sum.devproc"
    devproc.compile(torch.export.export(Sum(), (torch.ones(3000),))).save(path)
    with pytest.raises(devproc.InputError, match="one of 'map', 'memory', not 'disk'"):
        devproc.load(path, weights="disk")
    content = bytearray(path.read_bytes())
    place = content.index(b"weights.safetensors") + 4000
    content[place] ^= 1
    path.write_bytes(content)
    if not verify:
        assert devproc.load(path, weights="memory", verify=False)
        return
    with pytest.raises(devproc.BundleError, match="is not what was saved"):
        devproc.load(path, weights="memory")
