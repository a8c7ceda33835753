"""`python -m tests.ops [name...]`: passed / eligible samples of the claimed operators.

With `--matrix` (`make support`) the result goes into the support matrix: everything, or
the operators named, or with `--missing` the cells that it lacks.
"""

from __future__ import annotations

import argparse
import time

from tests.ops import families, matrix
from tests.ops.harness import check, dtypes_of


def main() -> None:
    """Prints a line for each operator of the claims, or for those named."""
    parser = argparse.ArgumentParser(prog="tests.ops", description=__doc__)
    parser.add_argument("names", nargs="*", help="operators, as `op_db` names them")
    parser.add_argument("--matrix", action="store_true", help="write docs/support.json")
    parser.add_argument("--missing", action="store_true", help="only what it lacks")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    if not options.matrix:
        return print_claims(options.names)
    started = time.perf_counter()
    rows = matrix.run(options.names, options.jobs, options.missing)
    print(f"{len(rows)} operators, {time.perf_counter() - started:.0f} s")


def print_claims(chosen: list[str]) -> None:
    """Passed / eligible samples of each claim, and the failures."""
    for family in families():
        for name, claimed in family.claimed.items():
            if chosen and name not in chosen:
                continue
            for dtype in dtypes_of(name, claimed):
                report = check(name, dtype, excuse=family.excuses.get(name))
                print(f"{name:40} {dtype:9} {report.passed}/{report.eligible}")
                for failure in report.failures:
                    print(f"    {failure}")


if __name__ == "__main__":
    main()
