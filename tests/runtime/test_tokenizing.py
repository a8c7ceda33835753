"""Texts as inputs: tokens as the package `tokenizers` makes them, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

import devproc
from devproc.errors import BundleError, CompileError, InputError
from devproc.program import Program
from devproc.runtime.calls.tokenizing import TextCalling

TEXTS = ["the cat sat", "a b c d e f g h i j k l m"]
SPECIAL = ("<s>", "</s>", "<pad>", "<unk>")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tokenizer of words, with marks of begin and end."""
    made: Any = Tokenizer(models.WordLevel(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    words = trainers.WordLevelTrainer(special_tokens=list(SPECIAL))
    made.train_from_iterator(TEXTS, words)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return path


def compiled(tokenizer: Path, **options: Any) -> Program:
    """A program that gives its tokens, mask, and another input back."""
    pipe = devproc.pipeline("texts")
    ids, mask = pipe.tokenize("texts", tokenizer, 2, 6, **options)
    pipe.output("ids", pipe.pad_tokens(ids, 6))
    pipe.output("mask", pipe.attention_mask(pipe.pad_tokens(mask, 6)))
    pipe.output("y", pipe.softmax(pipe.input("x", "float32", (3,), "")))
    return devproc.compile(pipe, threads=1)


def test_tokens_are_those_of_the_tokenizer(tokenizer: Path, tmp_path: Path) -> None:
    program, x = compiled(tokenizer), np.ones(3, np.float32)
    own: Any = Tokenizer.from_file(str(tokenizer))
    own.enable_truncation(6)
    own.enable_padding(pad_id=2, pad_token="<pad>", length=6)
    wanted = own.encode_batch(TEXTS)
    program.save(tmp_path / "program")
    for runs in (program, devproc.load(tmp_path / "program")):
        for found in (runs(texts=TEXTS, x=x), runs(tuple(TEXTS), x)):
            assert found["ids"].tolist() == [e.ids for e in wanted]
            assert found["mask"].tolist() == [e.attention_mask for e in wanted]
            assert found["ids"].dtype == np.int64
    assert "dev.tokenizer = " in program.ir("program")
    assert "texts" in str(program.report())


def test_chosen_padding(tokenizer: Path) -> None:
    found = compiled(tokenizer, pad_id=3)(texts=TEXTS, x=np.ones(3, np.float32))
    assert found["ids"][0].tolist()[-1] == 3


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("ab", r"input 'texts' must be a list of 2 strings, got str"),
        (["a"], r"must be a list of 2 strings, got 1"),
        (["a"] * 3, r"must be a list of 2 strings, got 3"),
        (["a", 3], r"must be a list of 2 strings, got int at place 1"),
        (["a", b"b"], r"got bytes at place 1"),
        (None, r"got NoneType"),
        (["a", "b\ud800"], r"input 'texts': text 1 is not Unicode.*position 1.*decode"),
    ],
)
def test_wrong_texts(tokenizer: Path, texts: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compiled(tokenizer)(texts=texts, x=np.ones(3, np.float32))


def test_too_long_without_truncation(tokenizer: Path) -> None:
    program = compiled(tokenizer, truncation=False)
    message = r"input 'texts': text 1 has 15 tokens, at most 6 fit; shorten it"
    with pytest.raises(InputError, match=message):
        program(texts=TEXTS, x=np.ones(3, np.float32))
    assert program(texts=TEXTS[:1] * 2, x=np.ones(3, np.float32))["ids"].shape == (2, 6)


def test_missing_and_unknown_inputs(tokenizer: Path) -> None:
    program = compiled(tokenizer)
    with pytest.raises(InputError, match=r"'texts' is missing.*texts: string \(2\)"):
        program(x=np.ones(3, np.float32))
    with pytest.raises(InputError, match=r"'texts.ids' is not an input"):
        program(**{"texts.ids": np.zeros((2, 6), np.int64)})


def test_empty_texts(tokenizer: Path) -> None:
    found = compiled(tokenizer)(texts=["", " "], x=np.ones(3, np.float32))
    assert found["ids"].tolist() == [[0, 1, 2, 2, 2, 2]] * 2


def test_without_the_package(tokenizer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compiled(tokenizer)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(CompileError, match="pip install tokenizers"):
        program(texts=TEXTS, x=np.ones(3, np.float32))


def test_a_pipeline_of_texts_needs_neither_torch_nor_tokenizers(
    tokenizer: Path,
) -> None:
    code = (
        "import sys, devproc\n"
        "pipe = devproc.pipeline('p')\n"
        f"ids, mask = pipe.tokenize('texts', {str(tokenizer)!r}, 2, 6)\n"
        "pipe.output('mask', pipe.attention_mask(ids))\n"
        "pipe.module()\n"
        "print([m for m in ('tokenizers', 'torch', 'llvmlite') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_damaged_way_of_calling(tokenizer: Path) -> None:
    """What a saved program says of its texts fits its inputs, or is refused."""
    artifact = compiled(tokenizer).artifact
    interface = artifact.interface

    def read(change: Any) -> TextCalling:
        data = json.loads(json.dumps(artifact.calling.as_json()))
        change(data)
        return TextCalling.from_json(data, interface)

    assert read(lambda data: None) == artifact.calling
    for change, message in (
        (
            lambda data: data["texts"][0].update(length=7),
            r"lacks texts.ids: int64 \(2, 7",
        ),
        (
            lambda data: data["texts"][0].update(name="other"),
            "the program lacks other.ids",
        ),
        (
            lambda data: data["texts"][0].update(count=None),
            "count: must be a whole numb",
        ),
        (lambda data: data["tokenizers"].clear(), "its tokenizer is missing"),
        (lambda data: data.pop("tokenizers"), "the field 'tokenizers' is missing"),
    ):
        with pytest.raises(BundleError, match=message):
            read(change)
    broken = read(
        lambda data: data["tokenizers"].update(dict.fromkeys(data["tokenizers"], "{}"))
    )
    with pytest.raises(
        BundleError, match="the tokenizer of input 'texts' cannot be read"
    ):
        broken.bind([TEXTS, np.ones(3, np.float32)], {})
