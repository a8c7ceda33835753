"""The object cache: found again, never trusted, never in the way."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from devproc import settings
from devproc.ir.object_cache import ObjectCache
from devproc.ir.source_digest import content_key
from devproc.targets.cpu.jit import CompileOptions, CPUTarget, compile_object

IR = "define void @f(ptr %p) {\n  store i32 7, ptr %p\n  ret void\n}\n"


def entries(directory: Path) -> list[Path]:
    """The files of the cache."""
    return [path for path in directory.rglob("*") if path.is_file()]


def test_entry_is_made_once(tmp_path: Path) -> None:
    cache, made = ObjectCache(tmp_path), list[int]()

    def create() -> bytes:
        made.append(1)
        return b"code"

    assert cache.get_or_create("ab12", create) == b"code"
    assert cache.get_or_create("ab12", create) == b"code"
    assert ObjectCache(tmp_path).get("ab12") == b"code"
    assert len(made) == 1
    assert len(entries(tmp_path)) == 1


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "foreign"])
def test_damaged_entry_is_made_again(tmp_path: Path, damage: str) -> None:
    cache = ObjectCache(tmp_path)
    cache.put("ab12", b"code" * 100)
    (path,) = entries(tmp_path)
    data = path.read_bytes()
    path.write_bytes(
        {
            "empty": b"",
            "cut": data[:-1],
            "flipped": data[:-1] + bytes([data[-1] ^ 1]),
            "foreign": b"something else",
        }[damage]
    )
    assert cache.get("ab12") is None
    assert cache.get_or_create("ab12", lambda: b"new") == b"new"
    assert cache.get("ab12") == b"new"


def test_directory_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ObjectCache(tmp_path / "file")
    assert cache.get_or_create("ab12", lambda: b"code") == b"code"
    assert cache.get("ab12") is None


def test_no_directory_keeps_nothing() -> None:
    cache = ObjectCache(None)
    cache.put("ab12", b"code")
    assert cache.get("ab12") is None


def test_empty_variable_disables_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVPROC_CACHE_DIR", "")
    cache = ObjectCache(settings.cache_dir())
    assert cache.get_or_create("ab12", lambda: b"code") == b"code"
    assert cache.get("ab12") is None


def test_writers_at_once_leave_a_whole_entry(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    data = [bytes([n]) * 100_000 for n in range(8)]
    writers = [threading.Thread(target=cache.put, args=("ab12", d)) for d in data]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert cache.get("ab12") in data
    assert len(entries(tmp_path)) == 1


def test_key_keeps_borders_apart() -> None:
    assert content_key(["ab", "c"]) != content_key(["a", "bc"])
    assert content_key(["ab", "c"]) == content_key(["ab", "c"])


def test_key_depends_on_target_and_options(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    compile_object(IR, cache=cache)
    compile_object(IR, cache=cache)
    assert len(entries(tmp_path)) == 1
    compile_object(IR, options=CompileOptions(level=1), cache=cache)
    compile_object(IR, options=CompileOptions(passes=False), cache=cache)
    compile_object(IR, CPUTarget.get("x86-64-v3"), cache=cache)
    compile_object(IR.replace("7", "8"), cache=cache)
    assert len(entries(tmp_path)) == 5
