"""What only a GPU can tell, in one command: values, times, and the model's constants.

    python benchmarks/gpu_queue.py [--minutes 9.5] [--only PATTERN ...] [--resume] [--write]
    python benchmarks/gpu_queue.py --dry-run

Items run in the order of their value until the time is over; each ends in the JSON file, so
that `--resume` goes on with those that are missing or failed. A failure is recorded, and
the next item runs. `--dry-run` needs no GPU: it compiles everything and times nothing.
`--write` puts the models and the calibration into RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from gpu.card import Card
from gpu.items import Calibration, Item, Rows, items
from results import write_section

OUTPUT = Path(__file__).parent / "gpu_queue.json"
MODEL_COLUMNS = (
    *("model", "dtype", "call", "ours", "eager", "default", "max-autotune"),
    *("error", "eager error"),
)


def run(
    queue: Sequence[Item], card: Card, seconds: float, output: Path, resume: bool
) -> dict[str, Any]:
    """Runs items until the time is over; the results by name, as they are in the file."""
    end = time.monotonic() + seconds
    known = json.loads(output.read_text()) if resume and output.exists() else {}
    done: dict[str, Any] = {"device": card.name, "items": known.get("items", {})}
    for item in queue:
        result = done["items"].get(item.name, {})
        if "rows" in result:
            continue
        if time.monotonic() > end:
            break
        done["items"][item.name] = timed(item, card)
        rows = {n: r["rows"] for n, r in done["items"].items() if "rows" in r}
        done["calibration"] = {} if card.dry else Calibration(rows).summary()
        output.write_text(json.dumps(done, indent=1))
        result = done["items"][item.name]
        problem = result.get("failed", "").strip().rpartition("\n")[2]
        print(f"{item.name}: {result['seconds']:.1f} s {problem}", flush=True)
    return done


def timed(item: Item, card: Card) -> dict[str, Any]:
    """What an item found, or how it failed, and the seconds that it took."""
    start = time.monotonic()
    try:
        found: dict[str, Any] = {"rows": item.run(card)}
    except Exception:
        found = {"failed": traceback.format_exc()}
    return found | {"seconds": round(time.monotonic() - start, 2)}


def model_lines(done: dict[str, Any]) -> list[str]:
    """The models as a table, and the calibration."""
    lines = [
        f"{done['device']}. Seconds of a run in a CUDA graph; `call`: from Python, with the",
        "copies of inputs and outputs. Errors are relative to the largest result in float64.",
        "",
    ]
    lines += [f"| {' | '.join(MODEL_COLUMNS)} |", "|---" * len(MODEL_COLUMNS) + "|"]
    results: list[Rows] = [r.get("rows", []) for r in done["items"].values()]
    for row in (row for rows in results for row in rows if "model" in row):
        cells = (row.get(column, "") for column in MODEL_COLUMNS)
        shown = (f"{c:.3g}" if isinstance(c, float) else str(c) for c in cells)
        lines.append(f"| {' | '.join(shown)} |")
    calibration = done.get("calibration", {})
    return [*lines, "", *(f"- {name}: {value}" for name, value in calibration.items())]


def wrong_values(done: dict[str, Any]) -> list[str]:
    """The rows whose values are not those of the reference."""
    found: list[str] = []
    for name, result in done["items"].items():
        for row in result.get("rows", ()):
            if row.get("difference", 0) > 1 or row.get("agree") != row.get("of"):
                found.append(f"{name}: {row}")
    return found


def main() -> None:
    """Runs the queue; exits with 1 where a value is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=9.5)
    parser.add_argument("--only", nargs="+", metavar="PATTERN", default=["*"])
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    if not args.dry_run and not torch.cuda.is_available():
        raise SystemExit("no GPU here: run this where PyTorch sees one, or --dry-run")
    wanted = [
        item
        for item in items()
        if any(fnmatchcase(item.name, pattern) for pattern in args.only)
    ]
    card = Card(args.dry_run)
    done = run(wanted, card, 60 * args.minutes, args.output, args.resume)
    failed = [name for name, result in done["items"].items() if "failed" in result]
    missing = [item.name for item in wanted if item.name not in done["items"]]
    print("\n".join(model_lines(done)))
    print(f"failed: {', '.join(failed) or 'none'}")
    print(f"not reached: {', '.join(missing) or 'none'}")
    if args.write and not args.dry_run:
        write_section("GPU", "python benchmarks/gpu_queue.py", model_lines(done))
    if wrong := wrong_values(done):
        print("wrong values:", *wrong, sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
