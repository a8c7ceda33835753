"""A hash of source files, as a part of cache keys."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator


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


def content_key(parts: Iterable[str]) -> str:
    """A hash of these texts; their lengths are part of it, to keep them apart."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()
