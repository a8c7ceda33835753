"""A causal language model with several sequences, each at a position of its own.

A step appends a token to each sequence that takes part, and reads the weights once. A prompt
is read into one sequence at a time.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS

from devproc.errors import Problem, UnsupportedError
from devproc.frontends.dsl import Pipeline
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.transformers.decoder import (
    CachingModule,
    exported_program,
    layers_of_decoder,
)
from devproc.frontends.transformers.recurrences import continued_recurrences
from devproc.frontends.transformers.sampling import Sampling, ends, repeat_until
from devproc.generation.properties import (
    ACTIVE,
    ALLOWED,
    COUNTS,
    DECODE,
    PREFILL,
    SEED,
    TOKEN,
    Properties,
)


class SequencesDecoder(CachingModule):
    """A causal language model whose caches and positions of N sequences are buffers.

    `forward(ids, count)`, with ids (N, 1), appends a token to each sequence whose count is
    1, not 0. `forward(ids, count, sequence)`, with ids (1, S), appends the first `count` of
    them to one sequence: all of them, where the model has recurrent states. Either returns
    the scores, in float32, of the token that follows.
    """

    def __init__(self, model: Any, sequences: int, capacity: int, int8: bool):
        super().__init__(model, layers_of_decoder(model), sequences, capacity, int8)

    def forward(
        self,
        ids: torch.Tensor,
        count: torch.Tensor,
        sequence: torch.Tensor | None = None,
        *states: torch.Tensor,
    ) -> Any:
        """The scores (N, V), or (1, V) and the rows of `states` at the sequence."""
        begin = self.position
        if sequence is not None:
            begin = begin.index_select(0, sequence)
        places = begin.unsqueeze(1) + torch.arange(ids.shape[1])
        recurrent = self._recurrent_states(sequence)
        cache = self.cache_at(places, begin, sequence, recurrent)
        arguments: dict[str, Any] = {self.cache_name: cache}
        if self.has_rows:
            # OPT and Falcon would make one of `begin`, as if all had one position.
            mask = places.new_ones(len(begin), self.capacity)
            arguments["attention_mask"] = mask
        with continued_recurrences(self.model, cache):
            result = self.model(
                input_ids=ids,
                position_ids=places,
                use_cache=True,
                logits_to_keep=1 if sequence is None else count - 1,
                **arguments,
            )
        self._write_states(recurrent, count, sequence)
        scores = result.logits[:, 0].float()
        if sequence is None:
            self.position.add_(count)
            return scores
        self.position.index_add_(0, sequence, count)
        return scores, *(state.index_select(0, sequence) for state in states)

    def _recurrent_states(
        self, sequence: torch.Tensor | None
    ) -> dict[str, torch.Tensor]:
        """Copies of the states of recurrences, of one sequence or of all."""
        buffers = {name: self.get_buffer(name) for name in self.state_names}
        if sequence is None:
            return {name: buffer.clone() for name, buffer in buffers.items()}
        return {n: b.index_select(0, sequence) for n, b in buffers.items()}

    def _write_states(
        self,
        states: Mapping[str, torch.Tensor],
        count: torch.Tensor,
        sequence: torch.Tensor | None,
    ) -> None:
        """Stores the states of one sequence, or of those of which a token was read."""
        for name, state in states.items():
            buffer = self.get_buffer(name)
            if sequence is None:
                is_read = (count > 0).reshape(-1, *[1] * (state.dim() - 1))
                buffer.copy_(torch.where(is_read, state, buffer))
            else:
                buffer.index_copy_(0, sequence, state)


def entries_of_sequences(
    model: Any,
    sequences: int,
    sizes: Sequence[int],
    sampling: Sampling,
    properties: Properties,
    int8: bool = False,
) -> dict[str, Pipeline]:
    """The entries of a causal language model with several sequences."""
    decoder = SequencesDecoder(model, sequences, properties.capacity, int8).eval()
    _check_independence(decoder)
    with _masks_of_sequences():
        entries = {f"{PREFILL}{n}": _prefill_entry(decoder, n, sampling) for n in sizes}
        entries[DECODE] = _step_entry(decoder, sampling, properties)
    return entries


def _check_independence(decoder: SequencesDecoder) -> None:
    """Raises UnsupportedError for a model with positions or masks of its own, which would
    not be those of each sequence: two of different lengths must be as each alone.
    """
    why = "its positions or masks are not those of each sequence"
    try:
        # Half precision differs by rounding, another position by much more.
        is_independent = _difference(decoder) <= 0.05
    except (TypeError, ValueError, RuntimeError) as error:
        is_independent, why = False, f"{why}: {error}"
    if not is_independent:
        name = type(decoder.model).__name__
        remedy = "compile it with sequences=1"
        raise UnsupportedError([Problem(name, "a step of sequences", why, remedy)])


def _difference(decoder: SequencesDecoder) -> float:
    """The largest difference of scores after two sequences from those after each alone, in
    relation to the largest score. Leaves the buffers as they were at first."""
    model, count = decoder.model, len(decoder.position)
    ids = torch.tensor([[1, 2, 3]])
    with torch.no_grad():
        alone = [model(input_ids=ids[:, -n:]).logits[0, -1] for n in (3, 2)]
        with _masks_of_sequences():
            for sequence, n in enumerate((2, 1)):
                given = ids[:, 2 - n : 2], torch.tensor([n]), torch.tensor([sequence])
                decoder(*given)
            last, ones = ids[:, 2:].expand(count, 1), torch.ones(count).long()
            found = decoder(last, ones)[:2]
        for buffer in decoder.buffers(recurse=False):
            buffer.zero_()
    wanted = torch.stack(alone).float()
    return float((found - wanted).abs().max() / wanted.abs().max())


def _step_entry(
    decoder: SequencesDecoder, sampling: Sampling, properties: Properties
) -> Pipeline:
    """The pipeline that appends the tokens chosen last to the sequences that take part, and
    repeats itself until one of these ends."""
    count = len(decoder.position)
    pipe = Pipeline(DECODE)
    token = pipe.state(TOKEN, "int64", (count, 1), layout="")
    active = pipe.state(ACTIVE, "int64", (count,))
    ids, ones = torch.zeros(count, 1).long(), torch.ones(count).long()
    logits = pipe.model(exported_program(decoder, (ids, ones)), token, active)
    states = sampling.states(pipe, count)
    if COUNTS in states:
        states[COUNTS] = pipe.count_tokens(states[COUNTS], token, active)
        pipe.update(COUNTS, states[COUNTS])
    if SEED in states:
        pipe.update(SEED, states[SEED] + active)
    chosen = sampling.token(pipe, logits, states)
    kept = pipe.where(active > 0, chosen, pipe.reshape(token, (count,)))
    pipe.update(TOKEN, pipe.reshape(kept, (count, 1)))
    pipe.output("token", kept)
    ended = pipe.logical_and(active > 0, ends(pipe, kept, properties))
    largest, _ = pipe.top_k(pipe.where(ended, 1.0, 0.0), 1)
    repeat_until(pipe, largest > 0, properties)
    return pipe


def _prefill_entry(
    decoder: SequencesDecoder, size: int, sampling: Sampling
) -> Pipeline:
    """The pipeline that appends tokens that are given to one sequence."""
    count = len(decoder.position)
    pipe = Pipeline(f"{PREFILL}{size}")
    token = pipe.state(TOKEN, "int64", (count, 1), layout="")
    states = sampling.states(pipe, count)
    given = pipe.input("ids", "int64", (1, size), layout="")
    length = decoder.count_of(pipe, size)
    sequence = pipe.input("sequence", "int64", (1,))
    # One tensor for two inputs would be exported as one input.
    ids = torch.zeros(1, size, dtype=torch.int64)
    examples = [ids, torch.ones(1).long(), torch.zeros(1).long()]
    examples += [torch.zeros(s.shape).to(_dtype(s)) for s in states.values()]
    exported = exported_program(decoder, tuple(examples))
    logits, *rows = pipe.model(exported, given, length, sequence, *states.values())
    row = dict(zip(states, rows, strict=True))
    if COUNTS in row:
        row[COUNTS] = pipe.count_tokens(row[COUNTS], given, length)
    chosen = sampling.token(pipe, logits, row)
    if SEED in row:
        row[SEED] = row[SEED] + 1
    row.pop(ALLOWED, None)
    here = pipe.equal(sequence, np.arange(count))
    column = pipe.reshape(here, (count, 1))
    for name, value in row.items():
        is_here = column if len(value.shape) > 1 else here
        pipe.update(name, pipe.where(is_here, value, states[name]))
    pipe.update(TOKEN, pipe.where(column, pipe.reshape(chosen, (1, 1)), token))
    pipe.output("token", chosen)
    return pipe


def _dtype(value: Value) -> torch.dtype:
    return getattr(torch, value.dtype)


@contextmanager
def _masks_of_sequences() -> Generator[None]:
    """Lets transformers make masks for positions of which each sequence has its own."""
    known = ALL_MASK_ATTENTION_FUNCTIONS
    local = dict(known._local_mapping)  # pyright: ignore[reportPrivateUsage]
    known["sdpa"], known["eager"] = _mask, _addends
    try:
        yield
    finally:
        known._local_mapping = local  # pyright: ignore[reportPrivateUsage]


def _mask(
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: torch.Tensor,
    kv_offset: int,
    mask_function: Callable[..., torch.Tensor],
    **_: Any,
) -> torch.Tensor:
    """The mask (B, 1, Q, K) of queries at `q_offset` (B), as transformers' `sdpa_mask`."""
    batch = torch.arange(batch_size).reshape(-1, 1, 1, 1)
    queries = (q_offset.unsqueeze(1) + torch.arange(q_length))[:, None, :, None]
    keys = torch.arange(kv_length) + kv_offset
    seen = mask_function(batch, torch.zeros_like(batch[:1]), queries, keys)
    return seen.expand(batch_size, -1, q_length, kv_length)


def _addends(*, dtype: torch.dtype = torch.float32, **given: Any) -> torch.Tensor:
    """The same as addends, as transformers' `eager_mask`."""
    zero = torch.zeros((), dtype=dtype)
    return torch.where(_mask(**given), zero, torch.finfo(dtype).min)
