"""Hunt for bugs: `python -m tests.fuzz FIRST COUNT [TARGET] [KIND]`.

Each batch of seeds runs in a process of its own, so that a crash costs one batch and
names its seed.
"""

from __future__ import annotations

import subprocess
import sys
import traceback

BATCH = 25


def one(seed: int, target: str, kind: str) -> None:
    """Checks one seed; prints what went wrong."""
    from tests.fuzz.compare import check, random_compile
    from tests.fuzz.models import grow

    largest = 2048 if target == "cpu" else 256
    try:
        if kind == "pipeline":
            from tests.fuzz.pipelines import check_pipeline

            check_pipeline(seed, random_compile(seed, target))
        else:
            check(grow(seed, largest), random_compile(seed, target))
    except Exception as error:
        text = str(error) or traceback.format_exc()
        print(f"== {kind} {seed} {target}: {type(error).__name__}: {text}", flush=True)


def main() -> None:
    """Command line; `--inside` is the child process."""
    arguments = sys.argv[1:]
    inside = "--inside" in arguments
    arguments = [a for a in arguments if a != "--inside"]
    first, count = int(arguments[0]), int(arguments[1])
    target, kind = [*arguments[2:], *("cpu", "model")[len(arguments) - 2 :]][:2]
    if inside:
        for seed in range(first, first + count):
            print(f"seed {seed}", file=sys.stderr, flush=True)
            one(seed, target, kind)
        return
    while count > 0:
        size = min(BATCH, count)
        command = [sys.executable, "-m", "tests.fuzz", str(first), str(size), target]
        done = subprocess.run(
            [*command, kind, "--inside"], stderr=subprocess.PIPE, text=True, check=False
        )
        seeds = [s for s in done.stderr.splitlines() if s.startswith("seed ")]
        if done.returncode:
            tail = "\n".join(done.stderr.splitlines()[-5:])
            print(f"== {target} CRASH {done.returncode} at {seeds[-1:]}\n{tail}")
            size = int(seeds[-1].split()[1]) - first + 1 if seeds else size
        first, count = first + size, count - size


if __name__ == "__main__":
    main()
