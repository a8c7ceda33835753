"""Faults of the system at each call: a right result or a clear error, and nothing left over.

An OSError passes where it is the user's own path; a MemoryError always: Python's classes
say what it is. The cache never stops a compilation.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from devproc.errors import DevProcError
from devproc.runtime.cache import cache_folder
from devproc.runtime.cache.artifact_cache import Entry, read_cached, write_cached
from devproc.runtime.cache.cache_key import CacheKey
from devproc.runtime.program import Program
from devproc.targets.cpu.object_cache import ObjectCache
from tests.runtime import faults
from tests.runtime.children import run_in_child

X = torch.randn(3, 24)
NET = nn.Sequential(nn.Linear(24, 33), nn.Tanh(), nn.Linear(33, 5)).eval()
SOURCE = torch.export.export(NET, (X,))
KEY = CacheKey({"program": "this one"})


@cache
def program() -> Program:
    return devproc.compile(SOURCE, threads=1, cache=False)


def check(found: Program) -> None:
    torch.testing.assert_close(found(X), NET(X).detach())


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if "part" in path.name]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_folder, "_warned", set[str]())
    check(program())
    return tmp_path / "cache"


@contextmanager
def quietly() -> Generator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def write() -> None:
    """What a compilation writes."""
    write_cached(KEY, Entry(program().artifact, program().weights), True)
    ObjectCache(Path(os.environ["DEVPROC_CACHE_DIR"])).put("ab12", b"code" * 99)


def whole_or_none() -> bool:
    """Whether the cache has the program, which then is the right one."""
    assert ObjectCache(Path(os.environ["DEVPROC_CACHE_DIR"])).get("ab12") in (
        None,
        b"code" * 99,
    )
    entry = read_cached(KEY.name, None)
    if entry is None:
        return False
    check(Program(entry.artifact, entry.weights))
    return True


def use_other_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, n: int) -> Path:
    folder = tmp_path / f"cache{n}"
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(folder))
    return folder


def test_writing_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with faults.files(tmp_path, -1) as all_calls:
        write()
    assert {"mkdir", "open", "write", "replace"} <= set(all_calls.seen)
    assert all_calls.count > 20
    for n in range(1, all_calls.count + 1):
        folder = use_other_folder(monkeypatch, tmp_path, n)
        with quietly(), faults.files(tmp_path, n):
            write()
        assert not leftovers(folder) or all_calls.seen[n - 1] == "unlink"
        whole_or_none()
        write()
        assert whole_or_none()


def test_a_full_disk_is_said_once(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", RuntimeWarning)
        with faults.files(tmp_path, 12):
            write()
        with faults.files(tmp_path, 12):
            write()
    (message,) = [str(w.message) for w in said if w.category is RuntimeWarning]
    assert "No space left" in message
    assert "are not kept" in message


def test_reading_the_cache(tmp_path: Path) -> None:
    write()
    with faults.files(tmp_path, -1) as all_calls:
        assert whole_or_none()
    assert all_calls.count > 5
    for n in range(1, all_calls.count + 1):
        with quietly(), faults.files(tmp_path, n):
            whole_or_none()
        assert whole_or_none()


def test_killed_while_writing_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with faults.files(tmp_path, -1) as all_calls:
        write()

    def die(n: int) -> None:
        with faults.files(tmp_path, n, faults.kill):
            write()

    for n in range(1, all_calls.count + 1):
        use_other_folder(monkeypatch, tmp_path, n)
        assert run_in_child(lambda n=n: die(n)) == -9
        whole_or_none()
        write()
        assert whole_or_none()


def test_compiling_beside_a_failing_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of the calls, all over a compilation; then a warm one."""
    with faults.files(tmp_path, -1) as all_calls:
        devproc.compile(SOURCE, threads=1)
    for n in range(1, all_calls.count + 1, 13):
        folder = use_other_folder(monkeypatch, tmp_path, n)
        with quietly(), faults.files(tmp_path, n):
            check(devproc.compile(SOURCE, threads=1))
        assert not leftovers(folder) or all_calls.seen[n - 1] == "unlink"
        check(devproc.compile(SOURCE, threads=1))


def test_saving(tmp_path: Path) -> None:
    path = tmp_path / "saved" / "net.devproc"
    path.parent.mkdir()
    program().save(path)
    before = path.read_bytes()
    with faults.files(path.parent, -1) as all_calls:
        program().save(path)
    assert all_calls.count > 4
    for n in range(1, all_calls.count + 1):
        with faults.files(path.parent, n), suppress(OSError, DevProcError):
            program().save(path)
        if all_calls.seen[n - 1] != "unlink":
            assert os.listdir(path.parent) == [path.name]
        assert len(path.read_bytes()) == len(before)
        check(devproc.load(path))


def test_loading(tmp_path: Path) -> None:
    path = tmp_path / "net.devproc"
    program().save(path)
    with faults.files(path, -1) as all_calls:
        check(devproc.load(path))
    assert all_calls.count > 3
    for n in range(1, all_calls.count + 1):
        with faults.files(path, n), suppress(OSError, DevProcError):
            check(devproc.load(path))
    check(devproc.load(path))


def test_memory_of_a_program(tmp_path: Path) -> None:
    path = tmp_path / "net.devproc"
    program().save(path)
    with faults.memory(-1) as all_calls:
        check(devproc.load(path))
    assert {"empty", "mmap"} <= set(all_calls.seen)
    for n in range(1, all_calls.count + 1):
        with faults.memory(n), suppress(MemoryError, DevProcError):
            check(devproc.load(path))


def test_memory_of_a_call() -> None:
    with faults.memory(-1) as all_calls:
        program()(X.numpy())
    for n in range(1, all_calls.count + 1):
        with faults.memory(n), pytest.raises(MemoryError):
            program()(X.numpy())
        check(program())
