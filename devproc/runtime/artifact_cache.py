"""Compiled programs on disk, by a hash of everything that decides them."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from devproc import settings
from devproc.errors import BundleError
from devproc.runtime.bundle import read_artifact, write_artifact
from devproc.runtime.calling import NamedCalling

if TYPE_CHECKING:
    from devproc.compiler import Source
    from devproc.runtime.program import Artifact


def _path(key: str) -> Path:
    return settings.cache_dir() / "programs" / f"{key}.zip"


def read_cached(key: str, source: Source) -> Artifact | None:
    """The artifact of this key; None where there is none or it is damaged.

    The way of calling is the source's own: it does not change the code.
    """
    try:
        with zipfile.ZipFile(_path(key)) as bundle:
            artifact = read_artifact(bundle)
    except (OSError, KeyError, zipfile.BadZipFile, json.JSONDecodeError, BundleError):
        return None
    return replace(artifact, calling=source.calling, interface=source.interface)


def write_cached(key: str, artifact: Artifact) -> None:
    """Keeps an artifact; a folder that cannot be written is left alone."""
    path = _path(key)
    # The way of calling may not be writable, and a reader has its own.
    artifact = replace(artifact, calling=NamedCalling(artifact.interface))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as bundle:
            write_artifact(bundle, artifact)
        # Renaming is atomic: a reader sees the whole entry or none.
        Path(name).replace(path)
    except OSError:
        return
