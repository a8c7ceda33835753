"""Tokens per second of language models, beside llama.cpp and transformers, in turns.

Models of real shapes with random weights. Each engine is a process of its own, which loads
its file once; then all generate so many tokens in turns, and a bare read of memory takes its
turn too. Writes a table for these models into `benchmarks/RESULTS.md`. The peers are optional: those of
`generation_engines.py` whose packages are found here or in the folders of --peers.

    python benchmarks/generation.py [smollm qwen llama] [--weights float32,int8,int8/fast]
        [--threads 1,2] [--rounds 7] [--tokens 24]
        [--peers FOLDER:FOLDER] [--peers "OpenVINO GenAI=FOLDER:FOLDER"]
    python benchmarks/generation.py --memory --capacities

int8/fast is int8 with `precision="fast"`, beside the same peers as int8. The second form
writes the tables of `generation_costs.py` instead.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from generation_engines import ENGINES, PROMPT, SHAPES, bytes_per_token  # noqa: E402

HEAD = (
    "| model, weights, threads | DevProc, tokens/s | share of a bare read | prompt of "
    f"{PROMPT}, tokens/s | peer | tokens/s | prompt | ratio | of prompt |",
    "|---|---|---|---|---|---|---|---|---|",
)

WEIGHTS = ("float32", "bfloat16", "int8", "int8/fast", "int4", "int4/fast")


def work(given: argparse.Namespace) -> None:
    """A process of one engine: writes its file, or takes a turn for each line of its input."""
    engine = ENGINES[given.engine]
    arguments = (given.models[0], given.weights, given.file, int(given.threads))
    if given.write:
        assert engine.write is not None
        engine.write(*arguments)
        return
    turn, figures = engine.turns(*arguments)
    print("READY", json.dumps(figures), flush=True)
    for line in sys.stdin:
        print("TURN", json.dumps(turn(int(line))), flush=True)
    # llama.cpp's threads outlive its server.
    os._exit(0)


class Process:
    """A process of one engine."""

    def __init__(
        self, engine: str, what: Sequence[str], file: Path, environment: dict[str, str]
    ):
        command = [sys.executable, __file__, *what, "--engine", engine]
        command += ["--file", str(file)]
        log = file.with_suffix(".log")
        with log.open("w") as out:
            if ENGINES[engine].write is not None and not file.exists():
                subprocess.run(
                    [*command, "--write"],
                    check=True,
                    env=environment,
                    stdout=out,
                    stderr=out,
                )
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=out,
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
) -> list[str]:
    """Rows of the table, one for each peer."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    folders = dict(text.rpartition("=")[::2] for text in given.peers)
    processes: dict[str, Process] = {}
    stored, _, precision = weights.partition("/")
    for engine, how in ENGINES.items():
        if stored not in how.weights:
            continue
        ours = not processes
        own = f"{precision}{threads}" if ours else "0"
        file = folder / f"{name}-{stored}-{own}-{len(processes)}"
        given_weights = weights if ours else stored
        what = [name, "--weights", given_weights, "--threads", str(threads)]
        try:
            paths = [folders.get(engine, folders.get("", ""))] * (not ours)
            paths.append(environment.get("PYTHONPATH", ""))
            used = {**environment, "PYTHONPATH": ":".join(filter(None, paths))}
            processes[engine] = Process(engine, what, file, used)
        except (subprocess.CalledProcessError, RuntimeError):
            if ours:
                raise
            said = file.with_suffix(".log").read_text().strip().splitlines()[-1:]
            print(f"{engine} is left out: {' '.join(said)}", file=sys.stderr)
    turns: dict[str, list[dict[str, float]]] = {key: [] for key in processes}
    for number in range(given.rounds + 1):
        for key, process in processes.items():
            found = process.turn(given.tokens)
            if number:  # the first turn warms up
                turns[key].append(found)
    for process in processes.values():
        process.close()
    return list(
        _rows(f"{name}, {weights}, {threads}", turns, bytes_per_token(name, stored))
    )


def _rows(
    what: str, turns: dict[str, list[dict[str, float]]], byte_count: float
) -> Iterator[str]:
    def middle(key: str, figure: str) -> float:
        return statistics.median(turn[figure] for turn in turns[key])

    ours, *others = turns
    shares = [t["decode"] * byte_count / t["read"] for t in turns[ours]]
    cells = [
        what,
        f"{middle(ours, 'decode'):.1f}",
        f"{statistics.median(shares):.2f}",
        f"{middle(ours, 'prompt'):.0f}",
    ]
    if not others:
        yield f"| {' | '.join([*cells, *['-'] * 5])} |"
    for peer in others:
        ratios = [
            statistics.median(
                a[figure] / b[figure]
                for a, b in zip(turns[ours], turns[peer], strict=True)
            )
            for figure in ("decode", "prompt")
        ]
        theirs = [f"{middle(peer, 'decode'):.1f}", f"{middle(peer, 'prompt'):.0f}"]
        shown = (f"{ratio:.2f}" for ratio in ratios)
        yield f"| {' | '.join([*cells, peer, *theirs, *shown])} |"
        cells = [""] * len(cells)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(SHAPES))
    parser.add_argument("--weights", default=",".join(WEIGHTS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--peers", action="append", default=[])
    parser.add_argument("--memory", action="store_true", help="memory, first token")
    parser.add_argument("--capacities", action="store_true", help="unused capacity")
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.engine is not None:
        work(given)
        return
    from generation_costs import write_capacities, write_memory
    from results import write_section

    if given.memory:
        write_memory(
            given.models, [w for w in given.weights.split(",") if "/" not in w]
        )
    if given.capacities:
        write_capacities(given.rounds)
    if given.memory or given.capacities:
        return
    lines = list(HEAD)
    threads = list(map(int, given.threads.split(",")))
    for name in given.models:
        for weights in given.weights.split(","):
            with tempfile.TemporaryDirectory() as folder:
                for count in threads:
                    rows = measure(name, weights, count, given, Path(folder))
                    print("\n".join(rows), flush=True)
                    lines += rows
    title = f"Generation, {', '.join(given.models)}"
    write_section(title, "python benchmarks/generation.py", lines)


if __name__ == "__main__":
    main()
