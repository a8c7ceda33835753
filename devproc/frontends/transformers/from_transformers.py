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
from devproc.generation.language_model import (
    CHECK,
    COUNTS,
    DECODE,
    PREFILL,
    SEED,
    TOKEN,
    LanguageModel,
    Properties,
)
from devproc.ir.devices import HOST

PENALTIES = ("repetition", "presence", "frequency")
"""The arguments of `pipe.penalize_tokens`."""


def from_transformers(
    model: Any,
    *,
    capacity: int,
    prefill: Sequence[int] = (16, 64, 256),
    dtype: str | None = None,
    sampling: Mapping[str, Any] | None = None,
    tokenizer: Any = None,
    speculate: int = 0,
    target: str = HOST,
    **options: Any,
) -> LanguageModel:
    """Compiles a causal language model of transformers, to generate text with.

    `model` is a `PreTrainedModel` (Llama, Qwen, Gemma, Mistral, Phi, GPT-2, OPT, ...).
    `capacity`: the most tokens of a prompt and its continuation together. `prefill`: how
    many tokens of a prompt are read at once; each size is an entry of the program. `dtype`
    converts the weights first: "float32", "bfloat16" or "float16". `sampling`: how the next
    token is chosen, as arguments of `pipe.next_token` and `pipe.penalize_tokens`; the most
    probable one without it.
    `tokenizer`: one of transformers, or the path of a `tokenizer.json`. `speculate`: how many
    tokens of a draft are checked at once (`LanguageModel.generate`). `options` are those of
    `devproc.compile`.

    The entries are `decode`, which continues with the token that was chosen last,
    `prefill_N`, and `check_N` to speculate. Raises UnsupportedError with all layers that keep no keys and
    values, and all operators that are not supported; CompileError for sizes that do not fit.
    """
    sizes = _checked_sizes(model, capacity, prefill)
    vocabulary = int(model.config.get_text_config().vocab_size)
    properties = Properties(
        capacity, vocabulary, _stop_tokens(model), _tokenizer_text(tokenizer)
    )
    if dtype is not None:
        model = model.to(_dtype_of(dtype))
    model = model.eval().requires_grad_(False)
    decoder = Decoder(model, 1, capacity).eval()
    sources = {f"{PREFILL}{n}": _entry(decoder, n, sampling) for n in sizes}
    sources[DECODE] = _entry(decoder, None, sampling)
    if speculate:
        sources[f"{CHECK}{speculate + 1}"] = _check_entry(decoder, speculate + 1)
    entries = compile(sources, target, **options)
    entries.properties.update(properties.as_json())
    return LanguageModel(entries)


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
    chosen = _chosen(pipe, logits, given, count, sampling or {})
    pipe.update(TOKEN, pipe.reshape(chosen, (1, 1)))
    pipe.output("token", chosen)
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


def _checked_sizes(model: Any, capacity: int, prefill: Sequence[int]) -> list[int]:
    """The sizes of the entries, smallest first; raises CompileError with all problems."""
    config = model.config.get_text_config()
    most = getattr(config, "max_position_embeddings", None)
    problems: list[str] = []
    if capacity < 2:
        problems.append(f"capacity is {capacity}; it must be 2 or more")
    if most is not None and capacity > most:
        problems.append(f"capacity is {capacity}, the model has {most} positions")
    wrong = [n for n in prefill if n < 1]
    if wrong or not prefill:
        problems.append(f"prefill is {tuple(prefill)}; give sizes of 1 token or more")
    if problems:
        raise CompileError("; ".join(problems))
    return sorted({min(n, capacity) for n in prefill})


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
