"""Engines that generate text, with random weights of real shapes: DevProc and its peers.

Each has a function that builds its file and one that gives its turns. The peers are optional
and from PyPI: `xllamacpp` and `gguf`; `onnxruntime-genai`, `onnx-ir` and what it asks for;
`openvino-genai` with `optimum-intel` and `nncf`, which ask for `transformers` before 5.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

CAPACITY, PROMPT = 1024, 128
SHAPES: dict[str, dict[str, Any]] = {
    "smollm": {
        "hidden_size": 576,
        "intermediate_size": 1536,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "vocab_size": 49152,
        "tie_word_embeddings": True,
    },
    "qwen": {
        "hidden_size": 896,
        "intermediate_size": 4864,
        "num_hidden_layers": 24,
        "num_attention_heads": 14,
        "num_key_value_heads": 2,
        "vocab_size": 151936,
        "tie_word_embeddings": True,
    },
    "llama": {
        "hidden_size": 2048,
        "intermediate_size": 5632,
        "num_hidden_layers": 22,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
        "vocab_size": 32000,
        "tie_word_embeddings": False,
    },
}
"""SmolLM-135M, Qwen2-0.5B and TinyLlama-1.1B."""

BYTES = {
    **{"float32": 4.0, "float24": 3 + 4 / 64, "bfloat16": 2.0},
    **{"int8": 34 / 32, "int4": 18 / 32},
}
"""A format of weights -> bytes of one, of the 16-bit scales of groups of 32 too."""

GGUF = {"float32": "F32", "bfloat16": "BF16", "int8": "Q8_0", "int4": "Q4_0"}
"""A format of weights -> llama.cpp's."""


def bytes_per_token(name: str, weights: str) -> float:
    """The bytes of the weights that a token multiplies, each read once: the matrices of all
    layers, and that of the scores. Of the table of embeddings only a row is read.
    """
    shape = SHAPES[name]
    width, inner = shape["hidden_size"], shape["intermediate_size"]
    groups = shape["num_key_value_heads"] / shape["num_attention_heads"]
    layer = width * width * (2 + 2 * groups) + 3 * width * inner
    count = shape["num_hidden_layers"] * layer + shape["vocab_size"] * width
    return count * BYTES[weights]


def model_of(name: str, **changes: Any) -> Any:
    """A model with random weights; `changes` are those of its shapes."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    shape = {**SHAPES[name], **changes, **special}
    config = LlamaConfig(max_position_embeddings=8192, **shape)
    return LlamaForCausalLM(config).eval()


def write_devproc(name: str, weights: str, path: Path, threads: int) -> None:
    """Compiles a model and saves it; a precision may follow the weights: int8/fast."""
    import devproc

    weights, _, precision = weights.partition("/")
    options: dict[str, Any] = {"precision": precision or "default"}
    # Models in float32 have the default of `from_transformers`.
    if weights not in ("float32", "bfloat16"):
        options["weights"] = weights
    dtype = weights if weights == "bfloat16" else "float32"
    devproc.from_transformers(
        model_of(name),
        capacity=CAPACITY,
        prefill=(16, PROMPT),
        dtype=dtype,
        threads=threads,
        **options,
    ).save(path)


def write_gguf(name: str, weights: str, path: Path, _threads: int) -> None:
    """A file of llama.cpp with random weights of the same shapes."""
    gguf: Any = import_module("gguf")
    shape, kind = SHAPES[name], GGUF[weights]
    dtype = getattr(gguf.GGMLQuantizationType, kind)
    width, inner = shape["hidden_size"], shape["intermediate_size"]
    heads, groups = shape["num_attention_heads"], shape["num_key_value_heads"]
    small = width // heads * groups
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(shape["num_hidden_layers"])
    writer.add_context_length(CAPACITY)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(groups)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(shape["vocab_size"])
    add_tokens(writer, shape["vocab_size"])
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


def add_tokens(writer: Any, count: int) -> None:
    """The vocabulary of llama.cpp's file: bytes, and names for the others."""
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*special, *(f"t{i}" for i in range(count - len(special)))])
    writer.add_token_scores([0.0] * count)
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * (count - 259))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)


Turn = Callable[[int], dict[str, float]]
"""Generates so many tokens; tokens per second of the prompt and of what follows."""


def devproc_turns(
    _name: str, _weights: str, path: Path, _threads: int
) -> tuple[Turn, dict[str, float]]:
    """Turns of a saved program, and its figures."""
    import devproc
    from devproc.runtime.read_rate import read_rate

    started = time.perf_counter()
    model = devproc.LanguageModel.load(path, verify=False)
    first = model.generate(_prompt(), 1)
    cold = time.perf_counter() - started
    decode = model.entries["decode"]

    def turn(tokens: int) -> dict[str, float]:
        found = model.generate(_prompt(), tokens)
        return {
            "decode": found.tokens_per_second,
            "prompt": PROMPT / found.prompt_seconds,
            "read": read_rate(decode.artifact.threads, repeats=3),
        }

    figures = {"first": cold, "prompt": first.prompt_seconds}
    return turn, figures


def llama_cpp_turns(
    _name: str, _weights: str, path: Path, threads: int
) -> tuple[Turn, dict[str, float]]:
    """Turns of llama.cpp."""
    xllamacpp: Any = import_module("xllamacpp")
    given: Any = xllamacpp.CommonParams()
    given.model.path = str(path)
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
    given.n_ctx, given.n_parallel, given.n_gpu_layers = CAPACITY, 1, 0
    given.warmup, given.verbosity = True, 0
    server: Any = xllamacpp.Server(given)

    def turn(tokens: int) -> dict[str, float]:
        request = {
            "prompt": _prompt(),
            "n_predict": tokens,
            "ignore_eos": True,
            "cache_prompt": False,
            "temperature": 0.0,
            "samplers": ["temperature"],
        }
        result = server.handle_completions(request)
        result = result if isinstance(result, dict) else json.loads(result)
        timings: Any = result["timings"]
        return {
            "decode": timings["predicted_per_second"],
            "prompt": timings["prompt_per_second"],
        }

    return turn, {}


def transformers_turns(
    name: str, weights: str, _path: Path, threads: int
) -> tuple[Turn, dict[str, float]]:
    """Turns of transformers with a static cache, eager."""
    import torch

    torch.set_num_threads(threads)
    model = model_of(name).to(getattr(torch, weights))
    ids = torch.tensor([_prompt()])

    def turn(tokens: int) -> dict[str, float]:
        with torch.no_grad():
            begin = time.perf_counter()
            model.generate(ids, max_new_tokens=1, do_sample=False)
            first = time.perf_counter()
            model.generate(ids, max_new_tokens=tokens, do_sample=False)
            end = time.perf_counter()
        rest = (end - first) - (first - begin)
        return {
            "decode": (tokens - 1) / max(rest, 1e-9),
            "prompt": PROMPT / (first - begin),
        }

    return turn, {}


def _write_folder(name: str, folder: Path) -> None:
    """A model as transformers saves it, with a tokenizer, for exporters of the peers."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    model = model_of(name)
    model.config.bos_token_id, model.config.eos_token_id = 1, 2
    model.generation_config.bos_token_id = 1
    model.generation_config.eos_token_id = 2
    model.save_pretrained(folder)
    words = {f"t{i}": i for i in range(SHAPES[name]["vocab_size"])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="t0"))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="t0").save_pretrained(
        folder
    )


def write_onnx(name: str, weights: str, path: Path, _threads: int) -> None:
    """A folder of ONNX Runtime GenAI, by its model builder."""
    source = path.with_suffix(".hf")
    _write_folder(name, source)
    precision = {"float32": "fp32", "int4": "int4"}[weights]
    command = [sys.executable, "-m", "onnxruntime_genai.models.builder"]
    command += ["-i", str(source), "-o", str(path), "-p", precision, "-e", "cpu"]
    subprocess.run(command, check=True)


def onnx_turns(
    _name: str, _weights: str, path: Path, threads: int
) -> tuple[Turn, dict[str, float]]:
    """Turns of ONNX Runtime GenAI."""
    genai: Any = import_module("onnxruntime_genai")
    config: Any = genai.Config(str(path))
    options = {"intra_op_num_threads": threads}
    config.overlay(json.dumps({"model": {"decoder": {"session_options": options}}}))
    model: Any = genai.Model(config)

    def turn(tokens: int) -> dict[str, float]:
        parameters: Any = genai.GeneratorParams(model)
        length = PROMPT + tokens
        parameters.set_search_options(
            max_length=length, min_length=length, do_sample=False
        )
        generator: Any = genai.Generator(model, parameters)
        begin = time.perf_counter()
        generator.append_tokens(np.array([_prompt()], np.int32))
        generator.generate_next_token()
        first = time.perf_counter()
        for _ in range(tokens - 1):
            generator.generate_next_token()
        rest = time.perf_counter() - first
        return {"decode": (tokens - 1) / rest, "prompt": PROMPT / (first - begin)}

    return turn, {}


def write_openvino(name: str, weights: str, path: Path, _threads: int) -> None:
    """A folder of OpenVINO GenAI, by optimum's exporter."""
    exporter: Any = import_module("optimum.exporters.openvino")
    intel: Any = import_module("optimum.intel")
    tokenizers: Any = import_module("openvino_tokenizers")
    openvino: Any = import_module("openvino")
    from transformers import AutoTokenizer

    source = path.with_suffix(".hf")
    _write_folder(name, source)
    bits = {"int8": 8, "int4": 4}.get(weights)
    config = None
    if bits is not None:
        group = {"group_size": 32} if bits == 4 else {}
        quantized = intel.OVWeightQuantizationConfig(bits=bits, sym=True, **group)
        config = intel.OVConfig(quantization_config=quantized)
    task = "text-generation-with-past"
    exporter.main_export(str(source), str(path), task=task, ov_config=config)
    tokenizer = AutoTokenizer.from_pretrained(source)
    both: Any = tokenizers.convert_tokenizer(tokenizer, with_detokenizer=True)
    for part, file in zip(both, ("tokenizer", "detokenizer"), strict=True):
        openvino.save_model(part, path / f"openvino_{file}.xml")


def openvino_turns(
    _name: str, weights: str, path: Path, threads: int
) -> tuple[Turn, dict[str, float]]:
    """Turns of OpenVINO GenAI. Integers and bfloat16 compute as it chooses."""
    genai: Any = import_module("openvino_genai")
    openvino: Any = import_module("openvino")
    options: dict[str, Any] = {"INFERENCE_NUM_THREADS": threads}
    if weights == "float32":
        options["INFERENCE_PRECISION_HINT"] = "f32"
        options["KV_CACHE_PRECISION"] = "f32"
    # Otherwise the second turn would find its prompt read already.
    scheduler: Any = genai.SchedulerConfig()
    scheduler.enable_prefix_caching = False
    pipeline: Any = genai.LLMPipeline(
        str(path), "CPU", scheduler_config=scheduler, **options
    )
    ids = np.array([_prompt()], np.int64)
    given: Any = genai.TokenizedInputs(
        openvino.Tensor(ids), openvino.Tensor(np.ones_like(ids))
    )

    def turn(tokens: int) -> dict[str, float]:
        config: Any = genai.GenerationConfig(
            max_new_tokens=tokens, min_new_tokens=tokens, ignore_eos=True
        )
        metrics: Any = pipeline.generate(given, config).perf_metrics
        return {
            "decode": 1e3 / metrics.get_tpot().mean,
            "prompt": PROMPT / (metrics.get_ttft().mean / 1e3),
        }

    return turn, {}


def _prompt() -> list[int]:
    return np.random.default_rng(0).integers(300, 30000, PROMPT).tolist()


@dataclass(frozen=True)
class Engine:
    """How the file of an engine is written, how its turns are taken, and in which formats."""

    write: Callable[[str, str, Path, int], None] | None
    turns: Callable[[str, str, Path, int], tuple[Turn, dict[str, float]]]
    weights: tuple[str, ...] = tuple(GGUF)


ENGINES = {
    "DevProc": Engine(write_devproc, devproc_turns),
    "llama.cpp": Engine(write_gguf, llama_cpp_turns),
    "OpenVINO GenAI": Engine(
        write_openvino, openvino_turns, ("float32", "int8", "int4")
    ),
    "ONNX Runtime GenAI": Engine(write_onnx, onnx_turns, ("float32", "int4")),
    "transformers": Engine(None, transformers_turns, ("float32", "bfloat16")),
}
"""The first one is measured against the others."""
