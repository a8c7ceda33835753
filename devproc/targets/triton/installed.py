"""Whether Triton, an optional dependency, is installed."""

from __future__ import annotations

from importlib.util import find_spec

from devproc.errors import CompileError

NO_TRITON = (
    "kernels for GPUs are compiled and interpreted by Triton, which is not installed; "
    "pip install 'devproc[gpu]' (it has wheels for Linux), or use the target 'cpu'"
)


def missing_triton() -> str | None:
    """Why kernels can neither be compiled nor interpreted in this process; None if they can."""
    return NO_TRITON if find_spec("triton") is None else None


def require_triton() -> None:
    """Raises CompileError without Triton."""
    if (why := missing_triton()) is not None:
        raise CompileError(why)
