"""`devproc.from_transformers`: a language model of transformers, compiled."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from devproc.entry import compile
from devproc.errors import CompileError
from devproc.frontends.dsl import Pipeline
from devproc.frontends.transformers.decoder import (
    Decoder,
    exported_program,
    gathered_experts,
)
from devproc.frontends.transformers.encoder_decoder import (
    SourceDecoder,
    SourceEncoder,
    example_source,
)
from devproc.frontends.transformers.sampling import Sampling, choose, repeat
from devproc.frontends.transformers.sequences import entries_of_sequences
from devproc.frontends.transformers.tokenizer_files import tokenizer_files
from devproc.generation.language_model import LanguageModel
from devproc.generation.properties import (
    CHECK,
    CROSS,
    DECODE,
    ENCODE,
    PREFILL,
    SOURCE_COUNT,
    TOKEN,
    Properties,
)
from devproc.ir.devices import HOST
from devproc.ir.weight_format import FLOAT24

PREFILL_SIZES = (16, 64, 256)
"""How many tokens of a prompt are read at once, unless it is said."""


def from_transformers(
    model: Any,
    *,
    capacity: int,
    prefill: Sequence[int] | None = None,
    source: int | None = None,
    dtype: str | None = None,
    cache_dtype: str | None = None,
    sampling: Mapping[str, Any] | None = None,
    tokenizer: Any = None,
    speculate: int = 0,
    sequences: int = 1,
    constrained: bool = False,
    weights: str = FLOAT24,
    target: str = HOST,
    **options: Any,
) -> LanguageModel:
    """Compiles a language model of transformers, to generate text with.

    `model` is a `PreTrainedModel`: a causal one (Llama, Qwen, Gemma, Mistral, Mamba, LFM2,
    ...) or an encoder-decoder (T5, BART, Whisper).
    `capacity`: the most tokens of a prompt and its continuation together. `prefill`: how
    many tokens of a prompt are read at once, (16, 64, 256) if left out; each size is an entry
    of the program. An encoder-decoder has none: its prompts are short. `source`: the most
    tokens that its encoder reads; the length of Whisper's features is fixed. `dtype`
    converts the weights first: "float32", "bfloat16" or "float16". `cache_dtype`: "int8"
    stores keys and values of a causal float32 model as int8, with a scale for each row.
    `sampling`: how the next token is chosen, as arguments of `pipe.next_token` and
    `pipe.penalize_tokens`, and `bias`, a dictionary of what is added to the scores of tokens;
    the most probable one without it. `constrained`: each call of `generate` may say which
    tokens may follow. `tokenizer`: one of transformers, or the path of a `tokenizer.json` or
    of its folder; its chat template becomes part of the program, too. `speculate`: how many
    tokens of a draft are checked at once (`LanguageModel.generate`). `sequences`: how many
    are generated at once (`LanguageModel.generate_all`); a step reads the weights once for
    all of them. `weights`: how matrices are stored; by default those of float32 in one form
    for prompts and tokens (docs/weights.md); "original" reads short prompts faster, with
    most weights in memory twice. `options` are the other ones of `devproc.compile`.

    The entries are `decode`, which continues with the token that was chosen last,
    `prefill_N`, and `check_N` to speculate; `encode`, which computes the keys and values of
    a source once, and `decode` for an encoder-decoder. Raises UnsupportedError with all
    layers that keep neither keys and values nor states, and all unsupported operators;
    CompileError for sizes, dtypes and sampling that do not fit.
    """
    sizes = _checked_sizes(model, capacity, prefill, source, speculate, sequences)
    properties = _properties(model, capacity, tokenizer)
    chosen = _sampling(model, sampling, properties, constrained, speculate)
    model, int8 = _prepared(model, dtype, cache_dtype), cache_dtype == "int8"
    with gathered_experts(model):
        if model.config.is_encoder_decoder:
            sources = _source_entries(model, source, chosen, properties)
        elif sequences > 1:
            given = model, sequences, sizes, chosen, properties
            sources = entries_of_sequences(*given, int8)
        else:
            decoder = Decoder(model, capacity, int8).eval()
            sources = _decoder_entries(decoder, sizes, speculate, chosen, properties)
    entries = compile(sources, target, weights=weights, **options)
    entries.properties.update(properties.as_json())
    return LanguageModel(entries)


def _properties(model: Any, capacity: int, tokenizer: Any) -> Properties:
    """What the program keeps of the model and its tokenizer."""
    config, files = model.generation_config, tokenizer_files(tokenizer)
    vocabulary = int(model.config.get_text_config().vocab_size)
    begin = [t for t in config.begin_suppress_tokens or () if 0 <= t < vocabulary]
    return Properties(
        capacity,
        vocabulary,
        _stop_tokens(model),
        files.text,
        _start_tokens(model) if model.config.is_encoder_decoder else (),
        tuple(begin),
        files.templates,
        files.tokens,
    )


def _sampling(
    model: Any,
    given: Mapping[str, Any] | None,
    properties: Properties,
    constrained: bool,
    speculate: int,
) -> Sampling:
    """How tokens are chosen; raises CompileError where a draft cannot be checked so."""
    suppressed = model.generation_config.suppress_tokens or ()
    constrained = constrained or bool(properties.begin_suppress_tokens)
    found = Sampling(given, properties.vocabulary, suppressed, constrained)
    if speculate and (found.penalties or not found.is_greedy):
        raise CompileError(
            "speculate: the most probable token must be chosen, without penalties"
        )
    return found


def _source_entries(
    model: Any, source: int | None, sampling: Sampling, properties: Properties
) -> dict[str, Pipeline]:
    """The entries of an encoder-decoder."""
    example = example_source(model, source)
    decoder = SourceDecoder(model, example, properties.capacity).eval()
    return {
        ENCODE: _encode_entry(model, example, properties.start_tokens[0]),
        DECODE: _source_decode_entry(decoder, sampling, properties),
    }


def _decoder_entries(
    decoder: Decoder,
    sizes: Sequence[int],
    speculate: int,
    sampling: Sampling,
    properties: Properties,
) -> dict[str, Pipeline]:
    """The entries of a causal language model.

    Raises CompileError where tokens of a draft would stay in recurrent states.
    """
    if speculate and decoder.state_names:
        raise CompileError(
            f"speculate: a token of a draft that is refused cannot be taken out of "
            f"recurrent states ('{decoder.state_names[0]}'); leave speculate out"
        )
    entries = {f"{PREFILL}{n}": _prefill_entry(decoder, n, sampling) for n in sizes}
    entries[DECODE] = _decode_entry(decoder, sampling, properties)
    if speculate:
        check = _check_entry(decoder, speculate + 1, sampling)
        entries[check.name] = check
    return entries


def _encode_entry(model: Any, source: torch.Tensor, start: int) -> Pipeline:
    """The pipeline that reads a source and starts a sequence with the token `start`."""
    pipe = Pipeline(ENCODE)
    ones = torch.ones(1, dtype=torch.int64)
    encoder = SourceEncoder(model, start).eval()
    exported = exported_program(encoder, (source, ones))
    dtype = str(source.dtype).removeprefix("torch.")
    given = pipe.input("source", dtype, tuple(source.shape), layout="")
    count = pipe.input("count", "int64", (1,))
    token, *cross = pipe.model(exported, given, count)
    pipe.state(TOKEN, "int64", (1, 1), layout="")
    pipe.update(TOKEN, token)
    pipe.state(SOURCE_COUNT, "int64", (1,))
    pipe.update(SOURCE_COUNT, count)
    for number, value in enumerate(cross):
        name = f"{CROSS}{number}"
        pipe.state(name, value.dtype, value.shape, layout="")
        pipe.update(name, value)
    # A pipeline has an output at least.
    pipe.output("count", count)
    return pipe


def _source_decode_entry(
    decoder: SourceDecoder, sampling: Sampling, properties: Properties
) -> Pipeline:
    """The pipeline of one token, which reads the states that `encode` writes."""
    pipe = Pipeline(DECODE)
    ones = torch.ones(1, 1, dtype=torch.int64)
    exported = exported_program(decoder, (ones, ones[0], *decoder.cross))
    token = pipe.state(TOKEN, "int64", (1, 1), layout="")
    given = [token, pipe.state(SOURCE_COUNT, "int64", (1,))]
    for number, value in enumerate(decoder.cross):
        dtype = str(value.dtype).removeprefix("torch.")
        given.append(pipe.state(f"{CROSS}{number}", dtype, value.shape, layout=""))
    logits = pipe.model(exported, *given)
    repeat(pipe, choose(pipe, sampling, logits, token), properties)
    return pipe


def _prefill_entry(decoder: Decoder, size: int, sampling: Sampling) -> Pipeline:
    """The pipeline that appends `size` tokens, which are given."""
    pipe = Pipeline(f"{PREFILL}{size}")
    pipe.state(TOKEN, "int64", (1, 1), layout="")
    ids, ones = torch.zeros(1, size).long(), torch.ones(1).long()
    exported = exported_program(decoder, (ids, ones))
    given = pipe.input("ids", "int64", (1, size), layout="")
    count = decoder.count_of(pipe, size)
    choose(pipe, sampling, pipe.model(exported, given, count), given, count)
    return pipe


def _decode_entry(
    decoder: Decoder, sampling: Sampling, properties: Properties
) -> Pipeline:
    """The pipeline that appends the token that was chosen last."""
    pipe = Pipeline(DECODE)
    token = pipe.state(TOKEN, "int64", (1, 1), layout="")
    exported = exported_program(decoder, (torch.zeros(1, 1).long(),))
    logits = pipe.model(exported, token)
    repeat(pipe, choose(pipe, sampling, logits, token), properties)
    return pipe


def _check_entry(decoder: Decoder, size: int, sampling: Sampling) -> Pipeline:
    """The pipeline that appends tokens, and chooses the one that follows each of them."""
    pipe = Pipeline(f"{CHECK}{size}")
    decoder.all_scores = True
    try:
        ids = torch.zeros(1, size, dtype=torch.int64)
        exported = exported_program(decoder, (ids,))
    finally:
        decoder.all_scores = False
    logits = pipe.model(exported, pipe.input("ids", "int64", (1, size), layout=""))
    rows = pipe.reshape(logits, logits.shape[1:])
    pipe.output("tokens", sampling.token(pipe, rows))
    return pipe


def _checked_sizes(
    model: Any,
    capacity: int,
    prefill: Sequence[int] | None,
    source: int | None,
    speculate: int,
    sequences: int,
) -> list[int]:
    """The sizes of the entries, smallest first; raises CompileError with all problems."""
    config = model.config.get_text_config()
    names = ("max_target_positions", "max_position_embeddings")
    most = next((getattr(config, n) for n in names if hasattr(config, n)), None)
    problems: list[str] = []
    if capacity < 2:
        problems.append(f"capacity is {capacity}; it must be 2 or more")
    if most is not None and capacity > most:
        problems.append(f"capacity is {capacity}, the model has {most} positions")
    if model.config.is_encoder_decoder:
        given = {
            "prefill": prefill is not None,
            "speculate": bool(speculate),
            "sequences": sequences > 1,
        }
        for name in (name for name, is_given in given.items() if is_given):
            problems.append(f"{name} is for causal models, this is an encoder-decoder")
    elif source is not None:
        problems.append("source is for encoder-decoders, this is a causal model")
    elif speculate and sequences > 1:
        problems.append("speculate is for one sequence")
    if sequences < 1:
        problems.append(f"sequences is {sequences}; it must be 1 or more")
    sizes = PREFILL_SIZES if prefill is None else prefill
    wrong = [n for n in sizes if n < 1]
    if wrong or not sizes:
        problems.append(f"prefill is {tuple(sizes)}; give sizes of 1 token or more")
    if problems:
        raise CompileError("; ".join(problems))
    return sorted({min(n, capacity) for n in sizes})


def _prepared(model: Any, dtype: str | None, cache_dtype: str | None) -> Any:
    """The model to export, in a dtype; raises CompileError if its cache cannot have the
    other dtype."""
    if dtype is not None:
        model = model.to(_dtype_of(dtype))
    if cache_dtype not in (None, "int8"):
        raise CompileError(f"cache_dtype is {cache_dtype!r}, must be 'int8' or None")
    if cache_dtype is not None and model.config.is_encoder_decoder:
        raise CompileError(
            "cache_dtype is for causal models, this is an encoder-decoder"
        )
    if cache_dtype is not None and model.dtype != torch.float32:
        raise CompileError(
            f"cache_dtype='int8' needs a model in float32, this one is {model.dtype}; "
            "pass dtype='float32', and weights='bfloat16' to store its weights narrow"
        )
    return model.eval().requires_grad_(False)


def _dtype_of(name: str) -> torch.dtype:
    known = {"float32", "bfloat16", "float16"}
    if name not in known:
        raise CompileError(
            f"dtype is {name!r}, must be one of {', '.join(sorted(known))}"
        )
    return getattr(torch, name)


def _stop_tokens(model: Any) -> tuple[int, ...]:
    """The tokens at which the model says that generation ends."""
    found = model.generation_config.eos_token_id
    if found is None:
        return ()
    return tuple(found) if isinstance(found, list | tuple) else (int(found),)


def _start_tokens(model: Any) -> tuple[int, ...]:
    """The tokens with which the decoder of an encoder-decoder begins.

    Raises CompileError if the model names none.
    """
    config = model.generation_config
    first = config.decoder_start_token_id
    first = config.bos_token_id if first is None else first
    if first is None:
        raise CompileError(
            "generation_config.decoder_start_token_id is None; set the token with which "
            "the decoder begins"
        )
    forced = config.forced_bos_token_id
    return (int(first),) if forced is None else (int(first), int(forced))
