"""The environment variables of DevProc; no other module reads the environment."""

from __future__ import annotations

import operator
import os
from collections.abc import Container, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import SupportsIndex, cast

from devproc.errors import CompileError, DevProcError


@dataclass(frozen=True)
class Setting:
    """One variable: its name, its default, and its meaning."""

    name: str
    default: str
    meaning: str

    def text(self) -> str | None:
        """The value in the environment; None if unset or empty."""
        return os.environ.get(self.name) or None

    def number(self, least: int) -> int | None:
        """The value as an integer of at least `least`; None if unset."""
        text = self.text()
        if text is None:
            return None
        if not text.isdecimal() or int(text) < least:
            raise DevProcError(
                f"{self.name}={text}: expected an integer of at least {least}; "
                f"correct it or unset it (default: {self.default})"
            )
        return int(text)


NUM_THREADS = Setting(
    "DEVPROC_NUM_THREADS",
    "the machine's cores",
    "Threads of a CPU program, when `compile(..., threads=N)` does not say.",
)
CACHE_DIR = Setting(
    "DEVPROC_CACHE_DIR",
    "`$XDG_CACHE_HOME/devproc`, else `~/.cache/devproc`",
    "Folder of compiled programs and object code, keyed by content (docs/cache.md), of the "
    "user alone; empty: keep nothing.",
)
CACHE_LIMIT = Setting(
    "DEVPROC_CACHE_LIMIT",
    "8192",
    "Megabytes that the folder of `DEVPROC_CACHE_DIR` may take; what was used the longest "
    "ago is removed first.",
)
DEBUG = Setting(
    "DEVPROC_DEBUG",
    "0",
    "1: time of each stage, 2: IR after each stage, 3: IR after each pass, "
    "4: generated code; each level adds to the one before, on stderr.",
)

VERIFY = Setting(
    "DEVPROC_VERIFY",
    "stage",
    "When the IR is verified: `stage`, after each stage but the last, which LLVM "
    "verifies, or `pass`, after each stage and pass, to find the one that broke it.",
)

EXTENSIONS = Setting(
    "DEVPROC_EXTENSIONS",
    "none",
    "Python modules, separated by commas, that register operators of their own "
    "(docs/custom_ops.md); imported by every tool.",
)

SETTINGS = (NUM_THREADS, CACHE_DIR, CACHE_LIMIT, DEBUG, VERIFY, EXTENSIONS)


MOST_THREADS = 1024
"""Most threads of a program: more than machines have cores."""


def num_threads(given: object = None) -> int:
    """Threads of a CPU program: given by the user, else by the environment.

    Raises CompileError for an invalid number of threads.
    """
    if given is None:
        given = NUM_THREADS.number(least=1) or len(os.sched_getaffinity(0))
    problem = threads_problem(given)
    if problem is not None:
        raise CompileError(problem)
    return operator.index(cast(SupportsIndex, given))


def threads_problem(threads: object) -> str | None:
    """The problem with a number of threads; None for 1 to `MOST_THREADS`."""
    is_integer = hasattr(threads, "__index__") and not isinstance(threads, bool)
    if is_integer and 1 <= operator.index(cast(SupportsIndex, threads)) <= MOST_THREADS:
        return None
    return (
        f"threads={threads!r}: expected an integer from 1 to {MOST_THREADS}, at best the "
        f"number of cores (here {len(os.sched_getaffinity(0))}): each thread is started, "
        "and more than there are cores only wait for each other"
    )


def cache_dir() -> Path:
    """Folder of compiled object code (may not exist yet).

    Set but empty disables the cache: no file can be created below the null device.
    """
    if os.environ.get(CACHE_DIR.name) == "":
        return Path(os.devnull)
    chosen = CACHE_DIR.text()
    if chosen is not None:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "devproc"


def cache_limit() -> int:
    """Bytes that the folder of compiled programs may take."""
    number = CACHE_LIMIT.number(least=0)
    return (int(CACHE_LIMIT.default) if number is None else number) << 20


def debug_level() -> int:
    """The debug level, 0 (silent) to 4."""
    return DEBUG.number(least=0) or 0


def verify_each_pass() -> bool:
    """Whether the IR is verified after each pass, not only after each stage."""
    chosen = VERIFY.text() or VERIFY.default
    if chosen not in ("stage", "pass"):
        raise DevProcError(
            f"{VERIFY.name}={chosen}: expected 'stage' or 'pass'; correct it or unset it "
            f"(default: {VERIFY.default})"
        )
    return chosen == "pass"


def extensions() -> tuple[str, ...]:
    """Modules that register operators."""
    names = (EXTENSIONS.text() or "").split(",")
    return tuple(name.strip() for name in names if name.strip())


def variables_of(library: str, names: Container[str] = ()) -> dict[str, str]:
    """The variables that a library reads: with its prefix, or of these names."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(library) or name in names
    }


@contextmanager
def environment(**values: str) -> Generator[None]:
    """Sets variables within the context, for libraries that read their own."""
    saved = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, old in saved.items():
            if old is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = old
