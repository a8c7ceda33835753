"""What a compilation took, as its driver measures it and a program keeps it."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class StageRecord:
    """What one stage took: its name, and seconds by pass."""

    name: str
    seconds: dict[str, float] = field(default_factory=dict)
    beside: dict[str, float] = field(default_factory=dict)
    """Seconds of threads that work beside the passes: no part of the sum."""

    def add(self, other: StageRecord) -> None:
        """Count what the stage took for another part of the program too."""
        for mine, more in ((self.seconds, other.seconds), (self.beside, other.beside)):
            for name, seconds in more.items():
                mine[name] = mine.get(name, 0) + seconds

    @property
    def total_seconds(self) -> float:
        """Seconds of all passes of the stage."""
        return sum(self.seconds.values())


def seconds_since(started: float, name: str) -> dict[str, float]:
    """What a record holds of one pass, from a value of `time.perf_counter` until now."""
    return {name: time.perf_counter() - started}


_observers: list[Callable[[str], None]] = []


def announce(what: str) -> None:
    """Tells whoever shows progress what begins: a stage, a kernel, a model."""
    for observer in _observers:
        observer(what)


@contextmanager
def announced_to(observer: Callable[[str], None]) -> Generator[None]:
    """Shows the user what `announce` tells, for as long as the context lasts."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)
