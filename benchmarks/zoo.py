"""Compile time and error of the models of a file, each alone in a process of its own.

    python benchmarks/zoo.py tests/zoo/models.py [NAMES] [--threads 2] [--write]

The file is one that `devproc survey` takes. The error is against a run in float64,
beside PyTorch's own in float32.
"""

from __future__ import annotations

import argparse
import multiprocessing
import runpy
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch
from results import write_section

from devproc.survey import Row, survey

HEAD = (
    "| model | compile s | of processor s | error | PyTorch's | ratio | |",
    "|---|---|---|---|---|---|---|",
)


def models_of(path: str) -> dict[str, object]:
    """`MODELS` of a file, which may import what lies in the working directory."""
    sys.path.insert(0, "")
    try:
        return runpy.run_path(path)["MODELS"]
    finally:
        sys.path.remove("")


def measure(path: str, name: str, precision: str, threads: int) -> Row:
    """One model, compiled without any cache."""
    torch.set_num_threads(threads)
    factories = {name: models_of(path)[name]}
    found = survey(
        factories,  # type: ignore[arg-type]
        precision=precision,
        threads=threads,
        cache=False,
    )
    return found.rows[0]


def line(row: Row) -> str:
    """The row of the table."""
    seconds = f"{row.compile_seconds:.1f} | {row.compile_cpu_seconds:.1f}"
    if row.error is None or row.torch_error is None:
        return f"| {row.name} | {seconds} | | | | {row.obstacle} |"
    ratio = row.error / row.torch_error if row.torch_error else float("nan")
    errors = f"{row.error:.2e} | {row.torch_error:.2e} | {ratio:.2f}"
    return f"| {row.name} | {seconds} | {errors} | |"


def main() -> None:
    """Measures each model and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", help="a Python file that defines MODELS")
    parser.add_argument("names", nargs="*", help="some of them (default: all)")
    parser.add_argument("--precision", default="strict")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="to RESULTS.md")
    arguments = parser.parse_args()
    lines: list[str] = list(HEAD)
    print(*lines, sep="\n")
    spawn = multiprocessing.get_context("spawn")
    for name in arguments.names or models_of(arguments.models):
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            options = (arguments.precision, arguments.threads)
            row = pool.submit(measure, arguments.models, name, *options).result()
        lines.append(line(row))
        print(lines[-1], flush=True)
    if arguments.write:
        file = Path(arguments.models)
        place = f"{file.parent.name}/{file.name}"
        title = f"Compile time and error of {place}, precision {arguments.precision}"
        write_section(title, f"python benchmarks/zoo.py {place}", lines)


if __name__ == "__main__":
    main()
