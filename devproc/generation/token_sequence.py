"""The sequence of tokens that a compiled language model holds, and what it appends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from devproc.errors import CompileError, GenerationError, InputError
from devproc.generation.prompts import encoded, prompt_problem, token_problem
from devproc.generation.properties import (
    CHECK,
    COUNTS,
    DECODE,
    ENCODE,
    POSITION,
    PREFILL,
    RECURRENT,
    SEED,
    SOURCE_COUNT,
    TOKEN,
    Properties,
)
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.concurrency.locks import OneCallAtATime
from devproc.runtime.reading.typed_json import read_as

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from devproc.program import Program
    from devproc.runtime.entries import Entries
    from devproc.runtime.execution.state import Array

NO_SOURCE = (
    "there is no source: give source=, or call encode() and continue with keep=True"
)


AS_BEFORE = "the states are as before this call"
BEGUN_ANEW = (
    "the sequence begins anew, as its recurrent states cannot go back to those before"
)


def no_token(entry: str, position: int, then: str = AS_BEFORE) -> GenerationError:
    """The error for a call of an entry that cannot choose a token, and what is done."""
    return GenerationError(
        f"entry '{entry}' at position {position}: the scores of the next token are NaN, so "
        f"there is none; {then}. Look for NaN in the weights, "
        'or for overflow (dtype="float16"): compile with dtype="float32" or "bfloat16"'
    )


def prompt_inputs(
    ids: Sequence[int], size: int, is_recurrent: bool
) -> dict[str, Array]:
    """The inputs of the entry that reads `size` tokens: a recurrent one takes no fewer."""
    given = np.zeros((1, size), np.int64)
    given[0, : len(ids)] = ids
    if is_recurrent:
        return {"ids": given}
    return {"ids": given, "count": np.array([len(ids)])}


class TokenSequence:
    """The entries of a language model, and the sequence of tokens in its states.

    Their keys and values are states of the program; `position` is how many there are. The
    token that was chosen last is not among them yet.
    """

    def __init__(self, entries: Entries[Program]):
        """Raises CompileError for a program with other entries than a language model's."""
        self.entries = entries
        sizes = [n.removeprefix(PREFILL) for n in entries if n.startswith(PREFILL)]
        missing = [n for n in (TOKEN, POSITION) if n not in entries.state]
        missing += [] if DECODE in entries else [f"entry {DECODE}"]
        if missing:
            raise CompileError(
                f"{entries!r} is no language model: it has no {', '.join(missing)}; make "
                "one with devproc.from_transformers"
            )
        self.sizes = sorted(map(int, sizes))
        """How many tokens of a prompt are read at once."""
        checks = [int(n.removeprefix(CHECK)) for n in entries if n.startswith(CHECK)]
        self.check_size = max(checks, default=0)
        """How many tokens are checked at once, in speculative decoding; 0 for none."""
        self.recurrent = [name for name in entries.state if name.startswith(RECURRENT)]
        """States of convolutions and recurrences, from which no token can be taken back."""
        self.properties = read_as(Properties, entries.properties, "properties")
        self.calls = OneCallAtATime("this language model")
        """Generations of several threads, which run one after another."""

    @property
    def sequences(self) -> int:
        """How many sequences are generated at once."""
        return len(self.entries.state[POSITION])

    @property
    def capacity(self) -> int:
        """The most tokens of a sequence, prompt and continuation together."""
        return self.properties.capacity

    @property
    def position(self) -> int:
        """How many tokens have keys and values in the cache; the one chosen last has none."""
        return int(self.entries.state[POSITION][0])

    @property
    def is_greedy(self) -> bool:
        """Whether the most probable token is chosen, whatever came before."""
        return not {SEED, COUNTS} & set(self.entries.state)

    def place(self, position: int, token: int) -> None:
        """Continues from a position, counted in tokens from 0, within those that were read,
        with a token.
        """
        states = {POSITION: np.array([position]), TOKEN: np.array([[token]])}
        self.entries.state.assign(states)

    def reset(self) -> None:
        """Begins a new sequence; keys and values beyond the position are never read."""
        begun = (POSITION, TOKEN, COUNTS, *self.recurrent)
        self.entries.reset(*(name for name in begun if name in self.entries.state))

    def rewind(self, count: int) -> None:
        """Forgets the last `count` tokens of the cache, and the one chosen after them.

        Raises InputError if there are fewer, or if the model keeps the sequence in recurrent
        states.
        """
        position = self.position
        if not 0 <= count <= position:
            raise InputError(f"cannot rewind {count} of {position} tokens")
        if count and self.recurrent:
            raise InputError(
                f"cannot rewind: '{self.recurrent[0]}' and other recurrent states hold all "
                "tokens read so far, and none can be taken out; call save_state() where the "
                "sequence may go back to, and load_state()"
            )
        self.entries.state[POSITION] = np.array([position - count])

    def save_state(self) -> dict[str, Array]:
        """Copies of all states, by name: a prefix that is read once and continued several
        times. Arrays of the states' shapes and dtypes, bfloat16 as float32.
        """
        return dict(self.entries.state)

    def load_state(self, saved: Mapping[str, object]) -> None:
        """Restores what `save_state` returned; raises InputError for other states, or for
        other shapes or dtypes.
        """
        state = self.entries.state
        if set(saved) != set(state):
            differing = ", ".join(sorted(set(saved) ^ set(state)))
            raise InputError(f"states of another program: {differing}")
        state.assign(saved)

    # The source of an encoder-decoder

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether it reads a source before it writes tokens."""
        return ENCODE in self.entries

    def encode(self, source: Any) -> None:
        """Reads a source and begins a new sequence; its keys and values are computed once.

        A text, int token ids `[tokens]`, or features in float32 of the shape that the
        encoder takes, `[1, ...]`. Raises InputError for a source of another kind or size.
        """
        if not self.is_encoder_decoder:
            raise InputError("source: the program is no encoder-decoder")
        if source is None:
            raise InputError(NO_SOURCE)
        spec = self.entries[ENCODE].artifact.interface.inputs[0]
        count = spec.shape[-1]
        if spec.dtype == "int64":
            ids = encoded(self, source, "source")
            if not 1 <= len(ids) <= count:
                raise InputError(f"the source has {len(ids)} tokens; give 1 to {count}")
            problem = token_problem(self, ids)
            if problem is not None:
                raise InputError(problem)
            count = len(ids)
            source = np.zeros(spec.shape, np.int64)
            source[0, :count] = ids
        self.entries[ENCODE](source=source, count=np.array([count]))
        if COUNTS in self.entries.state:
            self.entries.reset(COUNTS)

    # Tokens

    def read(self, ids: Sequence[int]) -> int:
        """Appends tokens to the sequence; the one that is chosen to follow them.

        Raises InputError for none, for tokens outside of the vocabulary, or for more than
        fit; GenerationError for scores that are NaN. All or none are appended.
        """
        position = self.position
        if self.is_encoder_decoder and not self.entries.state[SOURCE_COUNT][0]:
            raise InputError(NO_SOURCE)
        problem = prompt_problem(self, ids, position)
        if self.sequences > 1:
            problem = "the program has several sequences: use generate_all()"
        if problem is not None:
            raise InputError(problem)
        small = (POSITION, TOKEN, SEED, COUNTS, *self.recurrent)
        state = self.entries.state
        before = {name: state[name] for name in small if name in state}
        try:
            return self._read(ids, position)
        except BaseException:
            # The rows of the cache from the position on are never read.
            state.assign(before)
            raise

    def _read(self, ids: Sequence[int], position: int) -> int:
        chosen, begin = 0, 0
        for size, count in self.parts(len(ids), position):
            part = ids[begin : begin + count]
            begin += count
            if size == 1:
                self.entries.state[TOKEN] = np.array([part])
                entry, given = DECODE, {}
            else:
                entry = f"{PREFILL}{size}"
                given = prompt_inputs(part, size, bool(self.recurrent))
            chosen = int(self.entries[entry](**given)["token"][0])
            if chosen < 0:
                raise no_token(entry, position + begin - count)
        return chosen

    def step(self) -> int:
        """Appends the token that was chosen last; the one that is chosen to follow it.

        Raises GenerationError for scores that are NaN; the states are as before the call,
        except that a sequence in recurrent states begins anew.
        """
        before = int(self.entries.state[TOKEN][0, 0])
        chosen = int(self.entries[DECODE]()["token"][0])
        if chosen < 0:
            self.fail_step(before)
        return chosen

    def fail_step(self, token: int) -> NoReturn:
        """Takes back the step that appended `token` and chose none; raises GenerationError."""
        state, position = self.entries.state, self.position - 1
        if self.recurrent:
            self.reset()
            raise no_token(DECODE, position, BEGUN_ANEW)
        values: dict[str, Any] = {
            POSITION: np.array([position]),
            TOKEN: np.array([[token]]),
        }
        if SEED in state:
            values[SEED] = np.subtract(state[SEED], 1)
        if COUNTS in state:
            values[COUNTS] = state[COUNTS]
            values[COUNTS][0, token] -= 1
        state.assign(values)
        raise no_token(DECODE, position)

    def check(self, ids: Sequence[int]) -> list[int]:
        """Appends `check_size` tokens; the one that is chosen to follow each of them.

        Raises GenerationError for scores that are NaN, and then appends none; InputError for
        another number of tokens.
        """
        entry = f"{CHECK}{self.check_size}"
        found = self.entries[entry](ids=np.array([ids]))["tokens"].tolist()
        if min(found) < 0:
            self.rewind(len(ids))
            raise no_token(entry, self.position)
        return found

    def parts(self, count: int, position: int) -> Iterator[tuple[int, int]]:
        """Sizes of entries that read so many tokens, each with its number of tokens.

        The rows of an entry must fit into the cache, padding included. Padding would enter
        recurrent states, so entries of these read as many tokens as they have rows.
        """
        while count:
            fitting = [n for n in self.sizes if position + n <= self.capacity]
            whole = [n for n in fitting if n <= count]
            # One padded call costs less than several steps.
            can_pad = count > 1 and not self.recurrent
            padded = [n for n in fitting if n >= count and can_pad]
            size = max(whole) if whole else min(padded, default=1)
            taken = min(size, count)
            yield size, taken
            count, position = count - taken, position + taken

    @lazy_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer; raises InputError if the program has none."""
        text = self.properties.tokenizer
        if text is None:
            raise InputError(
                "the program has no tokenizer: give token ids, or compile with tokenizer="
            )
        from devproc.runtime.calls.tokenizing import tokenizer_of

        return tokenizer_of(text, "the language model")
