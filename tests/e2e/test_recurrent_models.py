"""Language models with recurrent states: tokens equal to transformers' `generate`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch.nn import functional

import devproc
from devproc.errors import (
    CompileError,
    GenerationError,
    InputError,
    UnsupportedError,
)
from devproc.frontends.transformers.decoder import Decoder
from tests.sweeps import sampled

VOCABULARY, CAPACITY, COUNT = 301, 104, 32
ATTENTION: dict[str, Any] = {
    **{"intermediate_size": 80, "num_attention_heads": 4, "num_key_value_heads": 2},
    "max_position_embeddings": 128,
}
LINEAR = {"layer_types": ["linear_attention", "full_attention"]}
DELTA_RULE: dict[str, Any] = {
    **{"linear_num_key_heads": 2, "linear_num_value_heads": 4},
    **{"linear_key_head_dim": 10, "linear_value_head_dim": 12},
}
MAMBA: dict[str, Any] = {
    **{"num_hidden_layers": 1, "state_size": 5, "intermediate_size": 70},
    "time_step_rank": 3,
}
MAMBA2: dict[str, Any] = {
    **{"mamba_n_heads": 6, "mamba_d_head": 16, "mamba_n_groups": 2},
    **{"mamba_d_state": 6, "mamba_chunk_size": 8},
}
FAMILIES: dict[str, dict[str, Any]] = {
    "Mamba": MAMBA,
    "FalconMamba": MAMBA,
    "Mamba2": {
        **{"num_hidden_layers": 1, "state_size": 6, "num_heads": 6, "head_dim": 16},
        **{"n_groups": 2, "chunk_size": 8},
    },
    "Lfm2": {
        **ATTENTION,
        **{"layer_types": ["conv", "full_attention"]},
        "block_auto_adjust_ff_dim": False,
    },
    "GraniteMoeHybrid": {
        **ATTENTION,
        **MAMBA2,
        **{"layer_types": ["mamba", "attention"], "num_local_experts": 0},
        "shared_intermediate_size": 56,
    },
    "Qwen3Next": {
        **ATTENTION,
        **LINEAR,
        **DELTA_RULE,
        **{"head_dim": 16, "num_experts": 4, "num_experts_per_tok": 2},
        **{"moe_intermediate_size": 20, "shared_expert_intermediate_size": 24},
    },
    "Jamba": {
        **ATTENTION,
        **{"attn_layer_offset": 1, "attn_layer_period": 2, "num_experts": 3},
        **{"expert_layer_period": 2, "expert_layer_offset": 1},
        **{"mamba_d_state": 5, "mamba_dt_rank": 3},
    },
    # States and keys and values in one layer.
    "FalconH1": {**ATTENTION, **MAMBA2, "mamba_d_ssm": 96, "num_hidden_layers": 1},
    # A decay for each channel, and a layer with several states.
    "KimiLinear": {
        **ATTENTION,
        **LINEAR,
        **{"num_key_value_heads": 4, "kv_lora_rank": 16, "qk_rope_head_dim": 8},
        **{"qk_nope_head_dim": 12, "v_head_dim": 12, "num_local_experts": 4},
        **{"num_experts_per_tok": 2, "moe_intermediate_size": 20},
        **{"linear_head_dim": 10, "linear_num_heads": 4},
        "mlp_layer_types": ["dense", "dense"],
    },
    # A layer that caches nothing.
    "NemotronH": {
        **ATTENTION,
        **{"hybrid_override_pattern": "M*-", "num_hidden_layers": 3, "head_dim": 12},
        **{"mamba_num_heads": 6, "mamba_head_dim": 16, "n_groups": 2},
        **{"ssm_state_size": 6, "chunk_size": 8},
    },
}


@cache
def small(kind: str, **changes: int) -> Any:
    """A model of this kind with random weights."""
    torch.manual_seed(0)
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 48, "num_hidden_layers": 2}
    tokens = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id"))
    config = getattr(transformers, f"{kind}Config")(
        **{**sizes, **tokens, **FAMILIES[kind], **changes}
    )
    # Unscaled logits of random weights would leave ties to rounding.
    config.initializer_range = 0.2
    model = transformers.AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        # Mamba repeats the last token with the weights that it begins with.
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model.eval()


def greedy(kind: str, ids: list[int], count: int) -> list[int]:
    """The tokens of transformers' `generate`."""
    options: dict[str, Any] = {"max_new_tokens": count, "do_sample": False}
    return small(kind).generate(torch.tensor([ids]), **options)[0, len(ids) :].tolist()


def prompt(count: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(3, VOCABULARY, count).tolist()


@cache
def compiled(kind: str, **options: Any) -> Any:
    """The program of a model; whoever uses it begins a new sequence."""
    given = {"capacity": CAPACITY, "prefill": (16,), "cache": False} | options
    return devproc.from_transformers(small(kind), **given)


@pytest.mark.parametrize(
    "kind",
    sampled(FAMILIES, str, "Mamba", "Mamba2", "Lfm2", "Qwen3Next", "Jamba"),
)
def test_greedy_tokens_of_transformers(kind: str) -> None:
    """A prompt is read by sixteens, which continue each other, and token by token."""
    program, seen = compiled(kind), set[int]()
    for count in (1, 2, 15, 16, 17, 40, 70):
        ids = prompt(count, count)
        found, wanted = program.generate(ids, COUNT), greedy(kind, ids, COUNT)
        assert list(found.ids) == wanted, count
        seen |= {*wanted}
        assert program.position == count + COUNT - 1
    assert len(seen) > 40


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Mamba, saved and loaded."""
    path = tmp_path_factory.mktemp("mamba") / "mamba.devproc"
    compiled("Mamba").save(path)
    return devproc.LanguageModel.load(path)


def test_states_are_saved_and_restored(program: Any) -> None:
    ids = prompt(19)
    program.reset()
    program.read(ids[:7])
    program.read(ids[7:])
    prefix = program.save_state()
    assert prefix["model.recurrent_0_0"].shape == (1, 70, 5)
    assert prefix["model.conv_0_0"].any()
    for seed in (1, 2):
        program.load_state(prefix)
        rest = prompt(18, seed)
        found = program.generate(rest, 9, keep=True)
        assert list(found.ids) == greedy("Mamba", [*ids, *rest], 9)
    program.reset()
    assert not any(value.any() for value in program.save_state().values())


def test_streams_and_slides(program: Any) -> None:
    seen: list[int] = []
    found = program.generate(prompt(17), 12, stream=seen.append)
    assert seen == list(found.ids) == greedy("Mamba", prompt(17), 12)
    ids = prompt(CAPACITY - 2)
    found = program.generate(ids, 6, slide=50)
    first = greedy("Mamba", ids, 3)
    assert list(found.ids[:3]) == first
    assert list(found.ids[3:]) == greedy("Mamba", [*ids, *first][50:], 3)


def test_a_failed_call_leaves_a_sequence(program: Any) -> None:
    """A prompt is taken back whole; after a step the sequence begins anew."""
    program.reset()
    program.read(prompt(5))
    states = program.save_state()
    broken = {k: v * np.nan if "recurrent" in k else v for k, v in states.items()}
    program.load_state(broken)
    for count in (16, 2):
        with pytest.raises(GenerationError, match="the states are as before this call"):
            program.read(prompt(count))
        assert program.position == 5
    with pytest.raises(GenerationError, match=r"position 5.*begins anew, as its recur"):
        program.step()
    assert program.position == 0
    assert list(program.generate(prompt(3), 4).ids) == greedy("Mamba", prompt(3), 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.rewind(1), "'model.conv_0_0' and other recurrent states hold all"),
        (lambda p: p.generate([1], 2, draft=p), "the model and the draft must take back"),
        (lambda p: p.generate(prompt(CAPACITY + 1)), "more than the capacity of 104"),
        (lambda p: p.load_state({}), "states of another program"),
    ],
)  # fmt: skip
def test_bad_input(program: Any, call: Callable[[Any], object], message: str) -> None:
    program.reset()
    program.read([5, 6])
    program.rewind(0)
    with pytest.raises(InputError, match=message):
        call(program)


@pytest.mark.parametrize("kind", ["Mamba", "FalconH1"])
def test_sequences(kind: str) -> None:
    """Each prompt is continued as if it were alone, also in a sequence that is used
    again."""
    program = compiled(kind, sequences=3)
    prompts = [prompt(count, count) for count in (1, 17, 40, 2, 33)]
    for given in (prompts, prompts[::-1]):
        found = program.generate_all(given, 12)
        assert [list(g.ids) for g in found] == [greedy(kind, p, 12) for p in given]


def test_kernels_of_a_gpu() -> None:
    program = compiled("Mamba2", target="cuda:interpret")
    found = program.generate(prompt(18), 4)
    assert list(found.ids) == greedy("Mamba2", prompt(18), 4)


def test_draws_among_allowed_tokens() -> None:
    sampling = {"strategy": "top_k", "k": 5, "temperature": 2.0}
    given: dict[str, Any] = {"capacity": CAPACITY, "prefill": (16,), "cache": False}
    program = devproc.from_transformers(
        small("Mamba2"), sampling=sampling, constrained=True, **given
    )
    allowed = prompt(40, seed=9)
    first, again, other = (
        program.generate(prompt(18), 20, seed=seed, allowed=allowed).ids
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert set(first) <= set(allowed)


def test_int8_weights() -> None:
    """The probabilities of next tokens, beside those of the weights in float32."""
    model = small("Lfm2", hidden_size=96, intermediate_size=192)
    decoder = Decoder(model.requires_grad_(False), CAPACITY).eval()
    exported = torch.export.export(decoder, (torch.tensor([[1]]),))
    program = devproc.compile(exported, weights="int8", cache=False)
    ids = torch.tensor([prompt(25)])
    rows = [program(token.reshape(1, 1)) for token in ids[0]]
    found = torch.cat(rows).double().log_softmax(-1)
    with torch.no_grad():
        wanted = model(ids).logits[0].double().log_softmax(-1)
    options: dict[str, Any] = {"log_target": True, "reduction": "batchmean"}
    assert 1e-7 < functional.kl_div(found, wanted, **options) < 0.02


def test_models_that_cannot_be_compiled() -> None:
    with pytest.raises(CompileError, match=r"speculate: .* states \('conv_0_0'\)"):
        compiled("Mamba2", speculate=3)
    with pytest.raises(CompileError, match="cache_dtype='int8' is for keys and values"):
        compiled("Mamba2", cache_dtype="int8")
    sizes = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2}
    config = transformers.RwkvConfig(**sizes, attention_hidden_size=16)
    rwkv = transformers.RwkvForCausalLM(config)
    with pytest.raises(UnsupportedError, match=r"no cache.*in a list \(RWKV\)"):
        devproc.from_transformers(rwkv, capacity=8)
