"""Several prompts at once: each in a sequence of the program, the others as these end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from devproc.generation.constraint import Allowed, Constraint
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
from devproc.generation.token_sequence import no_token
from devproc.generation.token_stream import TokenStream

if TYPE_CHECKING:
    from devproc.generation.language_model import LanguageModel


@dataclass(frozen=True)
class Continuation:
    """A prompt that is continued, and how."""

    prompt: Sequence[int]
    stream: Callable[[Any], object] | None = None
    seed: int | None = None
    allowed: Allowed = None


class Running:
    """A continuation in a sequence of a model."""

    def __init__(
        self, one: Continuation, model: LanguageModel, most: int, stop: Sequence[str]
    ):
        self.prompt, self.seed = one.prompt, one.seed
        has_text = model.properties.tokenizer is not None
        self._pieces = TokenStream(
            model.tokenizer if has_text else None, stop, one.stream
        )
        self._allowed, self._model, self._most = one.allowed, model, most
        self._reason: str | None = None
        self._constraint: Constraint | None = None
        self._started = self._read = self._ended = 0.0

    def begin(self, place: int) -> None:
        """Before the prompt is read into a sequence."""
        self._started = self._read = self._ended = time.perf_counter()
        self._constraint = Constraint(self._model, self._allowed, place)
        self.constrain()

    def constrain(self) -> None:
        """Before a token is chosen."""
        assert self._constraint is not None
        self._constraint.apply([*self.prompt, *self._pieces.ids])

    def add(self, token: int) -> bool:
        """Adds a token; whether the sequence ends with it."""
        self._ended = time.perf_counter()
        count = len(self._pieces.ids)
        if not count:
            self._read = self._ended
        if token in self._model.properties.stop_tokens or self._pieces.add(token):
            self._reason = "stop"
        elif count + 1 >= self._most:
            self._reason = "max_tokens"
        elif len(self.prompt) + count >= self._model.capacity:
            self._reason = "capacity"
        return self._reason is not None

    def result(self) -> Generation:
        """What was generated, as it is returned."""
        self._pieces.finish()
        return Generation(
            tuple(self._pieces.ids),
            self._pieces.text,
            self._reason or "interrupted",
            len(self.prompt),
            self._read - self._started,
            self._ended - self._read,
        )


class Sequences:
    """The loop over the tokens of several continuations, in the sequences of a model."""

    def __init__(self, model: LanguageModel, most: int, stop: Sequence[str]):
        self._model, self._most, self._stop = model, most, stop
        self._entries, self._state = model.entries, model.entries.state
        self._free = list(range(model.sequences))
        self._running: dict[int, Running] = {}

    def run(self, given: Sequence[Continuation]) -> list[Generation]:
        """Generates all, in the order in which there is room; Ctrl-C ends all."""
        made = [Running(one, self._model, self._most, self._stop) for one in given]
        waiting = deque(made)
        try:
            while waiting or self._running:
                while waiting and self._free:
                    self._begin(waiting.popleft())
                if self._running:
                    self._step()
        except KeyboardInterrupt:
            pass
        finally:
            zeros = np.zeros(self._model.sequences, np.int64)
            self._state.assign({POSITION: zeros, ACTIVE: zeros})
        return [one.result() for one in made]

    def _begin(self, one: Running) -> None:
        """Reads a prompt into a free sequence."""
        place = self._free.pop(0)
        one.begin(place)
        self._set(POSITION, place, 0)
        if COUNTS in self._state:
            self._set(COUNTS, place, 0)
        if one.seed is not None:
            self._set(SEED, place, one.seed)
        token = self._read(place, one.prompt)
        if one.add(token):
            self._end(place)
        else:
            self._running[place] = one
        self._activate(list(self._running))

    def _read(self, place: int, ids: Sequence[int]) -> int:
        """Appends a prompt to a sequence; the token that is chosen to follow it."""
        chosen, begin = 0, 0
        for size, count in self._model.parts(len(ids), 0):
            part = ids[begin : begin + count]
            if size == 1:
                entry = DECODE
                self._set(TOKEN, place, part[0])
                self._activate([place])
                chosen = int(self._entries[entry]()["token"][place])
            else:
                entry = f"{PREFILL}{size}"
                padded = np.zeros((1, size), np.int64)
                padded[0, :count] = part
                found = self._entries[entry](
                    ids=padded, count=np.array([count]), sequence=np.array([place])
                )
                chosen = int(found["token"][0])
            if chosen < 0:
                raise no_token(entry, begin)
            begin += count
        return chosen

    def _step(self) -> None:
        """Appends a token to each sequence that has not ended."""
        for one in self._running.values():
            one.constrain()
        tokens = self._entries[DECODE]()["token"].tolist()
        before = len(self._running)
        for place, one in list(self._running.items()):
            if tokens[place] < 0:
                raise no_token(DECODE, int(self._state[POSITION][place]) - 1)
            if one.add(tokens[place]):
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
