"""Text from a compiled language model: prompts, the loop over tokens, streaming."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from devproc.errors import InputError
from devproc.generation.chat import ChatOptions, Message, chat_text
from devproc.generation.constraint import Allowed, Constraint
from devproc.generation.prompts import (
    Prompt,
    beginning_problems,
    option_problems,
    prompt_ids,
    prompt_problem,
    slide_problems,
)
from devproc.generation.properties import (
    SEED,
    Generation,
)
from devproc.generation.sequences import Continuation, Sequences
from devproc.generation.speculation import Speculation
from devproc.generation.token_loop import TokenLoop
from devproc.generation.token_sequence import TokenSequence
from devproc.generation.token_stream import TokenStream
from devproc.runtime.bundles.bundle import IN_MEMORY

if TYPE_CHECKING:
    pass


class LanguageModel(TokenSequence):
    """A compiled language model: its entries, and the loop over tokens around them.

    It holds one sequence: the tokens of the prompt and of its continuation. `generate` of
    several threads runs one after another; a thread that needs a sequence of its own loads a
    program of its own. A program of several sequences continues as many prompts at once
    (`generate_all`), and holds none of them between calls.
    """

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        verify: bool = True,
        key: bytes | None = None,
        weights: str = IN_MEMORY,
    ) -> LanguageModel:
        """The language model of a file; the options are those of `devproc.load`.

        The weights are read into memory, as each token reads all of them. Raises BundleError
        if the file is missing, damaged or foreign, CompileError if its program is no
        language model, InputError for another value of `weights`.
        """
        from devproc.program import load_entries

        return cls(load_entries(path, verify=verify, key=key, weights=weights))

    def save(
        self, path: str | Path, *, key: bytes | None = None, report: bool = False
    ) -> None:
        """Writes the program into one file, as `Program.save`; without its states.

        `key`: 16 bytes or more that sign it. Raises BundleError where it cannot be written.
        """
        self.entries.save(path, key=key, report=report)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.sizes))
        return (
            f"<LanguageModel of {self.capacity} tokens, prompts by {sizes}; "
            f"{self.position} in the cache>"
        )

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
        slide: int | None = None,
    ) -> Generation:
        """Continues a prompt until a stop token, a text of `stop`, or `max_tokens`.

        The prompt is a text, or int token ids `[tokens]`. The result has the new ids, their
        text, and times in seconds. An encoder-decoder reads `source` first, of the shapes and
        dtypes of `encode`. Its prompt is what the decoder has written already: the start
        tokens of the model without one; a text comes after them, ids are the whole beginning.
        `stream` is called with each piece of text as soon as it is known, without broken
        characters; with each token where the program has no tokenizer. `seed` begins the
        random numbers of a program that samples. `allowed`, of a program compiled with
        `constrained`, says which tokens may follow: ids, a bool array `[vocabulary]`, or a
        function that is called with the tokens so far, the prompt's too, and returns one of
        these; stop tokens must be among them. `keep`: continue the sequence that is there,
        instead of a new one. `draft`: a smaller model of the same tokens, which proposes
        those that this one checks; the result is the same. `slide`: at the capacity, drop so
        many of the oldest tokens, read the others again, and go on. Ctrl-C ends the loop, and
        the result says so. Raises InputError for a prompt or options that do not fit,
        GenerationError for scores that are NaN.
        """
        has_text = self.properties.tokenizer is not None
        most = self.capacity if max_tokens is None else max_tokens
        problems = option_problems(self, most, stop, seed, allowed)
        problems += beginning_problems(keep, source, draft, allowed)
        if slide is not None:
            problems += slide_problems(self, slide, keep or draft is not None)
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
            return self.calls.run(Sequences(self, most, stop).run, [one])[0]
        ahead = None if draft is None else Speculation(self, draft)
        pieces = TokenStream(self.tokenizer if has_text else None, stop, stream)
        constraint = Constraint(self, allowed)

        def begin() -> int:
            constraint.apply(ids)
            return self._begin(ids, source, seed, keep, draft)

        loop = TokenLoop(self, ids, pieces, constraint, most, slide)
        return self.calls.run(self._generate, begin, loop, ahead, pieces, len(ids))

    def _begin(
        self,
        ids: Sequence[int],
        source: Any,
        seed: int | None,
        keep: bool,
        draft: LanguageModel | None,
    ) -> int:
        """Reads a source and a prompt; the token that is chosen to follow them."""
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
        """Answers a chat in at most `max_tokens` tokens; `options` are those of `chat_text`
        and of `generate`.

        Raises what they raise: InputError, GenerationError.
        """
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
        a function of the number of the prompt and its tokens. Ctrl-C ends all. Raises
        InputError for prompts that do not fit, GenerationError for scores that are NaN.
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
            return self.calls.run(Sequences(self, most, stop).run, given)
        alone = partial(self.generate, max_tokens=most, stop=stop)
        return [
            alone(one.prompt, stream=one.stream, seed=one.seed, allowed=one.allowed)
            for one in given
        ]

    def _generate(
        self,
        begin: Callable[[], int],
        loop: TokenLoop,
        ahead: Speculation | None,
        pieces: TokenStream,
        prompt_tokens: int,
    ) -> Generation:
        """What follows the token that `begin` returns."""
        started = time.perf_counter()
        token = begin()
        read = time.perf_counter()
        reason = loop.run(token, ahead)
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
