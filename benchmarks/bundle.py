"""Bundles beside the same programs called from Python, and beside other runtimes, in turns.

    python benchmarks/bundle.py [resnet18 mobilenet_v2 bert_base boxes] [--threads 1 2]
        [--rounds 9] [--cpu-time] [--write]

The models are those of `models.py`, with random weights; `boxes` is a camera's frame to the
boxes that a detector finds, as in `pipelines.py`. Bundles, ONNX Runtime's C API and ExecuTorch
(with XNNPACK) are called by hosts in C and C++, each in a process of its own. Runtimes that are
not installed are left out, and neither has the pre- and post-processing of `boxes`. ExecuTorch
is installed beside this torch without its dependencies, but for those that its export needs:

    pip install --no-deps executorch torchao flatbuffers ruamel.yaml tabulate parameterized

`--cpu-time` measures the processor's time, for one thread on a machine that others use too.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import torch
from bundle_hosts import (
    Host,
    bundle_host,
    executorch_host,
    onnxruntime_host,
    write_inputs,
)
from model_variants import build
from results import write_section

import devproc
from devproc.bundle.interface.description import read_description

SECONDS, PAUSE = 0.3, 0.01
BOXES = "boxes"
HEAD = (
    "| program | threads | run by | time, ms (median / best) | to the bundle | results"
    " | create, ms | first run, ms | peak, MB | beyond weights and arena, MB | code, KB |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
)
BUNDLE = "bundle"

Turn = tuple[float, float]

CLOCKS: dict[bool, tuple[str, Callable[[], float]]] = {
    False: ("CLOCK_MONOTONIC", time.perf_counter),
    True: ("CLOCK_PROCESS_CPUTIME_ID", time.process_time),
}
"""Whether the processor's time is measured -> the clock in C and in Python."""


@dataclass(frozen=True)
class Case:
    """A program with its inputs; `exported` is the model of other runtimes, if it is one."""

    program: Any
    inputs: Sequence[Any]
    exported: Any


def case_of(name: str, threads: int) -> Case:
    """The program of a model, or of `boxes`."""
    if name == BOXES:
        from pipelines import BOXED, Detector, detection, noisy_frame

        example = torch.zeros(1, 3, *BOXED)
        program = detection(Detector().eval(), example, threads)
        return Case(program, [noisy_frame()], None)
    module, examples = build(name)
    exported = torch.export.export(module, examples)
    program = devproc.compile(exported, threads=threads)
    return Case(program, [x.numpy() for x in examples], exported)


def python_turn(run: Callable[[], Any], now: Callable[[], float]) -> Turn:
    """The median and least time of a turn in this process, in milliseconds."""
    run()
    times: list[float] = []
    end = now() + SECONDS
    while not times or now() < end:
        start = now()
        run()
        times.append((now() - start) * 1e3)
    return statistics.median(times), min(times)


def hosts_of(case: Case, name: str, threads: int, clock: str) -> dict[str, Host]:
    """The processes by what runs the program."""
    folders = [Path(mkdtemp()) for _ in range(3)]
    for folder in folders:
        write_inputs(folder, case.inputs)
    case.program.export_bundle(folders[0], name=name, threads="own")
    found: dict[str, Host | None] = {
        BUNDLE: bundle_host(folders[0], clock, name, threads)
    }
    if case.exported is not None:
        peer = (clock, case.exported, case.inputs, threads)
        found["ONNX Runtime, C"] = onnxruntime_host(folders[1], *peer)
        found["ExecuTorch, C++"] = executorch_host(folders[2], *peer)
    return {key: host for key, host in found.items() if host is not None}


def measure(
    runs: Mapping[str, Callable[[], Turn]], rounds: int
) -> dict[str, list[Turn]]:
    """The turns of each, which alternate."""
    turns: dict[str, list[Turn]] = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            time.sleep(PAUSE)
            turns[key].append(run())
    return turns


def rows_of(model: str, threads: int, rounds: int, cpu_time: bool) -> list[str]:
    """The rows of a program."""
    clock, now = CLOCKS[cpu_time]
    case, name = case_of(model, threads), model.replace("@", "_")
    hosts = hosts_of(case, name, threads, clock)
    runs: dict[str, Callable[[], Turn]] = {
        key: lambda host=host: host.turn(SECONDS) for key, host in hosts.items()
    }
    runs["Python"] = lambda: python_turn(
        lambda: case.program.run_flat(case.inputs), now
    )
    turns = measure(runs, rounds)
    results = [np.asarray(r) for r in case.program.run_flat(case.inputs)]
    rows: list[str] = []
    for key, found in turns.items():
        median = statistics.median(m for m, _ in found)
        best = min(least for _, least in found)
        pairs = zip(found, turns[BUNDLE], strict=True)
        ratio = statistics.median(theirs[0] / ours[0] for theirs, ours in pairs)
        cells = [model, str(threads), key, f"{median:.3f} / {best:.3f}", f"{ratio:.3f}"]
        host = hosts.get(key)
        cells += ["-"] * 6 if host is None else _host_cells(host, key, results)
        rows.append(f"| {' | '.join(cells)} |")
    for host in hosts.values():
        host.close()
    return rows


def _host_cells(host: Host, key: str, results: Sequence[Any]) -> list[str]:
    """What is known of a process beside its times; `results` are those of Python."""
    facts, beyond = host.facts, "-"
    if key == BUNDLE:
        (weights,) = host.folder.glob("*.weights")
        known = weights.stat().st_size + read_description(host.folder).memory_bytes
        beyond = f"{(facts.peak - facts.bare) / 1024 - known / 2**20:.1f}"
    return [
        difference(host.outputs(), results),
        f"{facts.create:.2f}",
        f"{facts.first:.1f}",
        f"{facts.peak / 1024:.1f}",
        beyond,
        f"{host.code_bytes / 1024:.0f}",
    ]


def difference(data: bytes, results: Sequence[Any]) -> str:
    """How far the outputs of a process are from those of Python, to the largest value."""
    if data == b"".join(result.tobytes() for result in results):
        return "equal bits"
    first = results[0]
    found = np.frombuffer(data[: first.nbytes], first.dtype).reshape(first.shape)
    return f"off by {np.abs(found - first).max() / np.abs(first).max():.1e}"


def main() -> None:
    """Prints the table, and writes it with `--write`."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "programs", nargs="*", default=["resnet18", "mobilenet_v2", "bert_base", BOXES]
    )
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    lines: list[str] = [*HEAD]
    for name in given.programs:
        for threads in given.threads:
            rows = rows_of(name, threads, given.rounds, given.cpu_time)
            lines += rows
            print("\n".join(rows), flush=True)
    if given.write:
        command = (
            f"python benchmarks/{' '.join([Path(sys.argv[0]).name, *sys.argv[1:]])}"
        )
        write_section("Bundles beside Python and other runtimes", command, lines)


if __name__ == "__main__":
    main()
