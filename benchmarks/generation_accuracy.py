"""How far stored weights move a language model: divergence and perplexity on real text.

A Llama of some millions of parameters is trained on Python's own documentation. Then it reads
a part that it has not seen, one token per call, with its weights in each format, by DevProc
and, with --peers, by llama.cpp (PyPI `xllamacpp` and `gguf`). The reference is PyTorch in
float64. Embeddings stay float32. Writes a table into `benchmarks/RESULTS.md`.

    python benchmarks/generation_accuracy.py [--steps 100] [--tokens 200] [--peers FOLDER]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

SIZES: dict[str, Any] = {
    "hidden_size": 256,
    "intermediate_size": 768,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
    "tie_word_embeddings": False,
}
FORMATS = {"float32": "F32", "int8": "Q8_0", "int4": "Q4_0"}
"""A format of weights -> llama.cpp's."""

RUNS = ("float32", "int8", "int8/fast", "int4", "int4/fast")
"""DevProc's formats, some with `precision="fast"`; after those without, llama.cpp's."""

HEAD = (
    "| weights | engine | KL per token | perplexity | change |",
    "|---|---|---|---|---|",
)


def trained(steps: int, tokens: int) -> tuple[Any, torch.Tensor]:
    """A model, and tokens that it has not seen."""
    from examples.generate import train, train_tokenizer

    text = "\n".join(topics[name] for name in sorted(topics))
    ids = torch.tensor(train_tokenizer(text).encode(text).ids)
    return train(ids[:-tokens], steps, **SIZES), ids[-tokens:]


def reference_scores(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """The logarithms of the probabilities after each token but the last, in float64."""
    with torch.no_grad():
        scores = model.double()(input_ids=ids[None, :-1]).logits[0]
    model.float()
    return scores.log_softmax(-1)


def devproc_scores(model: Any, ids: torch.Tensor, weights: str) -> torch.Tensor:
    """Those of DevProc; a precision may follow the format of weights."""
    import devproc
    from devproc.frontends.transformers.decoder import Decoder

    decoder = Decoder(model.requires_grad_(False), len(ids)).eval()
    exported = torch.export.export(decoder, (ids[None, :1],))
    stored, _, precision = weights.partition("/")
    stored = "original" if stored == "float32" else stored
    program = devproc.compile(
        exported, weights=stored, precision=precision or "default"
    )
    rows = [program(token.reshape(1, 1)) for token in ids[:-1]]
    return torch.cat(rows).double().log_softmax(-1)


def llama_cpp_scores(model: Any, ids: torch.Tensor, weights: str) -> torch.Tensor:
    """Those of llama.cpp: the probabilities of one token after each beginning."""
    xllamacpp: Any = import_module("xllamacpp")
    vocabulary = int(model.config.vocab_size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        write_gguf(model, FORMATS[weights], path)
        given: Any = xllamacpp.CommonParams()
        given.model.path = str(path)
        given.n_ctx, given.n_parallel, given.n_gpu_layers = len(ids) + 8, 1, 0
        given.verbosity = 0
        server: Any = xllamacpp.Server(given)
    rows = torch.full((len(ids) - 1, vocabulary), -torch.inf, dtype=torch.float64)
    for row, end in zip(rows, range(1, len(ids)), strict=True):
        request = {
            "prompt": ids[:end].tolist(),
            "n_predict": 1,
            "n_probs": vocabulary,
            "cache_prompt": True,
            "temperature": 0.0,
        }
        result = server.handle_completions(request)
        result = result if isinstance(result, dict) else json.loads(result)
        (chosen,) = result["choices"][0]["logprobs"]["content"]
        for found in chosen["top_logprobs"]:
            row[found["id"]] = found["logprob"]
    return rows.log_softmax(-1)


def write_gguf(model: Any, kind: str, path: Path) -> None:
    """The model as a file of llama.cpp, its matrices in this format."""
    gguf: Any = import_module("gguf")
    config, dtype = model.config, getattr(gguf.GGMLQuantizationType, kind)
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(groups)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.hidden_size // heads)
    writer.add_vocab_size(config.vocab_size)
    # Only tokens with a text of their own have probabilities. Token 0 is never predicted.
    names = ["</s>", *(f"t{i}" for i in range(1, config.vocab_size))]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(names)
    writer.add_token_scores([0.0] * len(names))
    writer.add_token_types([3] + [1] * (len(names) - 1))
    for add in (writer.add_bos_token_id, writer.add_eos_token_id):
        add(0)
    for name, weight in named_weights(model.state_dict(), heads, groups).items():
        is_matrix = weight.ndim == 2 and name != "token_embd"
        if is_matrix and kind != "F32":
            stored = gguf.quants.quantize(weight, dtype)
            writer.add_tensor(f"{name}.weight", stored, raw_dtype=dtype)
        else:
            writer.add_tensor(f"{name}.weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


PARTS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
"""Parts of a layer -> llama.cpp's."""


def named_weights(
    weights: dict[str, torch.Tensor], heads: int, groups: int
) -> dict[str, np.ndarray]:
    """The weights by llama.cpp's names, which rotates adjacent elements of a head."""
    found: dict[str, np.ndarray] = {}
    for name, weight in weights.items():
        array: Any = weight.float().numpy()
        names = {
            "model.embed_tokens.weight": "token_embd",
            "model.norm.weight": "output_norm",
            "lm_head.weight": "output",
        }
        if name in names:
            found[names[name]] = array
            continue
        _, _, number, part = name.removesuffix(".weight").split(".", 3)
        for inner, count in (("q_proj", heads), ("k_proj", groups)):
            if part.endswith(inner):
                halves = array.reshape(count, 2, -1, array.shape[1])
                array = halves.swapaxes(1, 2).reshape(array.shape)
        found[f"blk.{number}.{PARTS[part]}"] = np.ascontiguousarray(array)
    return found


def row_of(
    weights: str,
    engine: str,
    found: torch.Tensor,
    wanted: torch.Tensor,
    ids: torch.Tensor,
) -> str:
    """A line of the table."""
    divergence = F.kl_div(found, wanted, log_target=True, reduction="batchmean")
    own, true = (float(F.nll_loss(scores, ids[1:]).exp()) for scores in (found, wanted))
    change = 100 * (own / true - 1)
    return f"| {weights} | {engine} | {divergence:.2e} | {own:.4f} | {change:+.3f} % |"


def main() -> None:
    """Trains, reads with each engine, writes the table."""
    from results import write_section

    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--peers", type=Path)
    given = parser.parse_args()
    if given.peers is not None:
        sys.path.insert(0, str(given.peers))
    model, ids = trained(given.steps, given.tokens)
    wanted = reference_scores(model, ids)
    lines: list[str] = list(HEAD)
    for weights in RUNS:
        found = devproc_scores(model, ids, weights)
        lines.append(row_of(weights, "DevProc", found, wanted, ids))
        if given.peers is not None and weights in FORMATS:
            found = llama_cpp_scores(model, ids, weights)
            lines.append(row_of(weights, "llama.cpp", found, wanted, ids))
    command = f"python benchmarks/generation_accuracy.py --steps {given.steps}"
    command += f" --tokens {given.tokens}"
    command += "" if given.peers is None else " --peers FOLDER"
    write_section("Accuracy of language models with stored weights", command, lines)


if __name__ == "__main__":
    main()
