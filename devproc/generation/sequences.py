"""Several prompts at once: each in a sequence of the program, the others as these end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from devproc.generation.properties import (
    ACTIVE,
    COUNTS,
    DECODE,
    POSITION,
    PREFILL,
    SEED,
    TOKEN,
    Generation,
)
from devproc.generation.token_stream import TokenStream

if TYPE_CHECKING:
    from devproc.generation.language_model import LanguageModel


@dataclass
class Continuation:
    """A prompt and the tokens that follow it."""

    prompt: Sequence[int]
    pieces: TokenStream
    seed: int | None = None
    reason: str = "interrupted"
    """Why it ended, or that it has not."""
    started: float = field(default_factory=time.perf_counter)
    read: float = 0.0
    ended: float = 0.0

    def add(self, token: int, model: LanguageModel, most: int) -> bool:
        """Adds a token; whether the sequence ends with it."""
        count = len(self.pieces.ids)
        if token in model.properties.stop_tokens or self.pieces.add(token):
            self.reason = "stop"
        elif count + 1 >= most:
            self.reason = "max_tokens"
        elif len(self.prompt) + count >= model.capacity:
            self.reason = "capacity"
        return self.reason != "interrupted"

    def result(self) -> Generation:
        """What was generated, as it is returned."""
        self.pieces.finish()
        return Generation(
            tuple(self.pieces.ids),
            self.pieces.text,
            self.reason,
            len(self.prompt),
            max(self.read - self.started, 0.0),
            max(self.ended - self.read, 0.0),
        )


class Sequences:
    """The loop over the tokens of several continuations, in the sequences of a model."""

    def __init__(self, model: LanguageModel, most: int):
        self._model, self._most = model, most
        self._entries, self._state = model.entries, model.entries.state
        self._free = list(range(model.sequences))
        self._running: dict[int, Continuation] = {}

    def run(self, given: Sequence[Continuation]) -> list[Generation]:
        """Generates all, in the order in which there is room; Ctrl-C ends all."""
        waiting = deque(given)
        try:
            while waiting or self._running:
                while waiting and self._free:
                    self._begin(waiting.popleft())
                if self._running:
                    self._step()
        except KeyboardInterrupt:
            pass
        finally:
            self._activate([])
        return [one.result() for one in given]

    def _begin(self, one: Continuation) -> None:
        """Reads a prompt into a free sequence."""
        place = self._free.pop(0)
        one.started = time.perf_counter()
        self._set(POSITION, place, 0)
        if COUNTS in self._state:
            self._set(COUNTS, place, 0)
        if one.seed is not None:
            self._set(SEED, place, one.seed)
        token = self._read(place, one.prompt)
        one.read = one.ended = time.perf_counter()
        if one.add(token, self._model, self._most):
            self._end(place)
        else:
            self._running[place] = one
        self._activate(list(self._running))

    def _read(self, place: int, ids: Sequence[int]) -> int:
        """Appends a prompt to a sequence; the token that is chosen to follow it."""
        chosen, begin = 0, 0
        for size, count in self._model.parts(len(ids), 0):
            part = ids[begin : begin + count]
            begin += count
            if size == 1:
                self._set(TOKEN, place, part[0])
                self._activate([place])
                chosen = int(self._entries[DECODE]()["token"][place])
                continue
            padded = np.zeros((1, size), np.int64)
            padded[0, :count] = part
            found = self._entries[f"{PREFILL}{size}"](
                ids=padded, count=np.array([count]), sequence=np.array([place])
            )
            chosen = int(found["token"][0])
        return chosen

    def _step(self) -> None:
        """Appends a token to each sequence that has not ended."""
        tokens = self._entries[DECODE]()["token"].tolist()
        now, before = time.perf_counter(), len(self._running)
        for place, one in list(self._running.items()):
            one.ended = now
            if one.add(tokens[place], self._model, self._most):
                del self._running[place]
                self._end(place)
        if len(self._running) < before:
            self._activate(list(self._running))

    def _end(self, place: int) -> None:
        """Makes a sequence free; steps overwrite its first row until the next prompt."""
        self._set(POSITION, place, 0)
        self._free.append(place)

    def _activate(self, places: Sequence[int]) -> None:
        active = np.zeros(self._model.sequences, np.int64)
        active[list(places)] = 1
        self._state[ACTIVE] = active

    def _set(self, name: str, place: int, value: Any) -> None:
        """Assigns the row of a sequence in a state."""
        array = self._state[name]
        array[place] = value
        self._state[name] = array
