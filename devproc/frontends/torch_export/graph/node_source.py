"""Where an exported node came from: the module's path and the user's source line."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch
from torch.fx import Node

from devproc.ir.text.paths import readable_path

_FRAME = re.compile(r'File "(.+?)", line (\d+), in ')
_TORCH = str(Path(torch.__file__).parent)


def module_path(node: Node) -> str:
    """The path of the innermost module (`layers.0.fc1`); empty in the outermost."""
    stack: dict[Any, Any] = node.meta.get("nn_module_stack") or {}
    if not stack:
        return ""
    entry = list(stack.values())[-1]
    path = entry[0] if isinstance(entry, tuple) else str(entry)
    # The strict exporter writes `L['self'].fc1`; a second call is `fc1@1`.
    path = re.sub(r"^L(?:\['self'\]|__self__)\.?", "", path)
    path = re.sub(r"\._modules\['([^']+)'\]", r".\1", path)
    return re.sub(r"@\d+", "", path).lstrip(".")


def source_line(stack_trace: str | None) -> tuple[str | None, int]:
    """The deepest frame outside of PyTorch, as a file the user can find and a line."""
    frames = _FRAME.findall(stack_trace or "")
    for file, line in reversed(frames):
        # `<eval_with_key>.3` is code that the exporter generated.
        if not file.startswith("<") and not _is_torch(file):
            return readable_path(file), int(line)
    return None, 0


def _is_torch(file: str) -> bool:
    return file.startswith(_TORCH) or "/site-packages/torch/" in file
