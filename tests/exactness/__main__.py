"""Measures every row and writes the page: `python -m tests.exactness`."""

from __future__ import annotations

from tests.torchvision_finder import install_finder

if __name__ == "__main__":
    install_finder()
    from tests.exactness.checks import CHECKS
    from tests.exactness.page import PAGE, page
    from tests.repository import ROOT

    (ROOT / PAGE).write_text(page({key: check() for key, check in CHECKS.items()}))
