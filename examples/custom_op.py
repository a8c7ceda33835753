"""An operator of your own, without a word of machine code: the worked example, run.

The code is that of `docs/custom_ops.md`: this file executes it and shows what came of it.

    python examples/custom_op.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "custom_ops.md"


def worked_example() -> dict[str, Any]:
    """Runs the Python blocks of the page, in order; returns the names they define."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    names: dict[str, Any] = {"__name__": "custom_ops"}
    exec(compile("\n".join(blocks), str(PAGE), "exec"), names)
    return names


def main() -> None:
    """Command line."""
    program = worked_example()["program"]
    print(program.ir("tensor"))
    print(program.report())


if __name__ == "__main__":
    main()
