"""The inputs that `--input` names, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from devproc.tools.commands.options import pairs


def read_inputs(given: tuple[str, ...]) -> dict[str, Any]:
    """Input name -> array, of `--input NAME=FILE.npy` options."""
    paths = pairs(given, "--input NAME=FILE.npy")
    return {name: np.load(path, allow_pickle=False) for name, path in paths.items()}
