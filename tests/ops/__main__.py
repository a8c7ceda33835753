"""`python -m tests.ops [name...]`: passed / eligible samples per operator and dtype."""

from __future__ import annotations

import sys

from tests.ops import families
from tests.ops.harness import check, dtypes_of


def main() -> None:
    """Prints a line for each operator of the claims, or for those named."""
    chosen = sys.argv[1:]
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
