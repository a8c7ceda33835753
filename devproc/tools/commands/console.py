"""Where the commands print their tables."""

from __future__ import annotations

import sys

from rich.console import Console

# A table folded to 80 columns is hard to read in a file or a pipe.
OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
