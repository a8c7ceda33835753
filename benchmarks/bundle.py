"""Bundles beside the same programs called from Python, and beside ONNX Runtime, in turns.

    python benchmarks/bundle.py [resnet18 mobilenet_v2 bert_base] [--threads 1 2]
        [--cpu-time] [--write]

The models are those of `models.py`, with random weights; the host in C is
`bundle_host.c`. ONNX Runtime, where it is installed, is called through Python: its C API
needs headers that the package has not got; a call through Python costs it microseconds.
`--cpu-time` measures the processor's time, for one thread on a machine that others use too.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any

import numpy as np
import torch
from model_variants import build
from results import write_section

import devproc

ROUNDS, SECONDS, PAUSE = 9, 0.3, 0.01
HEAD = (
    "| model | threads | bits | bundle, ms | Python, ms | ratio | ONNX Runtime, ms | code, KB"
    " | create, ms | first run beyond a warm one, ms | peak beyond weights and arena, MB |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
)
HOST = Path(__file__).parent / "bundle_host.c"


CLOCKS: dict[bool, tuple[str, Callable[[], float]]] = {
    False: ("CLOCK_MONOTONIC", time.perf_counter),
    True: ("CLOCK_PROCESS_CPUTIME_ID", time.process_time),
}
"""Whether the processor's time is measured -> the clock in C and in Python."""

CPU_TIME = "--cpu-time" in sys.argv


class Host:
    """A process that runs a bundle; `facts` are the numbers of its first line."""

    def __init__(self, folder: Path, name: str, inputs: Sequence[Any], threads: int):
        data = b"".join(x.tobytes() + bytes(-x.nbytes % 64) for x in inputs)
        (folder / "inputs").write_bytes(data)
        macros = [f'-DHEADER="{name}.h"', f"-DNAME={name}", f"-I{folder}"]
        macros.append(f"-DCLOCK={CLOCKS[CPU_TIME][0]}")
        files = [str(HOST), str(folder / f"lib{name}.a")]
        subprocess.run(
            ["cc", "-O2", "-w", *macros, *files, "-pthread", "-o", folder / "host"],
            check=True,
        )
        self._process = subprocess.Popen(
            ["./host", f"{name}.weights", "inputs", str(threads)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.facts = self._line()

    def _line(self) -> list[float]:
        output: IO[str] | None = self._process.stdout
        assert output is not None
        return [float(word) for word in output.readline().split()]

    def turn(self) -> tuple[float, float]:
        """The median and least time of a turn, in milliseconds."""
        given = self._process.stdin
        assert given is not None
        given.write(f"{SECONDS}\n")
        given.flush()
        median, least = self._line()
        return median, least

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def python_turn(run: Callable[[], Any]) -> tuple[float, float]:
    """The same in this process."""
    _, now = CLOCKS[CPU_TIME]
    run()
    times: list[float] = []
    end = now() + SECONDS
    while not times or now() < end:
        start = now()
        run()
        times.append((now() - start) * 1e3)
    return statistics.median(times), min(times)


def onnxruntime_run(exported: Any, inputs: Sequence[Any], threads: int) -> Any:
    """A call of ONNX Runtime; None where it is not installed."""
    if find_spec("onnxruntime") is None:
        return None
    import onnxruntime  # pyright: ignore[reportMissingImports]

    path = Path(mkdtemp()) / "model.onnx"
    torch.onnx.export(exported, f=path, dynamo=True, external_data=True, verbose=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"]
    )
    names = [value.name for value in session.get_inputs()]
    feed = dict(zip(names, inputs, strict=True))
    return lambda: session.run(None, feed)


def line_of(model: str, threads: int) -> str:
    """The row of a model."""
    module, examples = build(model)
    exported = torch.export.export(module, examples)
    inputs = [x.numpy() for x in examples]
    program = devproc.compile(exported, threads=threads)
    folder = Path(mkdtemp())
    name = model.replace("@", "_")
    program.export_bundle(folder, name=name, threads="own")
    host = Host(folder, name, inputs, threads)
    results = program.run_flat(inputs)
    same = b"".join(np.asarray(r).tobytes() for r in results)
    bits = "equal" if (folder / "outputs").read_bytes() == same else "differ"
    peer = onnxruntime_run(exported, inputs, threads)
    turns: dict[str, list[tuple[float, float]]] = {
        "bundle": [],
        "python": [],
        "peer": [],
    }
    for _ in range(ROUNDS):
        for key, run in (
            ("bundle", host.turn),
            ("python", lambda: python_turn(lambda: program.run_flat(inputs))),
            ("peer", peer and (lambda: python_turn(peer))),
        ):
            if run:
                time.sleep(PAUSE)
                turns[key].append(run())
    host.close()
    return _row(model, threads, bits, turns, host.facts, folder, name)


def _row(
    model: str,
    threads: int,
    bits: str,
    turns: dict[str, list[tuple[float, float]]],
    facts: Sequence[float],
    folder: Path,
    name: str,
) -> str:
    shown = {
        key: f"{statistics.median(m for m, _ in found):.3f} / {min(n for _, n in found):.3f}"
        for key, found in turns.items()
        if found
    }
    pairs = zip(turns["bundle"], turns["python"], strict=True)
    ratio = statistics.median(ours[0] / theirs[0] for ours, theirs in pairs)
    create, first, bare, peak = facts
    warm = statistics.median(m for m, _ in turns["bundle"])
    weights = (folder / f"{name}.weights").stat().st_size
    from devproc.bundle.interface.description import read_description

    known = weights + read_description(folder).memory_bytes
    beyond = (peak - bare) / 1024 - known / 2**20
    code = (folder / f"lib{name}.so.1").stat().st_size / 1024
    cells = [model, threads, bits, shown["bundle"], shown["python"], f"{ratio:.3f}"]
    cells += [shown.get("peer", "not installed"), f"{code:.0f}", f"{create:.2f}"]
    cells += [f"{first - warm:.1f}", f"{beyond:.1f}"]
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Prints the table, and writes it with `--write`."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "models", nargs="*", default=["resnet18", "mobilenet_v2", "bert_base"]
    )
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    lines: list[str] = [*HEAD]
    for model in given.models:
        for threads in given.threads:
            lines.append(line_of(model, threads))
            print(lines[-1], flush=True)
    if given.write:
        command = (
            f"python benchmarks/{' '.join([Path(sys.argv[0]).name, *sys.argv[1:]])}"
        )
        write_section("Bundles beside Python", command, lines)


if __name__ == "__main__":
    main()
