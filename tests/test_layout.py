"""docs/layout.md names what exists, and everything that exists."""

from __future__ import annotations

import re

from tests.repository import ROOT, repository_files

PAGE = (ROOT / "docs" / "layout.md").read_text()
FIRST_CELLS = re.findall(r"^\| (`[^|]+`) \|", PAGE, re.MULTILINE)
LISTED = set(re.findall(r"`([^`]+)`", " ".join(FIRST_CELLS)))


def test_listed_paths_exist() -> None:
    missing = sorted(path for path in LISTED if not (ROOT / path).exists())
    assert not missing, f"docs/layout.md names what is not there: {missing}"


def test_every_folder_is_listed() -> None:
    """Each folder two levels deep, the package's one level deeper, and its modules."""
    found: set[str] = set()
    for path in repository_files():
        parts = path.relative_to(ROOT).parts
        if parts[0].startswith(".") or len(parts) < 2:
            continue
        if parts[0] != "devproc":
            found.add(f"{parts[0]}/")
        elif len(parts) == 2 and parts[1].endswith(".py") and parts[1][0] != "_":
            found.add("/".join(parts))
        elif len(parts) > 2:
            found.add("/".join(parts[:2]) + "/")
            if parts[1] == "transforms" and len(parts) > 3:
                found.add("/".join(parts[:3]) + "/")
    missing = sorted(found - LISTED)
    assert not missing, f"docs/layout.md lacks {missing}"


def test_page_is_one_screen() -> None:
    assert len(PAGE.splitlines()) <= 60
