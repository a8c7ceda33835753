"""The loop over tokens: the program makes them in a row, Python follows each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from devproc.generation.properties import DECODE, TOKEN

if TYPE_CHECKING:
    from devproc.generation.constraint import Constraint
    from devproc.generation.language_model import LanguageModel
    from devproc.generation.speculation import Speculation
    from devproc.generation.token_stream import TokenStream


class TokenLoop:
    """Continues a sequence token by token, into a stream."""

    def __init__(
        self,
        model: LanguageModel,
        prompt: Sequence[int],
        pieces: TokenStream,
        constraint: Constraint,
        most: int,
        slide: int | None,
    ):
        self._model = model
        self._prompt = prompt
        self._pieces = pieces
        self._constraint = constraint
        self._most = most
        self._slide = slide
        self._dropped = 0
        """How many of the first tokens are not in the sequence any more."""
        self._reason = ""
        """Why it ended, or "" before that."""

    def run(self, token: int, ahead: Speculation | None) -> str:
        """Streams a token, which was chosen last, and those that follow; why it ended."""
        try:
            if self._take(token) and ahead is not None:
                self._constrain()
                self._follow_draft(token, ahead)
            while not self._reason:
                self._continue()
        except KeyboardInterrupt:
            return "interrupted"
        return self._reason

    def _take(self, token: int) -> bool:
        """Streams a token; whether another one is wanted."""
        pieces = self._pieces
        if token in self._model.properties.stop_tokens or pieces.add(token):
            self._reason = "stop"
        elif len(pieces.ids) >= self._most:
            self._reason = "max_tokens"
        return not self._reason

    def _continue(self) -> None:
        """Makes tokens as long as there is room, in one call of the program."""
        model = self._model
        room = model.capacity - model.position
        if not room and self._slide is None:
            self._reason = "capacity"
        elif not room:
            self._take(self._read_again())
        else:
            self._constrain()
            wanted = min(room, self._most - len(self._pieces.ids))
            self._repeat(1 if self._constraint.is_function else wanted)

    def _constrain(self) -> None:
        self._constraint.apply([*self._prompt, *self._pieces.ids])

    def _repeat(self, count: int) -> None:
        """Makes up to so many tokens."""
        model, taken = self._model, len(self._pieces.ids)
        begin = model.position
        try:
            model.entries[DECODE].repeat(count, self._follow)
        finally:
            # An exception may come after a call, before its token is taken.
            if model.position - begin > len(self._pieces.ids) - taken:
                self._take_last()

    def _take_last(self) -> None:
        """Takes the token that was chosen last; raises GenerationError if there is none."""
        token = int(self._model.entries.state[TOKEN][0, 0])
        if token < 0:
            self._model.fail_step(self._pieces.ids[-1])
        elif not self._reason:
            self._take(token)

    def _follow(self, outputs: Mapping[str, Any]) -> bool:
        token = int(outputs["token"][0])
        return token >= 0 and self._take(token)

    def _read_again(self) -> int:
        """Drops the oldest tokens, and reads the others as a new sequence; the next one."""
        assert self._slide is not None
        self._dropped += self._slide
        self._constrain()
        self._model.reset()
        kept = [*self._prompt, *self._pieces.ids][self._dropped :]
        return self._model.read(kept)

    def _follow_draft(self, token: int, ahead: Speculation) -> None:
        """Takes the tokens that a draft has proposed, as far as there is room."""
        for found in ahead.steps(token):
            if not self._take(found):
                return
        self._reason = "capacity"
