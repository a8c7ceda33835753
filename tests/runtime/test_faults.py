"""Faults of the system at each call: a right result or a clear error, and nothing left over.

An OSError passes where it is the user's own path; a MemoryError always: Python's classes
say what it is. The cache never stops a compilation.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import threading
import warnings
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from devproc.errors import BundleError, CompileError, DevProcError
from devproc.ir import cache_folder
from devproc.ir.object_cache import ObjectCache
from devproc.program import Program
from devproc.reference.run import preparation
from devproc.runtime.bundles.artifact import Compiled
from devproc.runtime.cache.artifact_cache import read_cached, write_cached
from devproc.runtime.cache.cache_key import CacheKey
from tests.runtime import faults
from tests.runtime.children import run_in_child

X = torch.randn(3, 24)
NET = nn.Sequential(nn.Linear(24, 33), nn.Tanh(), nn.Linear(33, 5)).eval()
SOURCE = torch.export.export(NET, (X,))
LAYER_NET = nn.Linear(24, 5).eval()
LAYER = torch.export.export(LAYER_NET, (X,))
WIDE_NET = nn.Linear(24, 10007).eval()
WIDE = torch.export.export(WIDE_NET, (X,))
"""Its weights are more than a process finds in what it has freed."""
ENDED_BY_THE_SYSTEM = (-signal.SIGABRT, 127)
"""Exit codes of LLVM without memory, and of the C library without any for a thread."""
KEY = CacheKey({"program": "this one"})


@cache
def program() -> Program:
    return devproc.compile(SOURCE, threads=1, cache=False)


def check(found: Program) -> None:
    torch.testing.assert_close(found(X), NET(X).detach())


def check_layer(found: Program) -> None:
    torch.testing.assert_close(found(X), LAYER_NET(X).detach())


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
    write_cached(KEY, Compiled(program().artifact, program().weights), True)
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
    """Each call of a compilation that concerns the cache; then a compilation as ever."""
    with faults.files(tmp_path, -1) as all_calls:
        devproc.compile(LAYER, threads=1)
    assert all_calls.count > 50
    for n in range(1, all_calls.count + 1):
        folder = use_other_folder(monkeypatch, tmp_path, n)
        with quietly(), faults.files(tmp_path, n) as calls:
            check_layer(devproc.compile(LAYER, threads=1))
        # Two threads write: their calls come in another order each time.
        assert not leftovers(folder) or calls.seen[n - 1] == "unlink"
        check_layer(devproc.compile(LAYER, threads=1))


def test_memory_of_a_compilation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first allocation at each place of the package fails, through all stages.

    By place rather than by number: a compilation allocates thousands of times, and what
    an error leaves behind depends on where it comes, not on how often one came by. Nobody
    takes it for something else: a name or a number that is not known, say.
    """
    # What a process computes once is computed by then.
    devproc.compile(LAYER, threads=1)
    use_other_folder(monkeypatch, tmp_path, -1)
    with faults.allocations(None) as places:
        devproc.compile(LAYER, threads=1)
    names = {name for name, _, _ in places}
    assert {"empty", "mmap", "emit_object", "writestr", "clone"} <= names
    for n, place in enumerate(places):
        folder = use_other_folder(monkeypatch, tmp_path, n)
        with faults.allocations(place), pytest.raises(MemoryError, match="no memory"):
            devproc.compile(LAYER, threads=1)
        check_layer(devproc.compile(LAYER, threads=1))
        assert not leftovers(folder)
        assert gc.isenabled()


@pytest.mark.parametrize("spare", [0.25, 1, 3, 8])
def test_a_compilation_at_the_limit_of_memory(spare: float, tmp_path: Path) -> None:
    """The system itself refuses: threads, maps, whatever comes first.

    LLVM and the C library may end the process, but not spoil what is cached.
    """
    warm, wanted = devproc.compile(LAYER, threads=1), WIDE_NET(X).detach()

    def check() -> None:
        # A fork leaves no thread of OpenMP, for which PyTorch would wait forever.
        torch.set_num_threads(1)
        found: list[Program] = []
        with (
            limited_memory(int(spare * 2**20)),
            suppress(MemoryError, OSError, DevProcError),
        ):
            found.append(devproc.compile(WIDE, threads=1))
        assert not leftovers(tmp_path)
        for result in found or [devproc.compile(WIDE, threads=1)]:
            torch.testing.assert_close(result(X), wanted)
        check_layer(warm)

    assert run_in_child(check) in (0, *ENDED_BY_THE_SYSTEM)
    torch.testing.assert_close(devproc.compile(WIDE, threads=1)(X), wanted)


def free_memory(size: int) -> Generator[torch.Tensor]:
    """Blocks of `size` bytes until the process gets no more."""
    with suppress(RuntimeError):
        for _ in range((1 << 36) // size):
            yield torch.empty(size, dtype=torch.uint8)
        pytest.fail("the system does not limit the memory of a process")


@contextmanager
def limited_memory(spare: int) -> Generator[None]:
    """Inside, the process can have this many bytes of addresses more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + spare
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    # The allocator keeps what tests before have freed.
    kept = list(free_memory(1 << 24))
    try:
        yield
    finally:
        kept.clear()
        resource.setrlimit(resource.RLIMIT_AS, before)


class Repeat(nn.Module):
    """An output that is larger than what any process has freed and kept."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.expand(1 << 12, 1 << 14) + 1


@pytest.mark.parametrize("in_torch", [True, False])
def test_memory_of_outputs(in_torch: bool) -> None:
    """PyTorch's allocator raises a RuntimeError."""
    x = torch.zeros(1 << 14)
    repeat = devproc.compile(torch.export.export(Repeat(), (x,)), threads=1)

    def check() -> None:
        given: object = x if in_torch else x.numpy()
        with (
            limited_memory(1 << 20),
            pytest.raises(MemoryError, match="allocate"),
        ):
            repeat(given)
        assert len(repeat(given)) == 1 << 12

    assert run_in_child(check) == 0


def test_memory_of_packed_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(preparation, "prepare_results", refuse)
    with pytest.raises(MemoryError, match="can't allocate"):
        devproc.compile(LAYER, threads=1)


def test_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python says `RuntimeError: can't start new thread`."""

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(CompileError, match=r"cannot start a thread.*ulimit"):
            devproc.compile(LAYER, threads=1)
    check_layer(devproc.compile(LAYER, threads=1))


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


@pytest.mark.parametrize("function", ["torch.load", "torch.export.load"])
def test_memory_of_reading_an_export(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a damaged file nor one that could run code."""
    path = tmp_path / "net.pt2"
    torch.export.save(LAYER, path)

    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(function, refuse)
        with pytest.raises(BundleError, match="it needs more memory"):
            devproc.compile(path, threads=1)
    check_layer(devproc.compile(path, threads=1))


def test_an_entry_whose_numbers_do_not_fit_together_is_none() -> None:
    """As in a saved program: its code would leave its memory."""
    artifact, weights = program().artifact, program().weights
    small = dict.fromkeys(artifact.host.arenas, 0)
    broken = replace(artifact, host=replace(artifact.host, arenas=small))
    write_cached(KEY, Compiled(broken, weights), True)
    assert read_cached(KEY.name, None) is None
    write_cached(KEY, Compiled(artifact, weights), True)
    assert read_cached(KEY.name, None) is not None
