"""Encoder-decoders of transformers: tokens equal to `generate`, sources, bad input."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from click.testing import CliRunner

import devproc
from devproc.errors import CompileError, InputError, UnsupportedError
from devproc.tools.devproc import main

VOCABULARY, CAPACITY, SOURCE, START = 97, 24, 19, 2
MELS, FRAMES = 20, 60
COMMON: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "pad_token_id": 0,
    "bos_token_id": None,
    "eos_token_id": None,
    "decoder_start_token_id": START,
}
LAYERS: dict[str, Any] = {
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "tie_word_embeddings": False,
}
SIZES: dict[str, dict[str, Any]] = {
    "Whisper": LAYERS
    | {
        "num_mel_bins": MELS,
        "max_source_positions": FRAMES // 2,
        "max_target_positions": 32,
        "suppress_tokens": None,
        "begin_suppress_tokens": None,
    },
    "T5": {
        "d_kv": 8,
        "d_ff": 48,
        "num_layers": 2,
        "num_heads": 4,
        # Small enough that the capacity reaches the last bucket.
        "relative_attention_num_buckets": 8,
        "relative_attention_max_distance": 12,
    },
    "Bart": LAYERS | {"max_position_embeddings": 32, "forced_eos_token_id": None},
}


def small(kind: str, **changes: Any) -> Any:
    """An encoder-decoder of this kind with random weights, whose tokens vary."""
    torch.manual_seed(1)
    config = getattr(transformers, f"{kind}Config")(**(COMMON | SIZES[kind] | changes))
    model = getattr(transformers, f"{kind}ForConditionalGeneration")(config).eval()
    if kind == "T5":
        # Tied to the embeddings, it would repeat the first token.
        model.lm_head.weight = torch.nn.Parameter(torch.empty(VOCABULARY, 32))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                is_table = any(part in name for part in ("embed", "shared", "relative"))
                scale = 16 if is_table else 1
                weight.normal_(0, 0.7 * scale / weight.shape[-1] ** 0.5)
    return model


def sources(kind: str) -> list[Any]:
    """Two sources; of ids the first one has the full length."""
    rng = np.random.default_rng(0)
    if kind == "Whisper":
        shape = (1, MELS, FRAMES)
        return [rng.standard_normal(shape, np.float32) for _ in range(2)]
    return [rng.integers(3, VOCABULARY, count).tolist() for count in (SOURCE, 7)]


def greedy(model: Any, source: Any, count: int, prompt: list[int]) -> list[int]:
    """The tokens of transformers' `generate`; the one of Whisper's class adds rules of
    time stamps and languages.
    """
    given = torch.tensor(np.asarray(source))
    found = transformers.GenerationMixin.generate(
        model,
        given if given.ndim == 3 else given[None],
        decoder_input_ids=torch.tensor([prompt]),
        max_new_tokens=count,
        do_sample=False,
    )
    return found[0, len(prompt) :].tolist()


def compiled(kind: str, model: Any, **options: Any) -> devproc.LanguageModel:
    given = {} if kind == "Whisper" else {"source": SOURCE}
    return devproc.from_transformers(
        model, capacity=CAPACITY, cache=False, **given, **options
    )


Pair = tuple[Any, devproc.LanguageModel]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Pair]:
    """A model of each kind, and its program, saved and loaded."""
    path = tmp_path_factory.mktemp("models") / "model.devproc"

    @cache
    def pair(kind: str) -> Pair:
        model = small(kind)
        compiled(kind, model).save(path)
        return model, devproc.LanguageModel.load(path)

    return pair


@pytest.fixture(scope="module")
def bart(pairs: Callable[[str], Pair]) -> Any:
    return pairs("Bart")[0]


@pytest.fixture
def program(pairs: Callable[[str], Pair]) -> devproc.LanguageModel:
    found = pairs("Bart")[1]
    found.entries.reset()
    return found


@pytest.mark.parametrize("kind", list(SIZES))
def test_greedy_tokens_of_transformers(kind: str, pairs: Callable[[str], Pair]) -> None:
    model, program = pairs(kind)
    results: list[list[int]] = []
    for source in sources(kind):
        for prompt in (None, [START, 5, 60, 7]):
            ids = prompt or [START]
            wanted = greedy(model, source, CAPACITY - len(ids), ids)
            seen: list[int] = []
            found = program.generate(
                prompt, CAPACITY - len(ids), source=source, stream=seen.append
            )
            assert list(found.ids) == seen == wanted
            results.append(wanted)
    # Otherwise the source would not matter.
    assert results[0] != results[2]
    assert results[1] != results[3]


def test_source_is_encoded_once(program: Any, bart: Any) -> None:
    """The entries alone, and a sequence that continues on states that were saved."""
    first, second = sources("Bart")
    wanted = greedy(bart, first, 12, [START])
    program.encode(first)
    assert [program.step() for _ in range(5)] == wanted[:5]
    saved = program.save_state()
    program.generate(None, 3, source=second)
    program.load_state(saved)
    assert [program.step() for _ in range(7)] == wanted[5:]
    assert program.position == 12
    program.encode(first)
    assert list(program.generate(None, 12, keep=True).ids) == wanted


def words() -> Any:
    """A tokenizer of words w0, w1, ..., which ends a text with w1."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {f"w{number}": number for number in range(VOCABULARY)}
    found = Tokenizer(models.WordLevel(vocabulary, unk_token="w0"))
    found.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    found.post_processor = processors.TemplateProcessing("$A w1", None, [("w1", 1)])
    return found


def text_of(ids: list[int]) -> str:
    return " ".join(f"w{token}" for token in ids)


def test_texts_and_the_generation_configuration() -> None:
    """Stop tokens, forced and suppressed ones; sources and prompts that are texts."""
    model = small("Bart", encoder_layers=1, decoder_layers=1)
    (source, _), config = sources("Bart"), model.generation_config
    source[-1] = 1
    free = greedy(model, source, 12, [START, 9])
    config.suppress_tokens = free[:3]
    begin = greedy(model, source, 1, [START, 9])
    config.begin_suppress_tokens = begin
    wanted = greedy(model, source, 12, [START, 9])
    continued = greedy(model, source, 4, [START, 9, 60, 7])
    assert not set(wanted) & set(free[:3])
    assert wanted[0] != begin[0]
    stop = next(t for n, t in enumerate(wanted) if n > 3 and t not in wanted[:n])
    config.eos_token_id, config.forced_bos_token_id = stop, 9
    program = compiled("Bart", model, tokenizer=words())
    assert stop not in continued
    for given in (source, text_of(source[:-1])):
        found = program.generate(source=given)
        assert list(found.ids) == wanted[: wanted.index(stop)]
        assert (found.reason, found.prompt_tokens) == ("stop", 2)
        assert found.text == text_of(list(found.ids))
    found = program.generate("w60 w7", 4, source=source)
    assert list(found.ids) == continued


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.generate(), "there is no source: give source="),
        (lambda p: p.generate([START], keep=True), "there is no source: give source="),
        (lambda p: p.generate(source=[]), "the source has 0 tokens; give 1 to 19"),
        (lambda p: p.generate(source=[3] * 20), "the source has 20 tokens"),
        (lambda p: p.generate(source=[[3]]), "the source must be .* int64 of shape"),
        (lambda p: p.generate(source=[VOCABULARY]), "token 97 .* vocabulary of 97"),
        (lambda p: p.generate(source=[3], keep=True), "begins a new sequence"),
        (lambda p: p.generate([], source=[3]), "the prompt is empty"),
        (lambda p: p.generate(source="text"), "the program has no tokenizer"),
    ],
)
def test_bad_input(program: Any, call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(program)


def test_features_of_a_wrong_shape(pairs: Callable[[str], Pair]) -> None:
    _, program = pairs("Whisper")
    with pytest.raises(InputError, match=r"must be float32 \(1, 20, 60\), got"):
        program.generate(source=np.zeros((1, MELS, 59), np.float32))


def test_command(program: Any, tmp_path: Path) -> None:
    program.save(tmp_path / "m.devproc")
    source = sources("Bart")[1]
    ids = ",".join(map(str, source))
    given = ["generate", str(tmp_path / "m.devproc"), ids, "--ids", "-n", "5", "-q"]
    wanted = program.generate(None, 5, source=source).ids
    output = CliRunner().invoke(main, given).stdout
    assert output.strip() == ",".join(map(str, wanted))


def test_sizes_that_do_not_fit(bart: Any) -> None:
    with pytest.raises(CompileError) as error:
        devproc.from_transformers(
            bart, capacity=33, source=4, prefill=(16,), speculate=2
        )
    wanted = "capacity is 33, the model has 32 positions; prefill is for causal models"
    assert wanted in str(error.value)
    assert "speculate is for causal models" in str(error.value)
    for source, message in ((None, "source is None"), (33, "source is 33, the model")):
        with pytest.raises(CompileError, match=message):
            devproc.from_transformers(bart, capacity=8, source=source)
    with pytest.raises(CompileError, match="source is 59, the model reads 60 frames"):
        devproc.from_transformers(small("Whisper"), capacity=8, source=59)


def test_models_that_are_not_supported(
    bart: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = transformers.Speech2TextConfig(d_model=16, vocab_size=9, **LAYERS)
    model = transformers.Speech2TextForConditionalGeneration(config).eval()
    with pytest.raises(UnsupportedError, match="neither token ids nor the features"):
        devproc.from_transformers(model, capacity=8)
    forward = bart.forward

    def without_keys(*args: Any, **kwargs: Any) -> Any:
        result = forward(*args, **kwargs)
        for layer in result.cache.cross_attention_cache.layers:
            layer.keys = None
        return result

    monkeypatch.setattr(bart, "forward", without_keys)
    with pytest.raises(UnsupportedError) as error:
        devproc.from_transformers(bart, capacity=8, source=8)
    for number in (0, 1):
        assert f"cross-attention of layer {number} of Bart" in str(error.value)
