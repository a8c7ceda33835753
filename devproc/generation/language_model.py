"""Text from a compiled language model: prompts, the loop over tokens, streaming."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from devproc.errors import CompileError, InputError
from devproc.generation.chat import ChatOptions, Message, chat_text
from devproc.generation.constraint import Allowed, Constraint
from devproc.generation.prompts import (
    Prompt,
    encoded,
    option_problems,
    prompt_ids,
    prompt_problem,
    token_problem,
)
from devproc.generation.properties import (
    CHECK,
    COUNTS,
    DECODE,
    ENCODE,
    POSITION,
    PREFILL,
    SEED,
    SOURCE_COUNT,
    TOKEN,
    Generation,
    Properties,
)
from devproc.generation.sequences import Continuation, Sequences
from devproc.generation.speculation import Speculation
from devproc.generation.token_stream import TokenStream
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


class LanguageModel:
    """A compiled language model: its entries, and the loop over tokens around them.

    It holds one sequence: the tokens of the prompt and of its continuation. Their keys and
    values are states of the program; `position` is how many there are. `generate` of several
    threads runs one after another; a thread that needs a sequence of its own loads a program
    of its own. A program of several sequences continues as many prompts at once
    (`generate_all`), and holds none of them between calls.
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
        self._sizes = sorted(map(int, sizes))
        checks = [int(n.removeprefix(CHECK)) for n in entries if n.startswith(CHECK)]
        self.check_size = max(checks, default=0)
        """How many tokens are checked at once, in speculative decoding; 0 for none."""
        self.properties = read_as(Properties, entries.properties, "properties")
        self._calls = OneCallAtATime("this language model")

    @classmethod
    def load(
        cls, path: str | Path, *, verify: bool = True, key: bytes | None = None
    ) -> LanguageModel:
        """The language model of a file; the options are those of `devproc.load`."""
        from devproc.program import load_entries

        return cls(load_entries(path, verify=verify, key=key))

    def save(self, path: str | Path, *, key: bytes | None = None) -> None:
        """Writes the program into one file, as `Program.save`; without its states."""
        self.entries.save(path, key=key)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self._sizes))
        return (
            f"<LanguageModel of {self.capacity} tokens, prompts by {sizes}; "
            f"{self.position} in the cache>"
        )

    # The sequence

    @property
    def sequences(self) -> int:
        """How many sequences there are."""
        return len(self.entries.state[POSITION])

    @property
    def capacity(self) -> int:
        """The most tokens of a sequence."""
        return self.properties.capacity

    @property
    def position(self) -> int:
        """The tokens whose keys and values are there; the one chosen last is not."""
        return int(self.entries.state[POSITION][0])

    @property
    def is_greedy(self) -> bool:
        """Whether the most probable token is chosen, whatever came before."""
        return not {SEED, COUNTS} & set(self.entries.state)

    def place(self, position: int, token: int) -> None:
        """Continues from a position within the tokens that were read, with a token."""
        states = {POSITION: np.array([position]), TOKEN: np.array([[token]])}
        self.entries.state.assign(states)

    def reset(self) -> None:
        """Begins a new sequence; keys and values beyond the position are never read."""
        begun = (POSITION, TOKEN, COUNTS)
        self.entries.reset(*(name for name in begun if name in self.entries.state))

    def rewind(self, count: int) -> None:
        """Forgets the last `count` tokens of the cache, and the one chosen after them.

        Raises InputError if there are fewer.
        """
        position = self.position
        if not 0 <= count <= position:
            raise InputError(f"cannot rewind {count} of {position} tokens")
        self.entries.state[POSITION] = np.array([position - count])

    def save_state(self) -> dict[str, Array]:
        """Copies of all states: a prefix that is read once and continued several times."""
        return dict(self.entries.state)

    def load_state(self, saved: Mapping[str, object]) -> None:
        """Restores what `save_state` returned; raises InputError for other states."""
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

        A text, token ids, or features in float32 of the shape that the encoder takes. Raises
        InputError for a source of another kind or size.
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
        fit.
        """
        position = self.position
        if self.is_encoder_decoder and not self.entries.state[SOURCE_COUNT][0]:
            raise InputError(NO_SOURCE)
        problem = prompt_problem(self, ids, position)
        if self.sequences > 1:
            problem = "the program has several sequences: use generate_all()"
        if problem is not None:
            raise InputError(problem)
        chosen, begin = 0, 0
        for size, count in self.parts(len(ids), position):
            part = ids[begin : begin + count]
            begin += count
            if size == 1:
                self.entries.state[TOKEN] = np.array([part])
                chosen = self.step()
                continue
            given = np.zeros((1, size), np.int64)
            given[0, :count] = part
            result = self.entries[f"{PREFILL}{size}"](
                ids=given, count=np.array([count])
            )
            chosen = int(result["token"][0])
        return chosen

    def step(self) -> int:
        """Appends the token that was chosen last; the one that is chosen to follow it."""
        return int(self.entries[DECODE]()["token"][0])

    def check(self, ids: Sequence[int]) -> list[int]:
        """Appends `check_size` tokens; the one that is chosen to follow each of them."""
        entry = self.entries[f"{CHECK}{self.check_size}"]
        return entry(ids=np.array([ids]))["tokens"].tolist()

    def parts(self, count: int, position: int) -> Iterator[tuple[int, int]]:
        """Sizes of entries that read so many tokens, each with its number of tokens.

        The rows of an entry must fit into the cache, padding included.
        """
        while count:
            fitting = [n for n in self._sizes if position + n <= self.capacity]
            whole = [n for n in fitting if n <= count]
            # One padded call costs less than several steps.
            padded = [n for n in fitting if n >= count and count > 1]
            size = max(whole) if whole else min(padded, default=1)
            taken = min(size, count)
            yield size, taken
            count, position = count - taken, position + taken

    # Text

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

    def generate(
        self,
        prompt: Prompt | None = None,
        max_tokens: int | None = None,
        *,
        source: Any = None,
        stop: Sequence[str] = (),
        stream: Callable[[Any], object] | None = None,
        seed: int | None = None,
        allowed: Allowed = None,
        keep: bool = False,
        draft: LanguageModel | None = None,
    ) -> Generation:
        """Continues a prompt until a stop token, a text of `stop`, or `max_tokens`.

        The prompt is a text, or token ids. An encoder-decoder reads `source` first, as
        `encode` does. Its prompt is what the decoder has written already: the start tokens of
        the model without one; a text comes after them, ids are the whole beginning.
        `stream` is called with each piece of text as soon as it is known, without broken
        characters; with each token where the program has no tokenizer. `seed` begins the
        random numbers of a program that samples. `allowed`, of a program compiled with
        `constrained`, says which tokens may follow: ids, a bool for each token, or a function
        that is called with the tokens so far, the prompt's too, and returns one of these;
        stop tokens must be among them. `keep`: continue the sequence that is there,
        instead of a new one. `draft`: a smaller model of the same tokens, which proposes
        those that this one checks; the result is the same. Ctrl-C ends the loop, and the
        result says so.
        """
        has_text = self.properties.tokenizer is not None
        most = self.capacity if max_tokens is None else max_tokens
        problems = option_problems(self, most, stop, seed, allowed)
        if keep and draft is not None:
            problems.append("keep: the draft has not read what this model has")
        if allowed is not None and draft is not None:
            problems.append("allowed: tokens of a draft are checked without a mask")
        if keep and source is not None:
            problems.append("keep: a source begins a new sequence")
        if self.sequences > 1 and (keep or source is not None or draft is not None):
            problems.append("keep, source, draft: the program has several sequences")
        if problems:
            raise InputError("; ".join(problems))
        ids = prompt_ids(self, prompt)
        if self.sequences > 1:
            problem = prompt_problem(self, ids)
            if problem is not None:
                raise InputError(problem)
            one = Continuation(ids, stream, seed, allowed)
            return self._calls.run(Sequences(self, most, stop).run, [one])[0]
        ahead = None if draft is None else Speculation(self, draft)
        pieces = TokenStream(self.tokenizer if has_text else None, stop, stream)
        constraint = Constraint(self, allowed)

        def begin() -> int:
            constraint.apply(ids)
            if seed is not None:
                self.entries.state[SEED] = np.array([seed])
            if source is not None or (self.is_encoder_decoder and not keep):
                self.encode(source)
            elif not keep:
                self.reset()
            if draft is not None:
                draft.reset()
                draft.read(ids)
            return self.read(ids)

        def constrain() -> None:
            constraint.apply([*ids, *pieces.ids])

        return self._calls.run(
            self._generate, begin, constrain, ahead, pieces, most, len(ids)
        )

    def chat_text(
        self, messages: Sequence[Message], **options: Unpack[ChatOptions]
    ) -> str:
        """A chat as the text that the model was trained on, up to where it answers.

        By the chat template of the tokenizer, as transformers' `apply_chat_template`: each
        message has a "role" and a "content". Raises InputError for what it refuses.
        """
        found = self.properties
        return chat_text(
            found.chat_templates, found.special_tokens, messages, **options
        )

    def chat(
        self, messages: Sequence[Message], max_tokens: int | None = None, **options: Any
    ) -> Generation:
        """Answers a chat; `options` are those of `chat_text` and of `generate`."""
        chosen: Any = {
            name: options.pop(name)
            for name in ChatOptions.__annotations__
            if name in options
        }
        text = self.chat_text(messages, **chosen)
        # The template writes the special tokens.
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        return self.generate(ids, max_tokens, **options)

    def generate_all(
        self,
        prompts: Sequence[Prompt],
        max_tokens: int | None = None,
        *,
        stop: Sequence[str] = (),
        stream: Callable[[int, Any], object] | None = None,
        seeds: Sequence[int] | None = None,
        allowed: Allowed = None,
    ) -> list[Generation]:
        """Continues several prompts; each result is that of its prompt alone.

        As many as the program has sequences run at once (`from_transformers(sequences=)`):
        a step makes a token for each of them. The other prompts follow as these end.
        `max_tokens` and `stop` hold for each; `stream` is called with the number of the
        prompt and its piece; `seeds` are one for each prompt; `allowed` is as in `generate`,
        a function of the number of the prompt and its tokens. Ctrl-C ends all.
        """
        ids = [prompt_ids(self, prompt) for prompt in prompts]
        most = self.capacity if max_tokens is None else max_tokens
        problems = option_problems(self, most, stop, seeds, allowed)
        for number, prompt in enumerate(ids):
            wrong = prompt_problem(self, prompt)
            problems += [] if wrong is None else [f"prompt {number}: {wrong}"]
        if seeds is not None and len(seeds) != len(ids):
            problems.append(f"there are {len(seeds)} seeds for {len(ids)} prompts")
        if problems:
            raise InputError("; ".join(problems))
        given = [
            Continuation(
                prompt,
                partial(stream, number) if stream else None,
                None if seeds is None else seeds[number],
                partial(allowed, number) if callable(allowed) else allowed,
            )
            for number, prompt in enumerate(ids)
        ]
        if self.sequences > 1:
            return self._calls.run(Sequences(self, most, stop).run, given)
        alone = partial(self.generate, max_tokens=most, stop=stop)
        return [
            alone(one.prompt, stream=one.stream, seed=one.seed, allowed=one.allowed)
            for one in given
        ]

    def _generate(
        self,
        begin: Callable[[], int],
        constrain: Callable[[], None],
        ahead: Speculation | None,
        pieces: TokenStream,
        most: int,
        prompt_tokens: int,
    ) -> Generation:
        """What follows the token that `begin` returns."""
        started = time.perf_counter()
        token = begin()
        read = time.perf_counter()
        if ahead is not None:
            constrain()
        steps = self._steps(constrain) if ahead is None else ahead.steps(token)
        reason = self._loop(chain([token], steps), pieces, most)
        seconds = time.perf_counter() - read
        pieces.finish()
        return Generation(
            tuple(pieces.ids),
            pieces.text,
            reason,
            prompt_tokens,
            read - started,
            seconds,
        )

    def _steps(self, constrain: Callable[[], None]) -> Iterator[int]:
        """The tokens that follow, up to the capacity."""
        for _ in range(self.capacity - self.position):
            constrain()
            yield self.step()

    def _loop(self, tokens: Iterable[int], pieces: TokenStream, most: int) -> str:
        """Streams tokens; why it ended."""
        try:
            for token in tokens:
                if token in self.properties.stop_tokens or pieces.add(token):
                    return "stop"
                if len(pieces.ids) >= most:
                    return "max_tokens"
            return "capacity"
        except KeyboardInterrupt:
            return "interrupted"
