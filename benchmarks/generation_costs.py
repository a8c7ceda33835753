"""What generation costs beside its speed: memory, the first token, and unused capacity.

`benchmarks/generation.py` runs it: `--memory` for each model in a cold process, and
`--capacities` for a decode step at position 10 of caches of several sizes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from generation_engines import model_of, write_devproc  # noqa: E402
from results import write_section  # noqa: E402

COMMAND = "python benchmarks/generation.py"

STATUS = "/proc/self/status"
"""Has the peak memory since a process began; `getrusage` has that of its parent, too."""

CAPACITIES = (256, 1024, 4096, 8192)
POSITION, STEPS = 10, 16
COLD_TURNS = 4
PLACES = 4
"""Equal programs of a capacity: where memory happens to put one makes 8 % of a step."""

MEMORY_HEAD = (
    "| model, weights | weights read | states | peak memory above Python | of it modules | "
    "the rest / weights and states | first token, cold | of it CPU | reading the file |",
    "|---|---|---|---|---|---|---|---|---|",
)
CAPACITY_HEAD = (
    "| decode at position 10, capacity | us of CPU a token | / capacity of 256 |",
    "|---|---|---|",
)


def measure_cold(path: Path) -> dict[str, float]:
    """Seconds to the first token of a saved program, and memory, of this process.

    `modules` is the memory of Python with NumPy and what `devproc.LanguageModel` imports."""
    started = time.perf_counter()
    import devproc
    from devproc.ir.weights.table import storage_dtype

    load = devproc.LanguageModel.load
    modules = _peak()
    model = load(path, verify=False)
    model.generate([5] * POSITION, 1)
    first, used = time.perf_counter() - started, time.process_time()
    model.generate([5] * POSITION, STEPS)
    peak = _peak()
    # What a loop over a file reads is in the cache of the system, as above.
    began = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        block = bytearray(1 << 22)
        while file.readinto(block):
            pass
    entries = model.entries
    states = {s.name: s for e in entries.values() for s in e.interface.states}
    return {
        "first": first,
        "used": used,
        "read": time.perf_counter() - began,
        "peak": peak,
        "modules": modules,
        "weights": entries["decode"].artifact.host.bytes_read,
        "states": sum(
            prod(spec.shape) * storage_dtype(spec.dtype).itemsize
            for spec in states.values()
        ),
    }


def _peak() -> float:
    return _peak_in(Path(STATUS).read_text())


def _peak_in(status: str) -> float:
    """Bytes of peak memory in the text of `STATUS`."""
    return 1024.0 * int(status.partition("VmHWM:")[2].split()[0])


def memory_row(what: str, path: Path) -> str:
    """The row of a saved program, from processes of their own: of `COLD_TURNS` the one with
    the quickest first token, after one that compiles modules to bytecode, as an installed
    package has them."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(path.parent / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def output(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        return subprocess.check_output(command, text=True, env=environment)

    turns = [json.loads(output(__file__, str(path))) for _ in range(1 + COLD_TURNS)]
    found: dict[str, float] = min(turns[1:], key=lambda turn: turn["first"])
    python = _peak_in(output("-c", f"print(open('{STATUS}').read())"))
    found["modules"] -= python
    found["peak"] -= python
    both = found["weights"] + found["states"]
    names = ("weights", "states", "peak", "modules")
    sizes = [f"{found[name] / 1e6:.0f} MB" for name in names]
    times = [f"{found[name]:.2f} s" for name in ("first", "used", "read")]
    share = (found["peak"] - found["modules"]) / both
    cells = [what, *sizes, f"{share:.3f}", *times]
    return f"| {' | '.join(cells)} |"


def capacity_rows(
    model: Any, rounds: int, capacities: Sequence[int] = CAPACITIES
) -> list[str]:
    """The time of a decode step at position 10, by capacity; all take turns."""
    import devproc

    turns: dict[int, list[Callable[[], float]]] = {each: [] for each in capacities}
    for _ in range(PLACES):
        for capacity in capacities:
            program = devproc.from_transformers(
                model, capacity=capacity, prefill=(16,), threads=1, cache=False
            )
            turns[capacity].append(_turn(program))
    times: dict[int, list[float]] = {capacity: [] for capacity in capacities}
    for _ in range(rounds):
        for capacity, programs in turns.items():
            times[capacity].append(min(turn() for turn in programs))
    first = times[capacities[0]]
    rows: list[str] = []
    for capacity, found in times.items():
        ratio = statistics.median(a / b for a, b in zip(found, first, strict=True))
        cells = [str(capacity), f"{min(found) * 1e6:.0f}", f"{ratio:.3f}"]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _turn(program: Any) -> Callable[[], float]:
    """Seconds of a step, over several from position 10 on."""
    program.read([5] * POSITION)
    decode = program.entries["decode"]

    def turn() -> float:
        best = float("inf")
        for _ in range(5):
            program.entries.state["model.position"] = np.array([POSITION])
            # The CPU's time: other programs of the machine do not count.
            begin = time.thread_time()
            decode.repeat(STEPS)
            best = min(best, time.thread_time() - begin)
        return best / STEPS

    return turn


def write_memory(models: Sequence[str], weights: Sequence[str]) -> None:
    """Writes the table of memory and first tokens of models, each in formats of weights."""
    lines: list[str] = list(MEMORY_HEAD)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.devproc"
        for name in models:
            for kind in weights:
                command = [sys.executable, __file__, str(path), name, kind]
                subprocess.run(command, check=True)
                lines.append(memory_row(f"{name}, {kind}", path))
                print(lines[-1], flush=True)
    write_section("Memory of generation", f"{COMMAND} --memory", lines)


def write_capacities(rounds: int) -> None:
    """Writes the table of decode steps by capacity, of a model of four layers."""
    model = model_of("smollm", num_hidden_layers=4, vocab_size=1000)
    lines = [*CAPACITY_HEAD, *capacity_rows(model, rounds)]
    print("\n".join(lines), flush=True)
    write_section("Unused capacity", f"{COMMAND} --capacities", lines)


if __name__ == "__main__":
    path, *wanted = sys.argv[1:]
    if wanted:
        write_devproc(wanted[0], wanted[1], Path(path), 1)
    else:
        print(json.dumps(measure_cold(Path(path))))
