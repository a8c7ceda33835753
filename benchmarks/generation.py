"""Tokens per second of language models, beside llama.cpp and transformers, in turns.

Models of real shapes with random weights. Each engine is a process of its own, which loads
its file once; then all generate so many tokens in turns, and a bare read of memory takes its
turn too. Writes a table into `benchmarks/RESULTS.md`. The peers are optional: PyPI
`xllamacpp` and `gguf` (say with --peers where they are installed).

    python benchmarks/generation.py [smollm qwen llama] [--weights float32,bfloat16,int8,int4]
        [--threads 1,2] [--rounds 7] [--tokens 24] [--peers FOLDER] [--memory]
        [--capacities]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

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

HEAD = (
    "| model, weights, threads | DevProc, tokens/s | share of a bare read | prompt of "
    f"{PROMPT}, tokens/s | other | tokens/s | prompt | ratio | of prompt |",
    "|---|---|---|---|---|---|---|---|---|",
)


def model_of(name: str, **changes: Any) -> Any:
    """A model with random weights; `changes` are those of its shapes."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    shape = {**SHAPES[name], **changes, **special}
    config = LlamaConfig(max_position_embeddings=8192, **shape)
    return LlamaForCausalLM(config).eval()


def build(name: str, weights: str, threads: int, path: Path) -> None:
    """Compiles a model and saves it."""
    import devproc

    options: dict[str, Any] = {}
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


Turn = Callable[[int], dict[str, float]]
"""Generates so many tokens; tokens per second of the prompt and of what follows."""


def devproc_turns(path: Path) -> tuple[Turn, dict[str, float]]:
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

    figures = {
        "bytes": float(decode.artifact.host.bytes_read),
        "first": cold,
        "prompt": first.prompt_seconds,
    }
    return turn, figures


def llama_cpp_turns(path: Path, threads: int) -> tuple[Turn, dict[str, float]]:
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
    name: str, weights: str, threads: int
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


def _prompt() -> list[int]:
    return np.random.default_rng(0).integers(300, 30000, PROMPT).tolist()


def work(given: argparse.Namespace) -> None:
    """A process of one engine: a turn for each line of its standard input."""
    match given.engine:
        case "build":
            build(given.models[0], given.weights, int(given.threads), given.file)
            return
        case "devproc":
            turn, figures = devproc_turns(given.file)
        case "llama.cpp":
            turn, figures = llama_cpp_turns(given.file, int(given.threads))
        case _:
            turn, figures = transformers_turns(
                given.models[0], given.weights, int(given.threads)
            )
    print("READY", json.dumps(figures), flush=True)
    for line in sys.stdin:
        print("TURN", json.dumps(turn(int(line))), flush=True)
    # llama.cpp's threads outlive its server.
    os._exit(0)


class Engine:
    """A process of one engine."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str]):
        self._process = subprocess.Popen(
            [sys.executable, __file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.figures = self._answer("READY")

    def turn(self, tokens: int) -> dict[str, float]:
        """One turn; raises RuntimeError if the process ended."""
        assert self._process.stdin is not None
        print(tokens, file=self._process.stdin, flush=True)
        return self._answer("TURN")

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self, word: str) -> dict[str, float]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(word):
                return json.loads(line.removeprefix(word))
        raise RuntimeError(f"{self._process.args} ended")


def measure(
    name: str, weights: str, threads: int, given: argparse.Namespace, folder: Path
) -> str:
    """A row of the table."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    if given.peers is not None:
        environment["PYTHONPATH"] = f"{given.peers}:{environment.get('PYTHONPATH', '')}"
    program = folder / f"{name}-{weights}-{threads}.devproc"
    common = [name, "--weights", weights, "--threads", str(threads)]
    subprocess.run(
        [sys.executable, __file__, *common, "--engine", "build", "--file", program],
        check=True,
        env=environment,
    )
    engines = {"devproc": Engine([*common, "--engine", "devproc", "--file", str(program)], environment)}  # fmt: skip
    if given.peers is not None:
        file = folder / f"{name}-{weights}.gguf"
        if not file.is_file():
            from gguf_model import write_gguf

            write_gguf(SHAPES[name], weights, CAPACITY, file)
        engines["llama.cpp"] = Engine(
            [*common, "--engine", "llama.cpp", "--file", str(file)], environment
        )
    if weights in ("float32", "bfloat16"):
        engines["transformers"] = Engine([*common, "--engine", "transformers"], environment)  # fmt: skip
    turns: dict[str, list[dict[str, float]]] = {key: [] for key in engines}
    for number in range(given.rounds + 1):
        for key, engine in engines.items():
            found = engine.turn(given.tokens)
            if number:  # the first turn warms up
                turns[key].append(found)
    figures = engines["devproc"].figures
    for engine in engines.values():
        engine.close()
    program.unlink()
    return _row(f"{name}, {weights}, {threads}", turns, figures["bytes"])


def _row(what: str, turns: dict[str, list[dict[str, float]]], byte_count: float) -> str:
    def middle(key: str, figure: str) -> float:
        return statistics.median(turn[figure] for turn in turns[key])

    ours, *others = turns
    best = max(others, key=lambda key: middle(key, "decode"), default=None)
    shares = [t["decode"] * byte_count / t["read"] for t in turns[ours]]
    cells = [
        what,
        f"{middle(ours, 'decode'):.1f}",
        f"{statistics.median(shares):.2f}",
        f"{middle(ours, 'prompt'):.0f}",
    ]
    if best is None:
        return f"| {' | '.join([*cells, *['-'] * 5])} |"
    ratios = [
        statistics.median(
            a[figure] / b[figure] for a, b in zip(turns[ours], turns[best], strict=True)
        )
        for figure in ("decode", "prompt")
    ]
    cells += [best, f"{middle(best, 'decode'):.1f}", f"{middle(best, 'prompt'):.0f}"]
    return f"| {' | '.join([*cells, *(f'{ratio:.2f}' for ratio in ratios)])} |"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(SHAPES))
    parser.add_argument("--weights", default="float32,bfloat16,int8,int4")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--memory", action="store_true", help="memory, first token")
    parser.add_argument("--capacities", action="store_true", help="unused capacity")
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.engine is not None:
        work(given)
        return
    from results import write_section

    if given.memory or given.capacities:
        _costs(given, write_section)
        return
    if given.peers is not None:
        sys.path.insert(0, str(given.peers))

    lines = list(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for name in given.models:
            for weights in given.weights.split(","):
                for threads in map(int, given.threads.split(",")):
                    row = measure(name, weights, threads, given, Path(folder))
                    print(row, flush=True)
                    lines.append(row)
    write_section("Generation", "python benchmarks/generation.py", lines)


def _costs(given: argparse.Namespace, write_section: Callable[..., None]) -> None:
    """The sections of `generation_costs`."""
    import generation_costs as costs

    command = "python benchmarks/generation.py"
    if given.memory:
        lines = list(costs.MEMORY_HEAD)
        with tempfile.TemporaryDirectory() as folder:
            for name in given.models:
                for weights in given.weights.split(","):
                    path = Path(folder) / "program.devproc"
                    options = [name, "--weights", weights, "--threads", "1"]
                    options += ["--engine", "build", "--file", str(path)]
                    subprocess.run([sys.executable, __file__, *options], check=True)
                    lines.append(costs.memory_row(f"{name}, {weights}", path))
                    print(lines[-1], flush=True)
        write_section("Memory of generation", f"{command} --memory", lines)
    if given.capacities:
        shallow = {"num_hidden_layers": 4, "vocab_size": 1000}
        rows = costs.capacity_rows(model_of("smollm", **shallow), given.rounds)
        print("\n".join(rows), flush=True)
        lines = [*costs.CAPACITY_HEAD, *rows]
        write_section("Unused capacity", f"{command} --capacities", lines)


if __name__ == "__main__":
    main()
