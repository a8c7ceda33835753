"""The declaration of an input of texts."""

from __future__ import annotations

from pathlib import Path

from devproc.frontends.user_input import fail, integer, sizes_of
from devproc.runtime.calls.tokenizing import TextInput, pad_id_of


def text_input(
    name: str,
    tokenizer: str | Path,
    count: int,
    length: int,
    truncation: bool,
    pad_id: int | None,
) -> TextInput:
    """An input of texts; raises BuildError for a tokenizer that cannot be read."""
    step = f"tokenize '{name}'"
    count, length = sizes_of(step, "(count, length)", (count, length))
    path = Path(tokenizer)
    path = path / "tokenizer.json" if path.is_dir() else path
    remedy = "give the path of a tokenizer.json, as save_pretrained writes it"
    try:
        content = path.read_text("utf-8")
        own = pad_id_of(content)
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(step, f"cannot read {path}: {error}", remedy)
    if pad_id is None and own is None:
        fail(step, f"{path} names no token to fill up with", "give pad_id")
    chosen = own if pad_id is None else pad_id
    return TextInput(
        name, count, length, integer(step, "pad_id", chosen), bool(truncation), content
    )
