"""Programs with several entries: shared states and weights, on disk and by command."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from torch import nn

import devproc
from devproc.errors import BundleError, CompileError, DevProcError, InputError
from devproc.tools.devproc import main
from tests.steps.both_targets import TARGETS

WIDTH, CAPACITY = 48, 11


class Cached(nn.Module):
    """Rows projected into a cache; the sum over those that are there."""

    cache: torch.Tensor
    count: torch.Tensor

    def __init__(self, capacity: int = CAPACITY) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, capacity, WIDTH))
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.table = nn.Embedding(300, WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)

    def forward(self, ids: torch.Tensor, places: torch.Tensor) -> Any:
        self.cache.index_copy_(1, places, self.project(self.table(ids)))
        self.count.add_(ids.shape[1])
        return self.cache.sum(1), self.count.clone()


def exported(model: nn.Module, rows: int) -> torch.export.ExportedProgram:
    ids = torch.zeros(2, rows, dtype=torch.int64)
    return torch.export.export(model, (ids, torch.arange(rows)))


@pytest.fixture(scope="module")
def model() -> Cached:
    torch.manual_seed(0)
    return Cached().eval()


def compiled(model: nn.Module, target: str = "cpu") -> devproc.Entries[devproc.Program]:
    sources = {"prefill": exported(model, 7), "decode": exported(model, 1)}
    return devproc.compile(sources, target, cache=False)


@pytest.fixture(scope="module")
def program(model: Cached) -> devproc.Entries[devproc.Program]:
    return compiled(model)


def check(program: devproc.Entries[devproc.Program], model: nn.Module) -> None:
    """A prefill and two steps equal one call of the eager model."""
    program.reset()
    ids = torch.randint(0, 300, (2, 9), generator=torch.Generator().manual_seed(1))
    program["prefill"](ids[:, :7], torch.arange(7))
    program["decode"](ids[:, 7:8], torch.tensor([7]))
    total, count = program["decode"](ids[:, 8:], torch.tensor([8]))
    with torch.no_grad():
        wanted, _ = copy.deepcopy(model).double()(ids, torch.arange(9))
    np.testing.assert_allclose(total, wanted, rtol=1e-5, atol=1e-5)
    assert count == torch.tensor([9])
    assert program.state["count"] == program["prefill"].state["count"] == [9]


def share_memory(program: devproc.Entries[devproc.Program]) -> bool:
    first, second = (e.weights.array("table.weight") for e in program.values())
    return np.shares_memory(first, second)


@pytest.mark.parametrize("target", TARGETS)
def test_entries_share_states(target: str, model: Cached) -> None:
    program = compiled(model, target)
    assert list(program) == ["prefill", "decode"]
    check(program, model)
    before = program.state["cache"]
    program["decode"].trace(
        "/dev/null", torch.zeros(2, 1, dtype=torch.int64), torch.tensor([3])
    )
    np.testing.assert_array_equal(program.state["cache"], before)


def test_equal_weights_are_stored_once(
    program: devproc.Entries[devproc.Program], model: Cached, tmp_path: Path
) -> None:
    assert share_memory(program)
    path = tmp_path / "cached.devproc"
    program.save(path)
    table = 300 * WIDTH * 4
    program["decode"].save(tmp_path / "decode.devproc")
    program["prefill"].save(tmp_path / "prefill.devproc")
    alone = sum((tmp_path / f"{n}.devproc").stat().st_size for n in program)
    assert path.stat().st_size < alone - table
    loaded = devproc.load_entries(path)
    assert share_memory(loaded)
    check(loaded, model)
    assert str(loaded) == str(program)


def test_file_with_a_key(
    program: devproc.Entries[devproc.Program], tmp_path: Path
) -> None:
    path, key = tmp_path / "signed.devproc", b"0123456789abcdef"
    program.save(path, key=key)
    assert list(devproc.load_entries(path, key=key)) == list(program)
    with pytest.raises(BundleError, match="another key"):
        devproc.load_entries(path, key=b"another key 4567")


def test_file_of_the_other_kind(
    program: devproc.Entries[devproc.Program], tmp_path: Path
) -> None:
    program.save(tmp_path / "both.devproc")
    program["decode"].save(tmp_path / "one.devproc")
    with pytest.raises(BundleError, match=r"entries prefill, decode.*load_entries"):
        devproc.load(tmp_path / "both.devproc")
    with pytest.raises(BundleError, match=r"one program.*devproc\.load"):
        devproc.load_entries(tmp_path / "one.devproc")
    data = bytearray((tmp_path / "both.devproc").read_bytes())
    data[data.index(b'"entries"') + 30] ^= 1
    (tmp_path / "bad.devproc").write_bytes(data)
    with pytest.raises(BundleError):
        devproc.load_entries(tmp_path / "bad.devproc")


def test_entries_that_do_not_fit(model: Cached) -> None:
    other = Cached(CAPACITY + 1).eval()
    sources = {"prefill": exported(model, 2), "decode": exported(other, 1)}
    with pytest.raises(CompileError) as error:
        devproc.compile(sources, cache=False)
    wanted = "state 'cache' of 'prefill' and 'decode': cache: float32 (2, 11, 48) and"
    assert wanted in str(error.value)
    changed = Cached().eval()
    changed.count += 1
    sources = {"prefill": exported(model, 2), "decode": exported(changed, 1)}
    with pytest.raises(CompileError, match=r"state 'count'.*their first values differ"):
        devproc.compile(sources, cache=False)
    with pytest.raises(CompileError, match="'1st' is no name of an entry"):
        devproc.compile({"1st": exported(model, 2)}, cache=False)
    with pytest.raises(CompileError, match="there is none"):
        devproc.compile({}, cache=False)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_refusals(
    program: devproc.Entries[devproc.Program], way: Callable[[Any], Any]
) -> None:
    with pytest.raises(
        InputError, match="no entry 'x'; the entries are 'prefill', 'decode'"
    ):
        program["x"]
    assert "x" not in program
    with pytest.raises(DevProcError, match="load_entries"):
        way(program)


def test_commands(model: Cached, tmp_path: Path) -> None:
    for name, rows in (("prefill", 7), ("decode", 1)):
        torch.export.save(exported(model, rows), tmp_path / f"{name}.pt2")
    source = ",".join(f"{n}={tmp_path / n}.pt2" for n in ("prefill", "decode"))
    saved = str(tmp_path / "both.devproc")

    def run(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == code, result.output
        return result.output

    assert "entry decode: program" in run("compile", source, "-o", saved)
    np.savez(tmp_path / "x.npz", ids=np.ones((2, 1), np.int64), places=np.array([4]))
    output = run("run", saved, "--entry", "decode", "-i", str(tmp_path / "x.npz"))
    assert "output_1 = [1]" in output
    assert "cache" in run("inspect", saved, "--entry", "prefill")
    assert "the entries are prefill, decode" in run("run", saved, code=2)
