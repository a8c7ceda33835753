"""Measures every row and writes the page: `python -m tests.exactness`."""

from __future__ import annotations

from tests.exactness.checks import CHECKS
from tests.exactness.page import PAGE, page
from tests.repository import ROOT

if __name__ == "__main__":
    (ROOT / PAGE).write_text(page({key: check() for key, check in CHECKS.items()}))
