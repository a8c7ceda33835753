"""Language models of transformers: tokens equal to `generate`, streams, bad input."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from click.testing import CliRunner

import devproc
from devproc.errors import BusyError, CompileError, InputError, UnsupportedError
from devproc.generation.token_stream import TokenStream
from devproc.runtime.read_rate import read_rate
from devproc.targets.cpu.machine.cpu_target import host_vector_bits
from devproc.tools.devproc import main

VOCABULARY, CAPACITY, PROMPT = 301, 40, 13
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": None,
    "eos_token_id": None,
}

DEEPSEEK: dict[str, Any] = {
    **{"n_routed_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 20},
    **{
        "n_group": 2,
        "topk_group": 1,
        "num_hidden_layers": 1,
        "first_k_dense_replace": 0,
    },
    **{"kv_lora_rank": 16, "q_lora_rank": 24, "num_key_value_heads": 4},
    **{"qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 12},
}


def small(kind: str, **changes: Any) -> Any:
    """A causal language model of this kind with random weights."""
    torch.manual_seed(0)
    sizes = SIZES | changes
    if kind == "GPT2":
        sizes = {"n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": 64} | changes
        sizes |= {
            k: v for k, v in SIZES.items() if "token_id" in k or k == "vocab_size"
        }
    config = getattr(transformers, f"{kind}Config")(**sizes)
    # Unscaled logits of random weights would leave ties to rounding.
    config.initializer_range = 0.2
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def greedy(model: Any, ids: list[int], count: int) -> list[int]:
    """The tokens of transformers' `generate`."""
    found = model.generate(torch.tensor([ids]), max_new_tokens=count, do_sample=False)
    return found[0, len(ids) :].tolist()


def prompt(seed: int = 0, count: int = PROMPT) -> list[int]:
    return np.random.default_rng(seed).integers(3, VOCABULARY, count).tolist()


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("Qwen3", {"head_dim": 16, "num_hidden_layers": 1}),
        ("Gemma3Text", {"head_dim": 16, "sliding_window": 6, "layer_types": ["sliding_attention", "full_attention"]}),
        ("GPT2", {"n_layer": 1}),
        ("Mixtral", {"num_local_experts": 5, "num_hidden_layers": 1}),
        ("DeepseekV3", DEEPSEEK),
        ("GptOss", {"head_dim": 16, "num_local_experts": 4, "num_hidden_layers": 1}),
    ],
)  # fmt: skip
def test_greedy_tokens_of_transformers(kind: str, changes: dict[str, Any]) -> None:
    model = small(kind, **changes)
    program = devproc.from_transformers(
        model, capacity=CAPACITY, prefill=(8,), cache=False
    )
    found = program.generate(prompt(), CAPACITY - PROMPT)
    assert list(found.ids) == greedy(model, prompt(), CAPACITY - PROMPT)


@pytest.mark.skipif(host_vector_bits() < 512, reason="needs vectors of 512 bits")
def test_float32_weights_are_in_memory_once() -> None:
    """Prompts of any length and tokens read one form, of 24 bits a number; so does the
    embedding. As in the model, they are there up to three times."""
    sizes = {"hidden_size": 320, "intermediate_size": 640, "num_hidden_layers": 1}
    model = small("Llama", **sizes, vocab_size=1024, tie_word_embeddings=True)
    options: dict[str, Any] = {"prefill": (4, 26), "threads": 1, "cache": False}
    matrices = [p.nbytes for p in model.parameters() if p.nbytes > 2**18]
    found = dict[str, int]()
    for name in ("float24", "original"):
        chosen: dict[str, Any] = {} if name == "float24" else {"weights": name}
        program = devproc.from_transformers(
            model, capacity=CAPACITY, **options, **chosen
        )
        wanted = greedy(model, prompt(count=30), 6)
        assert list(program.generate(prompt(count=30), 6).ids) == wanted, name
        entries = program.entries.values()
        arrays = [e.weights.array(n) for e in entries for n in e.artifact.weight_names]
        found[name] = sum({a.ctypes.data: a.nbytes for a in arrays}.values())
        rows = [row for e in entries for row in e.report().weights.rows]
        # The embedding's rows are a second table beside 24 bits for the last layer.
        assert {row.format for row in rows} == {"float32" if chosen else "float24"}
    assert found["float24"] < 0.9 * sum(p.nbytes for p in model.parameters())
    assert found["original"] > found["float24"] + sum(matrices)


def test_experts_as_transformers_exports_them() -> None:
    """Sorted by expert; `from_transformers` leaves the model so."""
    model = small("Mixtral", num_local_experts=5, num_hidden_layers=1).requires_grad_(
        False
    )
    ids = torch.tensor([prompt()])
    exported = torch.export.export(model, (ids,), {"use_cache": False})
    assert "grouped_mm" in str(exported.graph)
    found = devproc.compile(exported, cache=False)(ids, use_cache=False)
    model.set_experts_implementation("eager")
    wanted = model.double()(ids, use_cache=False).logits.float()
    torch.testing.assert_close(found.logits, wanted, rtol=1e-5, atol=1e-5)
    model.float().set_experts_implementation("grouped_mm")
    devproc.from_transformers(model, capacity=8, prefill=(2,), cache=False)
    again = torch.export.export(model, (ids,), {"use_cache": False})
    assert "grouped_mm" in str(again.graph)


def test_a_cache_in_int8() -> None:
    """The scores of the next token are close to those with a cache in float32."""
    model = small("Llama", num_hidden_layers=1)
    states: dict[str, set[str]] = {}
    found: dict[str | None, list[int]] = {}
    for dtype in (None, "int8"):
        program = devproc.from_transformers(
            model, capacity=CAPACITY, prefill=(8,), cache_dtype=dtype, cache=False
        )
        found[dtype] = list(program.generate(prompt(), 12).ids)
        states[str(dtype)] = set(program.save_state())
    assert found["int8"] == found[None] == greedy(model, prompt(), 12)
    assert "model.key_scale_0" in states["int8"] - states["None"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cache_dtype": "int4"}, "cache_dtype is 'int4', must be 'int8' or None"),
        ({"cache_dtype": "int8", "dtype": "bfloat16"}, "needs a model in float32"),
    ],
)
def test_dtypes_that_a_cache_cannot_have(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        devproc.from_transformers(small("Llama"), capacity=CAPACITY, **options)


@pytest.fixture(scope="module")
def llama() -> Any:
    return small("Llama")


@pytest.fixture(scope="module")
def shallow() -> Any:
    """One layer, where the number of layers is not the point."""
    return small("Llama", num_hidden_layers=1)


@pytest.fixture(scope="module")
def program(llama: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A program with two sizes of prompts, saved and loaded."""
    path = tmp_path_factory.mktemp("llama") / "llama.devproc"
    given = {"capacity": CAPACITY, "prefill": (4, 9), "cache": False}
    devproc.from_transformers(llama, tokenizer=tokenizer(), **given).save(path)
    return devproc.LanguageModel.load(path)


def tokenizer() -> Any:
    """A tokenizer of single bytes: 301 tokens, of which each non-ASCII letter has two."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: number for number, letter in enumerate(letters)}
    vocabulary |= {f"<{n}>": n for n in range(len(letters), VOCABULARY)}
    found = Tokenizer(models.BPE(vocabulary, []))
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    return found


@pytest.mark.parametrize("count", [1, 2, 4, 5, 9, 13, 27])
def test_prompts_of_all_lengths(program: Any, llama: Any, count: int) -> None:
    ids = prompt(count, count)
    found = program.generate(ids, 6)
    assert list(found.ids) == greedy(llama, ids, 6)
    assert (found.reason, found.prompt_tokens) == ("max_tokens", count)
    assert program.position == count + 5


def test_sequences(program: Any, llama: Any) -> None:
    """Capacity, continuation, rewinding, and prefixes that are read once."""
    ids = prompt(1)
    wanted = greedy(llama, ids, CAPACITY - PROMPT + 1)
    whole = program.generate(ids)
    assert (list(whole.ids), whole.reason) == (wanted, "capacity")
    assert program.position == CAPACITY
    program.rewind(CAPACITY - PROMPT)
    again = program.generate([wanted[0], *prompt(2, 3)], 4, keep=True)
    longer = [*ids, wanted[0], *prompt(2, 3)]
    assert list(again.ids) == greedy(llama, longer, 4)
    program.reset()
    program.read(ids)
    prefix = program.save_state()
    for seed in (3, 4):
        program.load_state(prefix)
        rest = prompt(seed, 5)
        found = program.generate(rest, 5, keep=True)
        assert list(found.ids) == greedy(llama, [*ids, *rest], 5)


def test_stop_token_ends_the_text(shallow: Any) -> None:
    wanted = greedy(shallow, prompt(), 12)
    stop = next(t for n, t in enumerate(wanted) if n > 3 and t not in wanted[:n])
    shallow.generation_config.eos_token_id = [stop, 299]
    try:
        program = devproc.from_transformers(shallow, capacity=32, prefill=(16,))
    finally:
        shallow.generation_config.eos_token_id = None
    found = program.generate(prompt(), 12)
    assert list(found.ids) == wanted[: wanted.index(stop)]
    assert found.reason == "stop"


def test_draws_are_repeatable_and_follow_the_scores(shallow: Any) -> None:
    sampling = {"strategy": "top_k", "k": 3, "temperature": 1.5}
    program = devproc.from_transformers(
        shallow, capacity=CAPACITY, prefill=(16,), sampling=sampling, cache=False
    )
    first, again, other = (
        program.generate(prompt(), 20, seed=s).ids for s in (1, 1, 2)
    )
    assert first == again != other
    ids = prompt()
    for token in first:
        with torch.no_grad():
            scores = shallow(torch.tensor([ids])).logits[0, -1]
        assert token in scores.topk(3).indices
        ids = [*ids, token]


def test_penalties_count_the_prompt_and_what_follows(shallow: Any) -> None:
    given = {"capacity": CAPACITY, "prefill": (5,), "cache": False}
    program = devproc.from_transformers(shallow, sampling={"repetition": 1.8}, **given)
    ids = torch.tensor([prompt()])
    wanted = shallow.generate(
        ids, max_new_tokens=20, do_sample=False, repetition_penalty=1.8
    )[0, PROMPT:].tolist()
    assert wanted != greedy(shallow, prompt(), 20)
    for _ in range(2):
        assert list(program.generate(prompt(), 20).ids) == wanted


def test_draft_changes_no_token(llama: Any, shallow: Any, program: Any) -> None:
    given = {"capacity": CAPACITY, "prefill": (16,)}
    checked = devproc.from_transformers(llama, speculate=3, **given)
    wanted = greedy(llama, prompt(), CAPACITY - PROMPT + 1)
    # The same model is always right, one layer of it seldom.
    for draft in (program, devproc.from_transformers(shallow, **given)):
        for count in (1, 9, None):
            found = checked.generate(prompt(), count, draft=draft)
            assert list(found.ids) == wanted[:count]
    with pytest.raises(InputError, match="compile it with speculate="):
        program.generate(prompt(), draft=checked)
    with pytest.raises(InputError, match="its own draft"):
        checked.generate(prompt(), draft=checked)
    with pytest.raises(InputError, match="the draft has not read"):
        checked.generate(prompt(), draft=program, keep=True)


def test_stream_of_text(program: Any) -> None:
    pieces: list[str] = []
    found = program.generate("Grüße", 20, stream=pieces.append)
    assert "".join(pieces) == found.text
    # A character that is not whole at the end is left out.
    assert program.tokenizer.decode(found.ids).rstrip("�") == found.text.rstrip("�")
    assert found.prompt_tokens == 7
    # A stop text begins in one token and ends in another.
    text = found.text
    cut = text[4:7]
    stopped = program.generate("Grüße", 20, stop=["\x00never", cut])
    assert (stopped.text, stopped.reason) == (text[: text.index(cut)], "stop")


def test_characters_are_not_broken() -> None:
    made = tokenizer()
    pieces: list[str] = []
    stream = TokenStream(made, ["end!"], pieces.append)
    text = "ä€😀 en en"
    for token in made.encode(text).ids:
        assert not stream.add(token)
    assert "�" not in "".join(pieces)
    stream.finish()
    assert "".join(pieces) == stream.text == text


def test_interrupt_leaves_a_sequence_that_continues(program: Any, llama: Any) -> None:
    seen: list[str] = []

    def interrupt(piece: str) -> None:
        seen.append(piece)
        if len(seen) == 3:
            raise KeyboardInterrupt

    ids = prompt(5)
    found = program.generate(ids, 20, stream=interrupt)
    assert found.reason == "interrupted"
    wanted = greedy(llama, ids, len(found.ids) + 1)
    assert list(found.ids) == wanted[:-1]
    assert program.step() == wanted[-1]


def test_threads_generate_one_after_another(program: Any, llama: Any) -> None:
    wanted = {seed: greedy(llama, prompt(seed), 9) for seed in (6, 7, 8)}
    with ThreadPoolExecutor(3) as pool:
        found = dict(
            zip(
                wanted,
                pool.map(lambda s: program.generate(prompt(s), 9).ids, wanted),
                strict=True,
            )
        )
    assert {seed: list(ids) for seed, ids in found.items()} == wanted
    with pytest.raises(BusyError, match="in use by this very thread"):
        program.generate(prompt(), 9, stream=lambda _: program.generate([1], 1))


def test_command(program: Any, tmp_path: Path) -> None:
    program.save(tmp_path / "m.devproc")
    saved = str(tmp_path / "m.devproc")
    result = CliRunner().invoke(main, ["generate", saved, "hello", "-n", "9"])
    assert result.exit_code == 0, result.output
    wanted = program.generate("hello", 9)
    assert result.stdout.rstrip("\n") == (wanted.text or "").rstrip("\n")
    assert "9 tokens (max_tokens)" in result.stderr
    assert "of a bare read" in result.stderr
    ids = ["generate", saved, "5,6,7", "--ids", "-n", "4", "-q"]
    output = CliRunner().invoke(main, ids).stdout
    assert output.strip() == ",".join(map(str, program.generate([5, 6, 7], 4).ids))
    assert CliRunner().invoke(main, ["generate", saved, "a", "--ids"]).exit_code == 2


def test_read_rate_is_that_of_memory() -> None:
    assert 1e8 < read_rate(1, 1 << 22, 3) < 1e13


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.generate([]), "the prompt is empty"),
        (lambda p: p.generate(prompt(0, CAPACITY + 1)), "more than the capacity of 40"),
        (lambda p: p.generate([[1, 2]]), "a list of token ids, got int64 of shape"),
        (lambda p: p.generate([1.5]), "a list of token ids, got float64"),
        (lambda p: p.generate([1], 0), "max_tokens is 0"),
        (lambda p: p.generate([1], seed=3), "chooses the most probable token"),
        (lambda p: p.rewind(CAPACITY + 1), "cannot rewind 41 of"),
        (lambda p: p.load_state({"x": 1}), "states of another program"),
        (lambda p: p.generate([VOCABULARY]), "token 301 .* vocabulary of 301"),
        (lambda p: p.generate([5, -1]), "token -1 .* vocabulary of 301"),
    ],
)
def test_bad_input(program: Any, call: Callable[[Any], object], message: str) -> None:
    program.reset()
    with pytest.raises(InputError, match=message):
        call(program)


def test_models_that_cannot_be_compiled(llama: Any) -> None:
    with pytest.raises(CompileError) as error:
        devproc.from_transformers(llama, capacity=65, prefill=(0,))
    assert "capacity is 65, the model has 64 positions; prefill is (0,)" in str(
        error.value
    )
    with pytest.raises(CompileError, match=r"dtype is 'int8'"):
        devproc.from_transformers(llama, capacity=8, dtype="int8")
    with pytest.raises(CompileError, match=r"cannot read the tokenizer nowhere"):
        devproc.from_transformers(llama, capacity=8, tokenizer="nowhere")
    sizes = SIZES | {"head_dim": 16, "num_local_experts": 2}
    lightning = transformers.MiniMaxForCausalLM(transformers.MiniMaxConfig(**sizes))
    with pytest.raises(UnsupportedError, match="MiniMax uses cache of its own"):
        devproc.from_transformers(lightning, capacity=8, prefill=(2,))
    pipe = devproc.pipeline("other")
    pipe.output("x", pipe.input("x", "float32", (1,)))
    entries = devproc.compile({"one": pipe})
    with pytest.raises(CompileError, match="no language model: it has no token"):
        devproc.LanguageModel(entries)
