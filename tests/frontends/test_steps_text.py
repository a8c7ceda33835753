"""Steps on texts that do not fit are refused at the user's line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import devproc
from devproc.errors import BuildError
from devproc.frontends.dsl import Pipeline, Value

WRONG: dict[str, tuple[Callable[[Pipeline, Value], object], str]] = {
    "pad of floats": (
        lambda p, x: p.pad_tokens(x, 4),
        r"pad_tokens takes int64 or int32 tokens \(..., length\), got float32 \(2, 5\)",
    ),
    "pad to nothing": (
        lambda p, x: p.pad_tokens(p.cast(x, "int64"), 0),
        r"length must be positive, got 0",
    ),
    "pad on top": (
        lambda p, x: p.pad_tokens(p.cast(x, "int64"), 9, side="top"),
        r"unknown side 'top'; one of right, left",
    ),
    "mask of floats": (
        lambda p, x: p.attention_mask(x),
        r"takes int64 or int32 tokens",
    ),
    "mask of another shape": (
        lambda p, x: p.mean_pool(p.input("y", "float32", (2, 3, 4)), x),
        r"mean_pool of .*: the mask of float32 \(2, 3, 4\) is \(2, 3\), got float32"
        r" \(2, 5\); give an encoder's last hidden states, and the mask that",
    ),
    "first of no tokens": (
        lambda p, x: p.cls_pool(x),
        r"states \(batch, length, size\)",
    ),
    "norm along a missing axis": (
        lambda p, x: p.l2_normalize(x, 2),
        r"axis 2 is out of range for rank 2",
    ),
    "cosine of other sizes": (
        lambda p, x: p.cosine_similarity(x, p.input("y", "float32", (2, 4), "")),
        r"takes float32 \(n, size\) and \(m, size\), got",
    ),
    "draw without a seed": (
        lambda p, x: p.next_token(x, "top_k"),
        r"next_token of .*: strategy \"top_k\" needs a seed; draw with an int64 seed",
    ),
    "greedy with a seed": (
        lambda p, x: p.next_token(x, seed=p.input("s", "int64", (1,))),
        r"next_token: greedy takes no seed",
    ),
    "seed that is a number": (
        lambda p, x: p.next_token(x, "top_k", seed=7),  # pyright: ignore
        r"next_token: takes a value of the pipeline, got int",
    ),
    "seeds of other rows": (
        lambda p, x: p.next_token(x, "top_k", seed=p.input("s", "int64", (7,))),
        r"a seed is int64 \(1\) or \(\d\), got int64 \(7\)",
    ),
    "unknown strategy": (
        lambda p, x: p.next_token(x, "beam", seed=p.input("s", "int64", (1,))),
        r"unknown strategy 'beam'; one of greedy, top_k, top_p",
    ),
    "temperature of zero": (
        lambda p, x: p.next_token(x, temperature=0),
        r"temperature is 0.0, must be positive; 0 is strategy greedy",
    ),
    "more than everything": (lambda p, x: p.next_token(x, p=1.1), r"p is 1.1, must be"),
    "none of the largest": (
        lambda p, x: p.next_token(x, k=0),
        r"k is 0, must be 1 to 5",
    ),
    "no tokenizer": (
        lambda p, x: p.tokenize("texts", "missing.json", 2, 8),
        r"tokenize 'texts': cannot read missing.json: .*; give the path of a tokenizer",
    ),
    "no texts": (
        lambda p, x: p.tokenize("texts", "missing.json", 0, 8),
        r"tokenize 'texts': \(count, length\) is \(0, 8\); sizes must be positive",
    ),
    "texts with the name of an input": (
        lambda p, x: p.tokenize("x", "missing.json", 2, 8),
        r"tokenize 'x': the pipeline has an input of this name",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_step_is_refused_at_its_line(name: str) -> None:
    wrong, message = WRONG[name]
    pipe = devproc.pipeline("test")
    x = pipe.input("x", "float32", (2, 5), "")
    with pytest.raises(BuildError, match=message) as caught:
        wrong(pipe, x)
    assert str(caught.value).startswith(f"{__file__}:")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", r"cannot read .*; give the path of a tokenizer.json"),
        ("{}", r"cannot read .*: it has no tokenization model"),
        ('{"model": {}}', r"names no token to fill up with; give pad_id"),
    ],
)
def test_wrong_tokenizer(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "tokenizer.json").write_text(content)
    pipe = devproc.pipeline("test")
    with pytest.raises(BuildError, match=message):
        pipe.tokenize("texts", tmp_path, 2, 8)
