"""What a program keeps of a tokenizer: its `tokenizer.json`, and its chat templates."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devproc.errors import CompileError
from devproc.generation.chat import DEFAULT


@dataclass(frozen=True)
class TokenizerFiles:
    """A tokenizer as plain data."""

    text: str | None = None
    """Its `tokenizer.json`."""
    templates: Mapping[str, str] = field(default_factory=dict[str, str])
    """Chat templates by name."""
    tokens: Mapping[str, str] = field(default_factory=dict[str, str])
    """Special tokens by name, such as `bos_token`."""


def tokenizer_files(tokenizer: Any) -> TokenizerFiles:
    """The data of a tokenizer of transformers or of tokenizers, of a `tokenizer.json`, or of
    a folder of such files; raises CompileError for anything else.
    """
    if tokenizer is None:
        return TokenizerFiles()
    if isinstance(tokenizer, str | Path):
        return _of_path(Path(tokenizer))
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(backend, "to_str"):
        raise CompileError(
            f"a {type(tokenizer).__name__} has no tokenizer.json; load it with "
            "AutoTokenizer, which converts it"
        )
    template = getattr(tokenizer, "chat_template", None)
    tokens = getattr(tokenizer, "special_tokens_map", {})
    return TokenizerFiles(backend.to_str(), _named(template), dict(tokens))


def _of_path(path: Path) -> TokenizerFiles:
    folder = path if path.is_dir() else path.parent
    path = path / "tokenizer.json" if path.is_dir() else path
    text = _read(path)
    settings = folder / "tokenizer_config.json"
    known = json.loads(_read(settings)) if settings.exists() else {}
    templates = _named(known.get("chat_template"))
    for file in (
        folder / "chat_template.jinja",
        *sorted(folder.glob("additional_chat_templates/*.jinja")),
    ):
        if file.exists():
            name = DEFAULT if file.parent == folder else file.stem
            templates[name] = _read(file)
    tokens: dict[str, str] = {}
    for name, token in known.items():
        value = token.get("content") if isinstance(token, dict) else token
        if name.endswith("_token") and isinstance(value, str):
            tokens[name] = value
    return TokenizerFiles(text, templates, tokens)


def _named(template: Any) -> dict[str, str]:
    """Templates by name, of one, of a mapping, or of a list of names and templates."""
    if template is None:
        return {}
    if isinstance(template, str):
        return {DEFAULT: template}
    if isinstance(template, list):
        return {one["name"]: one["template"] for one in template}
    return dict(template)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise CompileError(f"cannot read the tokenizer {path}: {error}") from error
