"""The cache: private, trusted only where it is, and able to say why a program is not there."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from torch import nn

import devproc
from devproc.entry import why_not_cached
from devproc.ir import cache_folder
from devproc.runtime.cache.cache_reasons import cached_programs
from devproc.tools.commands.cache import cache_group

X = torch.randn(3, 24)


def export(net: nn.Module) -> torch.export.ExportedProgram:
    return torch.export.export(net.eval(), (X,))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path / "made" / "cache"))
    monkeypatch.setattr(cache_folder, "_warned", set[str]())
    torch.manual_seed(0)
    return tmp_path / "made" / "cache"


def is_cached(program: devproc.Program) -> bool:
    return "cache" in [record.name for record in program.timings]


def warnings_of(net: nn.Module) -> tuple[bool, list[str]]:
    """Whether the program was found, and what was said; it computes the right thing."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", RuntimeWarning)
        program = devproc.compile(export(net), threads=1)
        torch.testing.assert_close(program(X), net(X).detach())
        devproc.compile(export(net), threads=1, precision="strict")
    said = [str(w.message) for w in found if w.category is RuntimeWarning]
    return is_cached(program), said


def test_folders_and_files_are_the_users(folder: Path) -> None:
    before = os.umask(0)
    try:
        assert warnings_of(nn.Linear(24, 33)) == (False, [])
    finally:
        os.umask(before)
    paths = [folder, *folder.rglob("*")]
    assert len(paths) > 8
    for path in paths:
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("mode", [0o020, 0o002])
@pytest.mark.parametrize("place", [".", "programs", "weights", "*.zip", "*.bin"])
def test_what_others_may_write_to(folder: Path, place: str, mode: int) -> None:
    net = nn.Linear(24, 33)
    assert warnings_of(net) == (False, [])
    assert warnings_of(net) == (True, [])
    paths = list(folder.rglob(place)) if "*" in place else [folder / place]
    for path in paths:
        path.chmod(path.stat().st_mode | mode)
    found, said = warnings_of(net)
    assert not found
    (message,) = said
    assert "others may write to it" in message
    assert "chmod go-w" in message
    assert str(folder) in message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("place", [".", "*.zip", "*.bin", "*.o"])
def test_what_belongs_to_another_user(folder: Path, place: str) -> None:
    net = nn.Linear(24, 33)
    warnings_of(net)
    paths = list(folder.rglob(place)) if "*" in place else [folder]
    if place == "*.o":  # Object code is asked for where there is no program.
        for path in folder.rglob("*.zip"):
            path.unlink()
    for path in paths:
        os.chown(path, 12345, -1)
    found, (message,) = warnings_of(net)
    assert not found
    assert "belongs to user 12345" in message
    assert "chown" in message


@pytest.mark.parametrize("value", ["", "file"])
def test_folder_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """None is wanted: nothing is said. None can be made: one warning, and a program."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DEVPROC_CACHE_DIR", value and str(tmp_path / value))
    found, said = warnings_of(nn.Linear(24, 33))
    assert not found
    assert len(said) == bool(value)
    assert all("are not kept" in text and "DEVPROC_CACHE_DIR" in text for text in said)


def test_weights_above_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVPROC_CACHE_LIMIT", "1")
    _, (message,) = warnings_of(nn.Linear(24, 9000))
    assert "DEVPROC_CACHE_LIMIT" in message


def differences(net: nn.Module, **options: Any) -> dict[str, str]:
    answer = why_not_cached(export(net), **{"threads": 1, **options})
    assert not answer.hit
    return answer.differences()


def test_why_a_program_is_not_there() -> None:
    first = nn.Linear(24, 33)
    net: nn.Module = nn.Sequential(first, nn.ReLU())
    assert "holds no program" in str(why_not_cached(export(net)))
    devproc.compile(export(nn.Tanh()), threads=1)
    devproc.compile(export(net), threads=1)
    assert why_not_cached(export(net), threads=1).hit
    assert differences(net, threads=2) == {"option threads": "there 1, here 2"}
    assert differences(net, precision="strict").keys() == {"option precision"}
    assert differences(net, check_values=True).keys() == {"option check_values"}
    both = {"option check_bounds", "option check_values"}
    assert differences(net, check_bounds=True).keys() == both
    assert differences(net, placement={"nn.relu": "cpu"}).keys() == {"option placement"}
    assert differences(net, fallback="torch").keys() == {"option fallback"}
    with torch.no_grad():
        first.bias[3] += 1
    assert differences(net) == {"weights": "0.bias"}
    net = nn.Sequential(first, nn.Sigmoid())
    assert "graph" in differences(net)


@pytest.mark.parametrize("part", ["torch", "machine of cpu", "DevProc's sources"])
def test_why_with_another_compiler(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from devproc.runtime.cache import cache_key

    net = nn.Linear(24, 33)
    devproc.compile(export(net), threads=1)
    changed = {**dict(cache_key.compiler_version("cpu")), part: "other"}
    version: Callable[[str], Any] = lambda _: tuple(changed.items())  # noqa: E731
    monkeypatch.setattr(cache_key, "compiler_version", version)
    found = differences(net)
    assert found.keys() == {part}
    assert found[part].endswith("here other")


def test_why_of_a_pipeline() -> None:
    def pipe(mean: float) -> devproc.Pipeline:
        made = devproc.pipeline("p")
        image = made.input("image", "uint8", (7, 5, 3))
        made.output("y", made.normalize(image, mean=(mean,) * 3, std=(1.0,) * 3))
        return made

    devproc.compile(pipe(0.5), threads=1)
    assert why_not_cached(pipe(0.5), threads=1).hit
    assert why_not_cached(pipe(0.5), threads=2).differences().keys() == {"options"}
    assert "program" in why_not_cached(pipe(0.25), threads=1).differences()


def test_commands(folder: Path, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(cache_group, list(words), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    path = tmp_path / "net.pt2"
    torch.export.save(export(nn.Linear(24, 33)), path)
    assert run("path").strip() == str(folder)
    assert run("list").startswith("0 programs")
    assert "holds no program" in run("why", str(path))
    devproc.compile(path, threads=1)
    (entry,) = cached_programs()
    assert entry.name[:16] in run("list")
    assert "threads=1" in run("list")
    assert run("why", str(path), "--threads", "1").startswith("in the cache")
    assert "option threads: there 1, here 2" in run("why", str(path), "--threads", "2")
    assert "removed" in run("clear")
    assert not cached_programs()
    assert not [found for found in folder.rglob("*") if found.is_file()]
