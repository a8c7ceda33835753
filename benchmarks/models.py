"""Latency of whole models beside ONNX Runtime, OpenVINO and torch.compile, in one run.

    python benchmarks/models.py [resnet18 bert_base@4x128 ...] [--threads 1 2]
        [--variants] [--write]

The models are those of `bench/models.py` in the folder `shared` beside this repository;
`--variants` takes other batches and lengths (see `model_variants.py`). Engines are timed in
turns (`engines.py`), ours with `precision` default and fast.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from engines import OTHERS, OURS, Row, best_other, measure, ratio
from results import write_section

MODELS = Path(__file__).parent / "model_variants.py"
FAST = f"{OURS}-fast"
GOALS = {
    "mlp": (0.70, 0.70),
    "resnet18": (0.56, 0.55),
    "resnet50": (0.82, 0.80),
    "mobilenet_v2": (0.88, 0.88),
    "bert_base": (0.92, 0.86),
    "vit_b16": (0.92, 0.86),
    "gpt2": (0.92, 0.88),
    "llama_small": (0.92, 0.88),
}
"""Model -> wanted ratio to the best other engine, by default and with "fast"."""

VARIANTS = (
    "resnet50@4",
    "resnet50@32",
    "bert_base@1x16",
    "bert_base@1x512",
    "bert_base@4x128",
    "bert_base@32x128",
)
HEAD = [
    "| model | threads | precision | ours ms, median / min | best other | ratio of medians"
    " | of minima | goal | error | PyTorch's |",
    "|---|---|---|---|---|---|---|---|---|---|",
]


def milliseconds(row: Row) -> str:
    """The median and the least time."""
    return f"{row['median'] * 1e3:.3f} / {row['least'] * 1e3:.3f}"


def lines_of(
    model: str, threads: int, rows: dict[str, Row], engines: Sequence[str]
) -> list[str]:
    """The rows of the table: ours, the best other, their ratio, both errors."""
    lines: list[str] = []
    best = best_other(rows)
    rest = f"{best} {milliseconds(rows[best])}"
    for number, (engine, precision) in enumerate(((OURS, "default"), (FAST, "fast"))):
        if engine not in engines:
            continue
        begin = f"| {model} | {threads} | {precision} |"
        ours = rows.get(engine)
        if ours is None:
            lines.append(f"{begin} failed to build | | | | | | |")
            continue
        ratios = (
            f"{ratio(rows, engine):.2f} | {ours['least'] / rows[best]['least']:.2f}"
        )
        error = f"{ours['error']:.1e} | {ours['torch_error']:.1e}"
        goals = GOALS.get(model.partition("@")[0])
        goal = f"{goals[number]:.2f}" if goals else ""
        lines.append(
            f"{begin} {milliseconds(ours)} | {rest} | {ratios} | {goal} | {error} |"
        )
    return lines


def main() -> None:
    """Measure, print, and write the section where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--engines", default=",".join((OURS, FAST, *OTHERS)))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.6)
    parser.add_argument("--variants", action="store_true", help="batches and lengths")
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    title = "Batches and lengths" if args.variants else "Models beside other engines"
    models = args.models or (VARIANTS if args.variants else GOALS)
    engines = tuple(args.engines.split(","))
    lines = list(HEAD)
    for model in models:
        for threads in args.threads:
            rows = measure(MODELS, model, threads, engines, args.rounds, args.seconds)
            more = lines_of(model, threads, rows, engines)
            lines += more
            print("\n".join(more), flush=True)
    if args.write:
        flags = " --variants" if args.variants else ""
        command = f"python benchmarks/models.py {' '.join(args.models)}{flags}"
        write_section(title, command, lines)


if __name__ == "__main__":
    main()
