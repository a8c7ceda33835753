"""Registration of functions as operators that `torch.export` records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def operator(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function `_name` as the operator `devproc::name`. It also infers the shapes of
    results, so it must work on fake tensors.
    """
    name = f"devproc::{function.__name__.removeprefix('_')}"
    registered = torch.library.custom_op(name, function, mutates_args=())
    registered.register_fake(function)  # pyright: ignore[reportUnknownMemberType]
    return registered
