"""Hunt for bugs: `python -m tests.fuzz FIRST COUNT [--target ...] [--kind ...]`.

Each batch of seeds runs in a process of its own, so that a crash costs one batch and
names its seed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import traceback

BATCH = 25
COMMAND = (sys.executable, "-m", "tests.fuzz")
KINDS = ("model", "large", "image", "sequence", "pipeline", "chain", "file", "text")


def one(seed: int, target: str, kind: str, precision: str) -> None:
    """Checks one seed; prints what went wrong."""
    if kind == "text":
        one_text(seed)
        return
    from devproc import UnsupportedError
    from tests.fuzz.chains import check_chain
    from tests.fuzz.compare import check, random_compile
    from tests.fuzz.files import check_file
    from tests.fuzz.images import grow_images
    from tests.fuzz.models import grow
    from tests.fuzz.pipelines import check_pipeline
    from tests.fuzz.sequences import grow_sequences

    build = random_compile(seed, target, precision)
    largest = 60000 if kind == "large" else 2048 if target == "cpu" else 256
    try:
        if kind == "pipeline":
            check_pipeline(seed, build)
        elif kind == "file":
            check_file(seed)
        elif kind == "chain":
            check_chain(seed, build)
        elif kind == "image":
            check(grow_images(seed), build)
        elif kind == "sequence":
            check(grow_sequences(seed), build)
        else:
            check(grow(seed, largest), build)
    except UnsupportedError as error:
        print(f"-- {kind} {seed}: {str(error).splitlines()[1]}", flush=True)
    except Exception as error:
        text = str(error) or traceback.format_exc()
        print(f"== {kind} {seed} {target}: {type(error).__name__}: {text}", flush=True)


def one_text(seed: int) -> None:
    """The same for a broken text, which needs no model."""
    from tests.fuzz.texts import check_text

    try:
        check_text(seed)
    except Exception as error:
        print(f"== text {seed}: {type(error).__name__}: {error}", flush=True)


def hunt(first: int, count: int, options: list[str]) -> None:
    """Runs batches of seeds, each in a process."""
    while count > 0:
        size = min(BATCH, count)
        done = subprocess.run(
            [*COMMAND, str(first), str(size), *options, "--inside"],
            stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        seeds = [s for s in done.stderr.splitlines() if s.startswith("seed ")]
        if done.returncode:
            tail = "\n".join(done.stderr.splitlines()[-5:])
            print(f"== CRASH {done.returncode} at {seeds[-1:]} {options}\n{tail}")
            size = int(seeds[-1].split()[1]) - first + 1 if seeds else size
        first, count = first + size, count - size


def main() -> None:
    """Command line; `--inside` is the child process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--precision", default="strict")
    parser.add_argument("--kind", default="model", choices=KINDS)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.inside:
        options = ["--target", given.target, "--kind", given.kind]
        hunt(given.first, given.count, [*options, "--precision", given.precision])
        return
    for seed in range(given.first, given.first + given.count):
        print(f"seed {seed}", file=sys.stderr, flush=True)
        one(seed, given.target, given.kind, given.precision)


if __name__ == "__main__":
    main()
