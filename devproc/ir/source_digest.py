"""A hash of source files, as a part of cache keys."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator


def digest_of_sources(root: str) -> str:
    """A hash of all Python and LLVM files below a folder, or of one file."""
    digest = hashlib.sha256()
    for path in sorted(_sources(root)) if os.path.isdir(root) else [root]:
        with open(path, "rb", buffering=0) as file:
            digest.update(f"{os.path.relpath(path, root)}\0".encode() + file.read())
    return digest.hexdigest()


def _sources(root: str) -> Iterator[str]:
    # Takes a quarter of the time of `Path.rglob`.
    for folder, _, names in os.walk(root):
        yield from (f"{folder}/{n}" for n in names if n.endswith((".py", ".ll")))
