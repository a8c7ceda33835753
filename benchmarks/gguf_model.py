"""Files of llama.cpp with random weights; needs the package `gguf`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

GGUF = {"float32": "F32", "bfloat16": "BF16", "int8": "Q8_0", "int4": "Q4_0"}
"""A format of weights -> llama.cpp's."""


def write_gguf(
    shape: Mapping[str, Any], weights: str, capacity: int, path: Path
) -> None:
    """A Llama with random weights of these shapes."""
    gguf: Any = import_module("gguf")
    kind = GGUF[weights]
    dtype = getattr(gguf.GGMLQuantizationType, kind)
    width, inner = shape["hidden_size"], shape["intermediate_size"]
    heads, groups = shape["num_attention_heads"], shape["num_key_value_heads"]
    small = width // heads * groups
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(shape["num_hidden_layers"])
    writer.add_context_length(capacity)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(groups)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(shape["vocab_size"])
    _add_tokens(writer, shape["vocab_size"])
    random = np.random.default_rng(0)

    def add(tensor: str, rows: int, columns: int) -> None:
        values = random.standard_normal((rows, columns), np.float32) * np.float32(0.02)
        given = values if kind == "F32" else gguf.quants.quantize(values, dtype)
        writer.add_tensor(f"{tensor}.weight", given, raw_dtype=dtype)

    ones = np.ones(width, np.float32)
    add("token_embd", shape["vocab_size"], width)
    if not shape["tie_word_embeddings"]:
        add("output", shape["vocab_size"], width)
    writer.add_tensor("output_norm.weight", ones)
    for number in range(shape["num_hidden_layers"]):
        block = f"blk.{number}."
        writer.add_tensor(f"{block}attn_norm.weight", ones)
        writer.add_tensor(f"{block}ffn_norm.weight", ones)
        for part, rows in zip("qkv", (width, small, small), strict=True):
            add(f"{block}attn_{part}", rows, width)
        add(f"{block}attn_output", width, width)
        add(f"{block}ffn_gate", inner, width)
        add(f"{block}ffn_up", inner, width)
        add(f"{block}ffn_down", width, inner)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokens(writer: Any, count: int) -> None:
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*special, *(f"t{i}" for i in range(count - len(special)))])
    writer.add_token_scores([0.0] * count)
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * (count - 259))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
