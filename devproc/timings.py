"""Times of a compilation, as the driver measures them and a program keeps them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class StageRecord:
    """The time of one stage: its name, and seconds by pass."""

    name: str
    seconds: dict[str, float] = field(default_factory=dict)
    alongside: dict[str, float] = field(default_factory=dict)
    """Seconds of threads that work alongside the passes; not part of the sum."""

    def add(self, other: StageRecord) -> None:
        """Adds what the stage took for another part of the program."""
        for name, seconds in other.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0) + seconds

    @property
    def total_seconds(self) -> float:
        """Seconds of all passes of the stage."""
        return sum(self.seconds.values())


def seconds_since(started: float, name: str) -> dict[str, float]:
    """The entry of one pass, from a value of `time.perf_counter` until now."""
    return {name: time.perf_counter() - started}


_observers: list[Callable[[str], None]] = []


def announce(what: str) -> None:
    """Tells the observers of progress what begins: a stage, a kernel, a model."""
    for observer in _observers:
        observer(what)


@contextmanager
def announced_to(observer: Callable[[str], None]) -> Generator[None]:
    """Calls `observer` for each `announce` within the context."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)
