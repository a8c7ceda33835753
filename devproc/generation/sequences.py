"""Several prompts at once: each in a sequence of the program, the others as these end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
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
from devproc.generation.token_sequence import no_token, prompt_inputs
from devproc.generation.token_stream import TokenStream
from devproc.ir.weights.table import Array

if TYPE_CHECKING:
    from devproc.generation.language_model import LanguageModel


MOST_UNHEARD = 32
"""Most steps of which Python hears nothing, so that Ctrl-C has an effect soon."""


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

    @property
    def hears(self) -> bool:
        """Whether each token must be seen before the next one: by a stream, or for texts
        that end the sequence."""
        return self._pieces.hears

    @property
    def room(self) -> int:
        """How many tokens may follow before one of them must be the last."""
        assert self._constraint is not None
        if self._constraint.is_function:
            return 1
        count = len(self._pieces.ids)
        room = self._model.capacity - len(self.prompt) - count + 1
        return min(room, self._most - count)

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
        self._ended: list[int] = []
        """The sequences that ended in the last calls, in which states cannot change."""

    def run(self, given: Sequence[Continuation]) -> list[Generation]:
        """Generates all, in the order in which there is room; Ctrl-C ends all."""
        made = [Running(one, self._model, self._most, self._stop) for one in given]
        waiting = deque(made)
        try:
            while waiting or self._running:
                while waiting and self._free:
                    self._begin(waiting.popleft())
                if self._running:
                    self._continue()
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
        for name in (POSITION, COUNTS, *self._model.recurrent):
            if name in self._state:
                self._set(name, place, 0)
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
                given = prompt_inputs(part, size, bool(self._model.recurrent))
                found = self._entries[entry](**given, sequence=np.array([place]))
                chosen = int(found["token"][0])
            if chosen < 0:
                raise no_token(entry, begin)
            begin += count
        return chosen

    def _continue(self) -> None:
        """Appends tokens to the sequences that run, in one call, until one of them ends."""
        running = self._running.values()
        for one in running:
            one.constrain()
        count = min(one.room for one in running)
        decode = self._entries[DECODE]
        if any(one.hears for one in running):
            decode.repeat(count, self._follow)
        else:
            for tokens in decode.repeat(min(count, MOST_UNHEARD))["token"]:
                self._take(tokens)
        for place in self._ended:
            self._end(place)
        if self._ended:
            self._activate(list(self._running))
            self._ended.clear()

    def _follow(self, outputs: Mapping[str, Any]) -> bool:
        return self._take(outputs["token"])

    def _take(self, tokens: Array) -> bool:
        """Adds a token (N) to each sequence that runs; whether all of these go on."""
        for place, one in list(self._running.items()):
            token = int(tokens[place])
            if token < 0:
                raise no_token(DECODE, int(self._state[POSITION][place]) - 1)
            if one.add(token):
                del self._running[place]
                self._ended.append(place)
        return not self._ended

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
