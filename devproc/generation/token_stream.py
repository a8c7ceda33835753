"""Tokens as they are generated, and their text piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class TokenStream:
    """Collects tokens; passes on their text as soon as no later token can change it.

    A character may consist of several tokens, and the beginning of a stop text may turn
    out to be one: both are held back until it is known.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        stop: Sequence[str],
        stream: Callable[[Any], object] | None,
    ):
        self.ids: list[int] = []
        self.text: str | None = None if tokenizer is None else ""
        self._tokenizer = tokenizer
        self._stop = [text for text in stop if text]
        self._stream = stream
        self._held = ""
        self._decoder: Any = None
        if tokenizer is not None:
            from tokenizers.decoders import DecodeStream

            self._decoder = DecodeStream(skip_special_tokens=True)

    @property
    def hears(self) -> bool:
        """Whether each token must be added before the next one is made."""
        return self._stream is not None or bool(self._stop)

    def add(self, token: int) -> bool:
        """Adds a token; whether its text completes a stop text, which is left out."""
        self.ids.append(token)
        if self._decoder is None:
            if self._stream is not None:
                self._stream(token)
            return False
        self._held += self._decoder.step(self._tokenizer, token) or ""
        ends = [self._held.find(text) for text in self._stop if text in self._held]
        if ends:
            self._held = self._held[: min(ends)]
            return True
        begun = max((_begun(self._held, text) for text in self._stop), default=0)
        self._pass_on(len(self._held) - begun)
        return False

    def finish(self) -> None:
        """Passes on what was held back."""
        self._pass_on(len(self._held))

    def _pass_on(self, count: int) -> None:
        piece, self._held = self._held[:count], self._held[count:]
        if piece and self.text is not None:
            self.text += piece
            if self._stream is not None:
                self._stream(piece)


def _begun(text: str, stop: str) -> int:
    """The most characters at the end of a text that begin a stop text."""
    most = min(len(text), len(stop) - 1)
    return next((n for n in range(most, 0, -1) if text.endswith(stop[:n])), 0)
