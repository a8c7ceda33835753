"""`devproc.from_transformers`: a language model of transformers, compiled."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from devproc.entry import compile
from devproc.errors import CompileError
from devproc.frontends.dsl import Pipeline
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.transformers.decoder import Decoder
from devproc.frontends.transformers.encoder_decoder import (
    SourceDecoder,
    SourceEncoder,
    example_source,
)
from devproc.generation.language_model import LanguageModel
from devproc.generation.properties import (
    CHECK,
    COUNTS,
    CROSS,
    DECODE,
    ENCODE,
    PREFILL,
    SEED,
    SOURCE_COUNT,
    TOKEN,
    Properties,
)
from devproc.ir.devices import HOST

PREFILL_SIZES = (16, 64, 256)
"""How many tokens of a prompt are read at once, unless it is said."""

PENALTIES = ("repetition", "presence", "frequency")
"""The arguments of `pipe.penalize_tokens`."""


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
    target: str = HOST,
    **options: Any,
) -> LanguageModel:
    """Compiles a language model of transformers, to generate text with.

    `model` is a `PreTrainedModel`: a causal one (Llama, Qwen, Gemma, Mistral, Phi, GPT-2,
    OPT, ...) or an encoder-decoder (T5, BART, Whisper).
    `capacity`: the most tokens of a prompt and its continuation together. `prefill`: how
    many tokens of a prompt are read at once, (16, 64, 256) if left out; each size is an entry
    of the program. An encoder-decoder has none: its prompts are short. `source`: the most
    tokens that its encoder reads; the length of Whisper's features is fixed. `dtype`
    converts the weights first: "float32", "bfloat16" or "float16". `cache_dtype`: "int8"
    stores keys and values of a causal float32 model as int8, with a scale for each row.
    `sampling`: how the next token is chosen, as arguments of `pipe.next_token` and
    `pipe.penalize_tokens`; the most probable one without it.
    `tokenizer`: one of transformers, or the path of a `tokenizer.json`. `speculate`: how many
    tokens of a draft are checked at once (`LanguageModel.generate`). `options` are those of
    `devproc.compile`.

    The entries are `decode`, which continues with the token that was chosen last,
    `prefill_N`, and `check_N` to speculate; `encode`, which computes the keys and values of
    a source once, and `decode` for an encoder-decoder. Raises UnsupportedError with all
    layers that keep no keys and values, and all operators that are not supported;
    CompileError for sizes that do not fit.
    """
    is_causal = not model.config.is_encoder_decoder
    sizes = _checked_sizes(model, capacity, prefill, source, speculate)
    vocabulary = int(model.config.get_text_config().vocab_size)
    properties = Properties(
        capacity,
        vocabulary,
        _stop_tokens(model),
        _tokenizer_text(tokenizer),
        () if is_causal else _start_tokens(model),
    )
    model = _prepared(model, dtype, cache_dtype)
    if is_causal:
        decoder = Decoder(model, 1, capacity, int8=cache_dtype == "int8").eval()
        sources = _decoder_entries(decoder, sizes, speculate, sampling)
    else:
        example = example_source(model, source)
        pair = SourceDecoder(model, example, capacity).eval()
        sources = {
            ENCODE: _encode_entry(model, example, properties.start_tokens[0]),
            DECODE: _source_decode_entry(pair, sampling),
        }
    entries = compile(sources, target, **options)
    entries.properties.update(properties.as_json())
    return LanguageModel(entries)


def _decoder_entries(
    decoder: Decoder,
    sizes: Sequence[int],
    speculate: int,
    sampling: Mapping[str, Any] | None,
) -> dict[str, Pipeline]:
    """The entries of a causal language model."""
    entries = {f"{PREFILL}{n}": _entry(decoder, n, sampling) for n in sizes}
    entries[DECODE] = _entry(decoder, None, sampling)
    if speculate:
        entries[f"{CHECK}{speculate + 1}"] = _check_entry(decoder, speculate + 1)
    return entries


def _encode_entry(model: Any, source: torch.Tensor, start: int) -> Pipeline:
    """The pipeline that reads a source and starts a sequence with the token `start`."""
    pipe = Pipeline(ENCODE)
    ones = torch.ones(1, dtype=torch.int64)
    encoder = SourceEncoder(model, start).eval()
    exported = torch.export.export(encoder, (source, ones))
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
    decoder: SourceDecoder, sampling: Mapping[str, Any] | None
) -> Pipeline:
    """The pipeline of one token, which reads the states that `encode` writes."""
    pipe = Pipeline(DECODE)
    ones = torch.ones(1, 1, dtype=torch.int64)
    exported = torch.export.export(decoder, (ones, ones[0], *decoder.cross))
    token = pipe.state(TOKEN, "int64", (1, 1), layout="")
    given = [token, pipe.state(SOURCE_COUNT, "int64", (1,))]
    for number, value in enumerate(decoder.cross):
        dtype = str(value.dtype).removeprefix("torch.")
        given.append(pipe.state(f"{CROSS}{number}", dtype, value.shape, layout=""))
    logits = pipe.model(exported, *given)
    _choose(pipe, logits, token, None, sampling)
    return pipe


def _entry(
    decoder: Decoder, size: int | None, sampling: Mapping[str, Any] | None
) -> Pipeline:
    """The pipeline of an entry: of `size` tokens that are given, or of the last one."""
    ids = torch.zeros(1, size or 1, dtype=torch.int64)
    pipe = Pipeline(DECODE if size is None else f"{PREFILL}{size}")
    token = pipe.state(TOKEN, "int64", (1, 1), layout="")
    if size is None:
        exported = torch.export.export(decoder, (ids,))
        given, count = token, None
        logits = pipe.model(exported, given)
    else:
        ones = torch.ones(1, dtype=torch.int64)
        exported = torch.export.export(decoder, (ids, ones))
        given = pipe.input("ids", "int64", (1, size), layout="")
        count = pipe.input("count", "int64", (1,))
        logits = pipe.model(exported, given, count)
    _choose(pipe, logits, given, count, sampling)
    return pipe


def _check_entry(decoder: Decoder, size: int) -> Pipeline:
    """The pipeline that appends tokens, and chooses the one that follows each of them."""
    pipe = Pipeline(f"{CHECK}{size}")
    decoder.all_scores = True
    try:
        ids = torch.zeros(1, size, dtype=torch.int64)
        exported = torch.export.export(decoder, (ids,))
    finally:
        decoder.all_scores = False
    logits = pipe.model(exported, pipe.input("ids", "int64", (1, size), layout=""))
    rows = pipe.reshape(logits, logits.shape[1:])
    pipe.output("tokens", pipe.next_token(rows))
    return pipe


def _choose(
    pipe: Pipeline,
    logits: Value,
    given: Value,
    count: Value | None,
    sampling: Mapping[str, Any] | None,
) -> None:
    """Ends a pipeline with the next token, as an output and as a state."""
    chosen = _chosen(pipe, logits, given, count, sampling or {})
    pipe.update(TOKEN, pipe.reshape(chosen, (1, 1)))
    pipe.output("token", chosen)


def _chosen(
    pipe: Pipeline,
    logits: Value,
    given: Value,
    count: Value | None,
    sampling: Mapping[str, Any],
) -> Value:
    """The next token, chosen as `sampling` says; penalties count the tokens so far."""
    penalties = {k: v for k, v in sampling.items() if k in PENALTIES}
    others = {k: v for k, v in sampling.items() if k not in PENALTIES}
    if penalties:
        counts = pipe.state(COUNTS, "int32", logits.shape, layout="")
        counts = pipe.count_tokens(counts, given, count)
        pipe.update(COUNTS, counts)
        logits = pipe.penalize_tokens(logits, counts, **penalties)
    if others.get("strategy", "greedy") == "greedy":
        return pipe.next_token(logits, **others)
    seed = pipe.state(SEED, "int64", (1,))
    pipe.update(SEED, seed + 1)
    return pipe.next_token(logits, seed=seed, **others)


def _checked_sizes(
    model: Any,
    capacity: int,
    prefill: Sequence[int] | None,
    source: int | None,
    speculate: int,
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
        given = {"prefill": prefill is not None, "speculate": bool(speculate)}
        for name in (name for name, is_given in given.items() if is_given):
            problems.append(f"{name} is for causal models, this is an encoder-decoder")
    elif source is not None:
        problems.append("source is for encoder-decoders, this is a causal model")
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


def _tokenizer_text(tokenizer: Any) -> str | None:
    """The `tokenizer.json` of a tokenizer, or of its file or folder."""
    if tokenizer is None:
        return None
    if isinstance(tokenizer, str | Path):
        path = Path(tokenizer)
        path = path / "tokenizer.json" if path.is_dir() else path
        try:
            return path.read_text("utf-8")
        except OSError as error:
            raise CompileError(f"cannot read the tokenizer {path}: {error}") from error
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(backend, "to_str"):
        raise CompileError(
            f"a {type(tokenizer).__name__} has no tokenizer.json; load it with "
            "AutoTokenizer, which converts it"
        )
    return backend.to_str()
