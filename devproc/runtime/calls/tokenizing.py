"""Texts as inputs of a program: a tokenizer on the host turns them into tensors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from devproc.errors import BundleError, CompileError, InputError
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.runtime.calls.calling import PART, NamedCalling
from devproc.runtime.calls.interface import Interface, TensorSpec
from devproc.runtime.reading.problems import Problems
from devproc.runtime.reading.typed_json import read_as

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PARTS = ("ids", "mask")
"""The inputs of a program that hold one list of texts."""


def tokenizer_of(text: str, what: str) -> Tokenizer:
    """The tokenizer of a `tokenizer.json`, without padding; `what` takes texts.

    Raises CompileError without the package, BundleError for an invalid text.
    """
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise CompileError(
            f"cannot run here: {what} takes texts, which the package tokenizers encodes; "
            "pip install tokenizers"
        ) from error
    try:
        found = Tokenizer.from_str(text)
    # The package raises a bare Exception for an invalid text.
    except Exception as error:
        raise BundleError(
            f"the tokenizer of {what} cannot be read: {error}; compile and save the "
            "program again"
        ) from error
    found.no_padding()
    return found


@dataclass(frozen=True)
class TextInput:
    """A list of texts, and how it is converted to token ids and their mask."""

    name: str
    count: int
    length: int
    pad_id: int
    truncation: bool
    tokenizer: str = field(repr=False)
    """The whole `tokenizer.json`."""

    @lazy_property
    def digest(self) -> str:
        """A short hash of the tokenizer."""
        return sha256(self.tokenizer.encode()).hexdigest()[:16]

    @lazy_property
    def _encoder(self) -> Tokenizer:
        encoder = tokenizer_of(self.tokenizer, f"input '{self.name}'")
        if self.truncation:
            cast(Any, encoder).enable_truncation(self.length)
        else:
            encoder.no_truncation()
        return encoder

    def encode(self, texts: object) -> list[NDArray[np.int64]]:
        """Token ids and mask, int64 (count, length); raises InputError for invalid texts."""
        found = self._encoder.encode_batch(self._checked(texts))
        ids = np.full((self.count, self.length), self.pad_id, np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(found):
            if len(encoding.ids) > self.length:
                raise InputError(
                    f"input '{self.name}': text {row} has {len(encoding.ids)} tokens, "
                    f"at most {self.length} fit; shorten it, or declare it with "
                    "truncation=True"
                )
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        return [ids, mask]

    def _checked(self, texts: object) -> list[str]:
        wanted = f"input '{self.name}' must be a list of {self.count} strings, got "
        if not isinstance(texts, list | tuple | np.ndarray):
            raise InputError(wanted + type(texts).__name__)
        listed = list(cast(Sequence[object], texts))
        for number, text in enumerate(listed):
            if not isinstance(text, str):
                raise InputError(f"{wanted}{type(text).__name__} at place {number}")
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise InputError(
                    f"input '{self.name}': text {number} is not Unicode: {error}; "
                    "make it from bytes with decode(errors='replace')"
                ) from error
        if len(listed) != self.count:
            raise InputError(f"{wanted}{len(listed)}")
        return cast(list[str], listed)


@dataclass(frozen=True)
class _Row:
    """The JSON form of the convention; each text names its tokenizer by a hash."""

    kind: str
    texts: tuple[TextInput, ...]
    tokenizers: Mapping[str, str]


@dataclass(frozen=True)
class TextCalling:
    """Inputs by name or in order, some of them lists of strings."""

    interface: Interface
    texts: tuple[TextInput, ...]

    @lazy_property
    def named(self) -> NamedCalling:
        """The convention with one input for each list of texts, as the user sees it."""
        by_part = {f"{t.name}{PART}{part}": t for t in self.texts for part in PARTS}
        inputs: dict[str, TensorSpec] = {}
        for spec in self.interface.inputs:
            text = by_part.get(spec.name)
            if text is not None:
                spec = TensorSpec(text.name, "string", (text.count,))
            inputs[spec.name] = spec
        return NamedCalling(replace(self.interface, inputs=tuple(inputs.values())))

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The tensors of a call, with texts encoded; raises InputError."""
        given = self.named.bind(args, kwargs)
        named = dict(
            zip([s.name for s in self.named.interface.inputs], given, strict=True)
        )
        for text in self.texts:
            parts = text.encode(named.pop(text.name))
            for part, value in zip(PARTS, parts, strict=True):
                named[f"{text.name}{PART}{part}"] = value
        return [named[spec.name] for spec in self.interface.inputs]

    def result(self, given: Sequence[Any], outputs: Sequence[Any]) -> dict[str, Any]:
        """A dict by output name."""
        return self.named.result(given, outputs)

    def as_json(self) -> dict[str, Any]:
        """The convention as plain data, with each tokenizer once."""
        rows = [{**asdict(text), "tokenizer": text.digest} for text in self.texts]
        tokenizers = {text.digest: text.tokenizer for text in self.texts}
        return {"kind": "texts", "texts": rows, "tokenizers": tokenizers}

    @staticmethod
    def from_json(data: object, interface: Interface) -> TextCalling:
        """The convention that `as_json` wrote; raises BundleError for another."""
        row = read_as(_Row, data, "the calling convention")
        problems = Problems("the calling convention")
        specs = {spec.name: spec for spec in interface.inputs}
        texts: list[TextInput] = []
        for text in row.texts:
            for part in PARTS:
                name = f"{text.name}{PART}{part}"
                wanted = TensorSpec(name, "int64", (text.count, text.length))
                if specs.get(name) != wanted:
                    problems.add(f"input '{text.name}'", f"the program lacks {wanted}")
            tokenizer = row.tokenizers.get(text.tokenizer)
            if tokenizer is None:
                problems.add(f"input '{text.name}'", "its tokenizer is missing")
            texts.append(replace(text, tokenizer=tokenizer or ""))
        problems.check()
        return TextCalling(interface, tuple(texts))


def pad_id_of(tokenizer: str) -> int | None:
    """The padding token of a `tokenizer.json`; None if it names none.

    Raises ValueError for another file.
    """
    document = json.loads(tokenizer)
    if not isinstance(document, dict) or "model" not in document:
        raise ValueError("it has no tokenization model")
    content = cast(dict[str, Any], document)
    if content.get("padding"):
        return int(content["padding"]["pad_id"])
    for token in content.get("added_tokens") or ():
        if token["content"] in ("[PAD]", "<pad>"):
            return int(token["id"])
    return None
