"""xDSL's own `xdsl-opt`, in this process: it finds what is ours by its entry point."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

from xdsl.xdsl_opt_main import xDSLOptMain


def xdsl_opt(file: Path, *arguments: str) -> str:
    """What `xdsl-opt` prints of a file; raises what it raises."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        xDSLOptMain(args=[str(file), *arguments]).run()
    return printed.getvalue()
